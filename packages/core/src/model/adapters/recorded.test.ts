/** Compares our requests with those recorded from the old server for the same conversation. */
import { existsSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { ContentPart, PromptMessage, ToolDefinition } from "../../shared/content.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import { collect, configOf, requestOf } from "../../testing/model-requests.ts";
import { requestsByProtocol } from "../../testing/recorded-requests.ts";
import { testRecorded } from "../../testing/recordings.ts";
import { startScriptedAnthropic } from "../../testing/scripted-anthropic.ts";
import { startScriptedOpenAi } from "../../testing/scripted-openai.ts";
import { sharedPath } from "../../testing/shared.ts";
import type { ModelRequest } from "../model.ts";
import { createModels } from "../providers.ts";

// biome-ignore lint/suspicious/noExplicitAny: recorded bodies
type Body = any;

const user = "user-00000000-0000-4000-8000-000000000000";

function readBody(name: string): Body {
  const folder = existsSync(sharedPath("wire", `${name}.json`)) ? "wire" : "wire-more";
  return JSON.parse(readFileSync(sharedPath(folder, `${name}.json`), "utf8")).body;
}

async function send(config: ModelConfig, changes: Partial<ModelRequest>): Promise<Body> {
  const server = await (config.provider === "openai" ? startScriptedOpenAi : startScriptedAnthropic)([{ text: "Hi." }]);
  onTestFinished(() => server.close());
  const models = createModels({ [config.provider ?? ""]: { apiKey: "k", baseUrl: server.baseUrl } });
  await collect(models.get(config), requestOf(config, { user, ...changes }));
  const { stream, stream_options, ...body } = server.requests[0]?.body ?? {};
  expect(stream).toBe(true);
  return body;
}

const say = (text: string): ContentPart[] => [{ type: "text", text }];

function fromChat({ role, content, name, tool_calls = [], tool_call_id }: Body): PromptMessage {
  if (role === "user" || role === "system") return { role, content: say(content), ...(name ? { name } : {}) };
  if (role === "tool") {
    return { role, returns: [{ callId: tool_call_id, name: "", status: "success", output: content }] };
  }
  const toolCalls = tool_calls.map(({ id, function: call }: Body) => ({ id, ...call }));
  return { role: "assistant", content: content ? say(content) : [], toolCalls };
}

test("the same request is put in the same bytes", async () => {
  for (const config of [configOf("openai/gpt-4o"), configOf("openai/gpt-5"), configOf("anthropic/claude-opus-4-6")]) {
    expect(JSON.stringify(await send(config, {}))).toBe(JSON.stringify(await send(config, {})));
  }
});

for (const name of requestsByProtocol.chat) {
  testRecorded(`Chat Completions: ${name}`, async () => {
    const theirs = readBody(name);
    const [system, ...messages] = theirs.messages;
    const tools: ToolDefinition[] = theirs.tools.map((tool: Body) => tool.function);
    const toolChoice = theirs.tool_choice;
    const config = configOf("openai/gpt-4o-mini", { temperature: theirs.temperature });
    const ours = await send(config, { system: system.content, messages: messages.map(fromChat), tools, toolChoice });
    expect(ours).toEqual(theirs);
  });
}

for (const name of requestsByProtocol.responses) {
  testRecorded(`Responses: ${name}`, async () => {
    const { temperature, ...theirs } = readBody(name);
    expect(temperature).toBeNull();
    const [system, asked, called, answered] = theirs.input;
    const config = configOf("openai/gpt-5-mini", { reasoning: { enabled: true, effort: "minimal", budgetTokens: 0 } });
    const { name: tool, call_id: id, arguments: json } = called;
    const ours = await send(config, {
      system: system.content,
      messages: [
        { role: "user", content: say(asked.content[0].text) },
        { role: "assistant", content: [], toolCalls: [{ id, name: tool, arguments: json }] },
        { role: "tool", returns: [{ callId: id, name: tool, status: "success", output: answered.output }] },
      ],
      tools: theirs.tools,
    });
    const { status, ...call } = called;
    expect(ours).toEqual({ ...theirs, input: [system, asked, call, answered] });
  });
}

function fromAnthropic({ role, content }: Body): PromptMessage {
  const blocks: Body[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const [first] = blocks;
  if (first.type === "tool_result") {
    return {
      role: "tool",
      returns: [{ callId: first.tool_use_id, name: "", status: "success", output: first.content }],
    };
  }
  if (role === "user") return { role, content: say(first.text) };
  return {
    role: "assistant",
    content: blocks.flatMap(({ type, text, thinking, signature }): ContentPart[] => {
      if (type === "thinking") return [{ type: "reasoning", text: thinking, signature, isNative: true }];
      return type === "text" ? say(text) : [];
    }),
    toolCalls: blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
  };
}

for (const name of requestsByProtocol.messages) {
  testRecorded(`Messages: ${name}`, async () => {
    const theirs = readBody(name);
    const config = configOf("anthropic/claude-sonnet-4-5-20250929", {
      reasoning: { enabled: true, effort: null, budgetTokens: 1_024 },
    });
    const tools = theirs.tools.map(({ name, description, input_schema }: Body) => ({
      name,
      description,
      parameters: input_schema as JsonObject,
    }));
    const ours = await send(config, {
      system: theirs.system[0].text,
      messages: theirs.messages.map(fromAnthropic),
      tools,
      parallelToolCalls: true,
    });
    const blocks = (message: Body) =>
      typeof message.content === "string"
        ? { ...message, content: [{ type: "text", text: message.content }] }
        : message;
    expect({ temperature: 1, ...ours }).toEqual({
      ...theirs,
      messages: theirs.messages.map(blocks),
      tools: theirs.tools.map((tool: Body) => ({ ...tool, eager_input_streaming: true })),
    });
  });
}
