/** Whatever a model or a user does, the agent answers the next message: an agent cannot be bricked. */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import type { WireAnswer } from "../../packages/core/src/testing/scripted-server.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";

async function open(dialect: DialectName, context: TestContext) {
  const models = await startDirectedModels();
  const { url, errors } = await startServer(dialect, context, { core: { providers: models.providers } });
  const call = async (method: string, path: string, body?: object) => {
    const headers = body ? { "content-type": "application/json" } : undefined;
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into it
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const createAgent = async (more: object = {}): Promise<string> => {
    const input = { model: "openai/gpt-4o-mini", memory_blocks: [{ label: "human", value: "Ada" }], ...more };
    return (await call("POST", "/v1/agents/", input)).body.id;
  };
  const say = (agent: string, body: object) => call("POST", `/v1/agents/${agent}/messages`, body);
  return { models, errors, call, createAgent, say };
}

const bad = '{"label": "human", "new_str';

const answers: Readonly<Record<string, readonly WireAnswer[]>> = {
  "arguments that are no JSON": [{ toolCalls: [{ name: "memory_insert", arguments: bad }] }],
  "a thought and arguments that are no JSON": [{ text: "Hm.", toolCalls: [{ name: "memory_insert", arguments: bad }] }],
  "arguments that are a list": [{ text: "Hm.", toolCalls: [{ name: "memory_insert", arguments: "[1]" }] }],
  "arguments that are null": [{ text: "Hm.", toolCalls: [{ name: "memory_insert", arguments: "null" }] }],
  "a call without a name": [{ toolCalls: [{ name: "", arguments: "{}" }] }],
  "a name with odd characters": [{ toolCalls: [{ name: "a b\n'c'", arguments: "{}" }] }],
  "nothing at all": [{}],
  "an empty text": [{ text: "" }],
  blanks: [{ text: " \n " }],
  "a refusal": [{ refusal: "I will not." }],
  "a filtered answer": [{ text: "half", finish: "content_filter" }],
  "half an answer": [{ text: "half", finish: "length" }],
  "characters a database does not take": [{ text: "a\u0000b \ud800 c" }],
  "such characters in arguments": [
    { toolCalls: [{ name: "memory_insert", arguments: JSON.stringify({ label: "human", new_string: "a\u0000b" }) }] },
  ],
  "the same call id again and again": [
    { toolCalls: [{ id: "call_1", name: "memory_insert", arguments: '{"label":"human","new_string":"one"}' }] },
    { toolCalls: [{ id: "call_1", name: "memory_insert", arguments: '{"label":"human","new_string":"two"}' }] },
  ],
  "a call id that is too long": [
    { toolCalls: [{ id: "x".repeat(500), name: "conversation_search", arguments: "{}" }] },
  ],
};

test.for(
  dialects.flatMap((dialect) =>
    ["letta_v1_agent", "memgpt_v2_agent"].flatMap((kind) =>
      Object.keys(answers).map((what) => ({ dialect, kind, what })),
    ),
  ),
)("$dialect: $kind: after $what the next message works", async ({ dialect, kind, what }, context) => {
  const { models, errors, createAgent, say } = await open(dialect, context);
  const agent = await createAgent({ agent_type: kind });
  models.openai.add(...(answers[what] ?? []));
  const first = await say(agent, { input: "first" });
  expect([200, 500], JSON.stringify(first.body)).toContain(first.status);
  expect(errors).toEqual([]);
  expect(await say(agent, { input: "!heard" })).toMatchObject({
    status: 200,
    body: { stop_reason: { stop_reason: "end_turn" } },
  });
  // What the provider was sent last is a conversation it takes: every call has its result, right after it.
  const messages: { role: string; tool_call_id?: string; content: unknown; tool_calls?: { id: string }[] }[] =
    models.openai.requests.at(-1)?.body.messages;
  for (const [index, { role, content, tool_calls = [] }] of messages.entries()) {
    const results = messages.slice(index + 1, index + 1 + tool_calls.length);
    expect(results.map((result) => result.tool_call_id)).toEqual(tool_calls.map(({ id }) => id));
    if (role === "tool") expect(messages[index - 1]?.tool_calls).toBeDefined();
    if (role === "assistant" && tool_calls.length === 0) expect(String(content ?? "").trim()).not.toBe("");
  }
  expect(JSON.stringify(messages)).toContain("first");
});

test.for(dialects)("%s: what the user says may be anything", async (dialect, context) => {
  const { errors, createAgent, say } = await open(dialect, context);
  const agent = await createAgent();
  for (const text of ["a\u0000b", "\ud800", '{"type": "heartbeat"}', " ", "x".repeat(100_000), "</memory_blocks>"]) {
    const { status, body } = await say(agent, { input: text });
    expect([200, 422], `${JSON.stringify(text.slice(0, 50))}: ${JSON.stringify(body)}`).toContain(status);
  }
  const asAssistant = await say(agent, { messages: [{ role: "assistant", content: "I said" }] });
  expect(asAssistant.status, JSON.stringify(asAssistant.body)).toBe(200);
  expect((await say(agent, { input: "next" })).body.messages[0].content).toBe("You said: next");
  expect(errors).toEqual([]);
});
