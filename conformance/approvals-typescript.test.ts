/** The official npm client allows calls, denies them, runs some itself, and watches all of it. */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../packages/core/src/testing/databases.ts";
import type { Json } from "./approval-world.ts";
import { startDirectedModels } from "./directed-models.ts";
import { loadClient, type Stream } from "./npm-client.ts";
import { startServer } from "./server.ts";

const clipboard = {
  name: "read_clipboard",
  description: "Read the clipboard",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
};
const client_tools = [clipboard];
const look = '!tool read_clipboard {"n":1}\n!say Seen.';
const note = (fact: string) =>
  `!tool memory_insert ${JSON.stringify({ label: "human", new_string: fact })}\n!say Noted.`;
const say = (content: string) => ({ messages: [{ role: "user", content }] });
const answering = (...approvals: object[]) => ({ messages: [{ type: "approval", approvals }] });
const give = (id: string) => ({ type: "tool", tool_call_id: id, tool_return: "a poem", status: "success" });

async function connect(dialect: DialectName, context: TestContext) {
  const Letta = await loadClient(context);
  const { providers, openai } = await startDirectedModels();
  const { url } = await startServer(dialect, context, { core: { providers } });
  // Its own retries are on, as in programs that use it.
  const client = new Letta({ baseURL: url, apiKey: "any" });
  const memory_blocks = [{ label: "human", value: "Name: Ada." }];
  const { id: agentId } = await client.agents.create({ model: "openai/gpt-4o-mini", memory_blocks });
  await client.agents.tools.updateApproval("memory_insert", { agent_id: agentId, body_requires_approval: true });
  const human = async () => (await client.agents.blocks.retrieve("human", { agent_id: agentId })).value;
  return { Letta, client, agentId, human, requests: openai.requests };
}

const collect = async (stream: Promise<Stream>): Promise<Json[]> =>
  (await Array.fromAsync(await stream)).filter(({ message_type: type }) => type !== "ping");

test.for(dialects)("%s: a call is allowed, another denied", async (dialect, context) => {
  const { Letta, client, agentId, human } = await connect(dialect, context);
  const asked = await client.agents.messages.create(agentId, say(note("Likes tea.")));
  expect(asked.stop_reason.stop_reason).toBe("requires_approval");
  const question = asked.messages[0] as Json;
  expect(question).toMatchObject({ message_type: "approval_request_message", tool_call: { name: "memory_insert" } });
  const shown = await client.agents.retrieve(agentId, { include: ["agent.pending_approval"] });
  expect(shown.pending_approval).toMatchObject({ id: question.id });
  const waiting = await client.agents.messages.create(agentId, say("hello?")).catch((error: unknown) => error);
  expect(waiting).toBeInstanceOf(Letta.ConflictError);
  expect(waiting).toMatchObject({ status: 409, error: { detail: { pending_request_id: question.id } } });
  expect(await human()).toBe("Name: Ada.");
  const allowed = { type: "approval", tool_call_id: question.tool_call.tool_call_id, approve: true };
  const done = await client.agents.messages.create(agentId, answering(allowed));
  expect(done.messages.map(({ message_type: type }) => type)).toEqual(["tool_return_message", "assistant_message"]);
  expect(await human()).toBe("Name: Ada.\nLikes tea.");
  const other = (await client.agents.messages.create(agentId, say(note("Likes war.")))).messages[0] as Json;
  const denied = { ...allowed, tool_call_id: other.tool_call.tool_call_id, approve: false, reason: "not true" };
  const refused = await client.agents.messages.create(agentId, answering(denied));
  expect(refused.messages[0]).toMatchObject({ status: "error", tool_return: expect.stringContaining("not true") });
  expect(await human()).toBe("Name: Ada.\nLikes tea.");
  const nothing = await client.agents.messages
    .create(agentId, answering({ ...allowed, tool_call_id: "call_of_nobody" }))
    .catch((error: unknown) => error);
  expect(nothing).toBeInstanceOf(Letta.BadRequestError);
});

test.for(dialects)("%s: a client's tool is run by the client, also in streams", async (dialect, context) => {
  const { client, agentId } = await connect(dialect, context);
  const asked = (await client.agents.messages.create(agentId, { ...say(look), client_tools })).messages[0] as Json;
  const done = await client.agents.messages.create(agentId, {
    ...answering(give(asked.tool_call.tool_call_id)),
    client_tools,
  });
  expect(done.messages[0]).toMatchObject({ tool_return: "a poem", status: "success", name: null });
  for (const stream_tokens of [false, true]) {
    const items = await collect(client.agents.messages.stream(agentId, { ...say(look), client_tools, stream_tokens }));
    const pieces = items.flatMap(({ tool_call: call }) => call ?? []);
    expect(pieces.map(({ arguments: text }) => text ?? "").join("")).toBe('{"n":1}');
    expect(items.at(-2)).toEqual({ message_type: "stop_reason", stop_reason: "requires_approval" });
    const reply = { ...answering(give(pieces[0].tool_call_id)), client_tools, stream_tokens, background: true };
    const answer = await collect(client.agents.messages.stream(agentId, reply));
    expect(answer[0]).toMatchObject({ message_type: "tool_return_message", tool_return: "a poem", seq_id: 2 });
    const runId = answer[0].run_id;
    expect(await collect(client.runs.messages.stream(runId, { starting_after: 1 }))).toEqual(answer);
  }
});

test("its retries with a key of their own do not do anything twice", async (context) => {
  const { client, agentId, requests } = await connect("sqlite", context);
  const headers = { "Idempotency-Key": "once" };
  const [first, second] = await Promise.all([
    client.agents.messages.create(agentId, say("!say One."), { headers }),
    client.agents.messages.create(agentId, say("!say One."), { headers }),
  ]);
  expect(second).toEqual(first);
  expect(requests).toHaveLength(1);
});
