/** The official npm client watches its agents, and looks at what their model was asked. */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { loadClient, type Stream } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

async function connect(dialect: DialectName, context: TestContext) {
  const Letta = await loadClient(context);
  const { providers } = await startDirectedModels();
  const { url } = await startServer(dialect, context, { core: { providers } });
  const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
  const memory_blocks = [{ label: "human", value: "Name: Ada." }];
  const { id: agentId } = await client.agents.create({ model: "openai/gpt-4o-mini", memory_blocks });
  return { client, agentId };
}

const collect = async (stream: Promise<Stream>) => await Array.fromAsync(await stream);
const say = (content: string) => ({ messages: [{ role: "user", content }] });
const edit = '!tool memory_insert {"label":"human","new_string":"Likes tea."}\n!say I have noted it.';
const textOf = (items: readonly Record<string, unknown>[]) => items.map(({ content }) => content ?? "").join("");

test.for(dialects)("%s: an answer is watched as it grows, and again later", async (dialect, context) => {
  const { client, agentId } = await connect(dialect, context);
  const body = { ...say(edit), stream_tokens: true, background: true };
  const items = await collect(client.agents.messages.stream(agentId, body));
  expect(items[0]?.message_type).toBe("ping");
  expect(new Set(items.map(({ message_type }) => message_type))).toEqual(
    new Set([
      "ping",
      "tool_call_message",
      "tool_return_message",
      "assistant_message",
      "stop_reason",
      "usage_statistics",
    ]),
  );
  expect(textOf(items)).toBe("I have noted it.");
  const runId = String(items[0]?.run_id);
  expect(await collect(client.runs.messages.stream(runId, { starting_after: 3 }))).toEqual(items.slice(3));
  const trace = await client.steps.trace.retrieve(String(items[1]?.step_id));
  expect(JSON.stringify(trace?.request_json)).toContain("memory_insert");
  await expect(client.runs.trace.retrieve(runId)).resolves.toBeDefined();
});

test.for(dialects)("%s: a conversation's newest run is found without its id", async (dialect, context) => {
  const { client, agentId } = await connect(dialect, context);
  const { id } = await client.conversations.create({ agent_id: agentId });
  const messages = [{ role: "user", content: "!say Here.", otid: "first" }];
  const stream = client.post<Stream>(`/v1/conversations/${id}/messages`, {
    body: { messages, stream_tokens: true, background: true },
    stream: true,
  });
  const items = await collect(stream);
  expect(textOf(items)).toBe("Here.");
  expect(await collect(client.conversations.messages.stream(id, { otid: "first" }))).toEqual(items);
});

test("a failure inside a stream reaches the caller as one", async (context) => {
  const { client, agentId } = await connect("sqlite", context);
  const read = collect(client.agents.messages.stream(agentId, { ...say("!fail 401"), stream_tokens: true }));
  await expect(read).rejects.toThrow(/llm_authentication|401|key/i);
});
