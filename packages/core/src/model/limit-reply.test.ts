import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { startHostileServer } from "../testing/hostile-server.ts";
import { collectFailure, configOf, requestOf } from "../testing/model-requests.ts";
import { encodeAwsEvent } from "../testing/scripted-bedrock.ts";
import { limitBodies } from "./limit-body.ts";
import { limitReplies } from "./limit-reply.ts";
import { createModels } from "./providers.ts";

const limit = 64 * 1024;
const mostSent = 16 * 2 ** 20;
const text = "x".repeat(1_000);
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const typed = (data: { type: string }) => `event: ${data.type}\n${event(data)}`;

interface Endless {
  readonly handle: string;
  readonly head?: string;
  readonly piece: string | Uint8Array;
  readonly status?: number;
  readonly type?: string;
}

const chat = (delta: object) => event({ id: "c", choices: [{ index: 0, delta, finish_reason: null }] });
const emptyMessage = {
  ...{ id: "m", type: "message", role: "assistant", model: "x", content: [], stop_reason: null, stop_sequence: null },
  usage: { input_tokens: 1, output_tokens: 1 },
};
const block = (content_block: object) =>
  typed({ type: "message_start", ...{ message: emptyMessage } }) +
  typed({ type: "content_block_start", ...{ index: 0, content_block } });
const blockDelta = (delta: object) => typed({ type: "content_block_delta", ...{ index: 0, delta } });
const call = { index: 0, id: "call_1", type: "function", function: { name: "memory_insert", arguments: "" } };

const bedrock = { handle: "bedrock/claude", type: "application/vnd.amazon.eventstream" };
/** The catalogue lists no models of Bedrock. */
const bedrockConfig = configOf("anthropic/claude-haiku-4-5", {
  ...{ handle: bedrock.handle, provider: "bedrock", model: "claude", endpointKind: "bedrock", endpoint: null },
});
const bedrockDelta = (delta: object) =>
  encodeAwsEvent({ ":event-type": "contentBlockDelta" }, "event", { delta, contentBlockIndex: 0 });

const answers: Readonly<Record<string, Endless>> = {
  "a chat server's text": { handle: "groq/llama-3.3-70b-versatile", piece: chat({ content: text }) },
  "a chat server's reasoning": { handle: "deepseek/deepseek-reasoner", piece: chat({ reasoning_content: text }) },
  "a chat server's arguments": {
    handle: "groq/llama-3.3-70b-versatile",
    head: chat({ tool_calls: [call] }),
    piece: chat({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
  },
  "OpenAI's text": {
    handle: "openai/gpt-5",
    head:
      typed({
        type: "response.created",
        ...{ response: { id: "r", created_at: 1, model: "x", output: [], service_tier: null } },
      }) +
      typed({
        type: "response.output_item.added",
        ...{
          output_index: 0,
          item: { type: "message", id: "m", role: "assistant", status: "in_progress", content: [] },
        },
      }),
    piece: typed({
      type: "response.output_text.delta",
      ...{ item_id: "m", output_index: 0, content_index: 0, delta: text, logprobs: [] },
    }),
  },
  "Anthropic's text": {
    handle: "anthropic/claude-haiku-4-5",
    head: block({ type: "text", text: "" }),
    piece: blockDelta({ type: "text_delta", text }),
  },
  "Anthropic's thinking": {
    handle: "anthropic/claude-haiku-4-5",
    head: block({ type: "thinking", thinking: "", signature: "" }),
    piece: blockDelta({ type: "thinking_delta", thinking: text }),
  },
  "Google's text": {
    handle: "google_ai/gemini-2.5-flash",
    piece: event({ candidates: [{ index: 0, content: { role: "model", parts: [{ text }] } }] }),
  },
  "Bedrock's text": { ...bedrock, piece: bedrockDelta({ text }) },
  "Bedrock's thinking": { ...bedrock, piece: bedrockDelta({ reasoningContent: { text } }) },
  "a line that never ends": { handle: "groq/llama-3.3-70b-versatile", head: "data: {", piece: text },
  "an event of lines that never ends": {
    handle: "groq/llama-3.3-70b-versatile",
    head: "data: {\n",
    piece: `data: ${text}\n`,
  },
  "Anthropic's event of lines that never ends": {
    handle: "anthropic/claude-haiku-4-5",
    head: "data: {\n",
    piece: `data: ${text}\n`,
  },
  "a refusal that never ends": {
    handle: "groq/llama-3.3-70b-versatile",
    piece: text,
    status: 500,
    type: "application/json",
  },
};

test.for(Object.entries(answers))("%s is read up to the limit, and the connection is closed", async ([, answer]) => {
  const { handle, head = "", piece, status = 200, type = "text/event-stream" } = answer;
  let sent = 0;
  let isClosed = false;
  const pour = (response: ServerResponse) => {
    const write = () => {
      while (!response.destroyed) {
        sent += piece.length;
        if (sent > mostSent) return void response.destroy();
        if (!response.write(piece)) break;
      }
    };
    response.on("drain", write).on("close", () => {
      isClosed = true;
    });
    response.writeHead(status, { "content-type": type }).write(head);
    write();
  };
  const { port } = await startHostileServer((_, response) => pour(response));
  const [provider = ""] = handle.split("/");
  const access = { [provider]: { apiKey: "test-key-0042", baseUrl: `http://127.0.0.1:${port}/v1` } };
  const wired = createModels(access, { fetch: limitBodies(fetch, limit), retries: { tries: 1 } });
  const config = provider === "bedrock" ? bedrockConfig : configOf(handle);
  const { error } = await collectFailure(limitReplies(wired, limit).get(config), requestOf(config));
  expect(error.code).toMatch(/^llm-/);
  if (status === 200 && !head.trimEnd().endsWith("{")) expect(error.message).toContain("grew longer than 65536 bytes");
  await vi.waitUntil(() => isClosed);
  // What the sockets on both sides hold was sent as well.
  expect(sent).toBeLessThan(mostSent);
});
