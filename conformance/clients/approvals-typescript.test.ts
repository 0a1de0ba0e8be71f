/** The official npm client allows calls, denies them, runs some itself, and watches all of it. */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import type { Json } from "../crash/approval-world.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { loadClient, type Stream } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

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

test.for(dialects)("%s: all parts of a reply have one id, and lists go on behind them", async (dialect, context) => {
  const { client, agentId } = await connect(dialect, context);
  await client.agents.update(agentId, { model: "anthropic/claude-sonnet-4-5-20250929" });
  const calls = [
    { name: "archival_memory_search", arguments: { query: "tea" } },
    { name: "memory_insert", arguments: { label: "human", new_string: "Likes tea." } },
  ];
  const question = say(`!tools ${JSON.stringify(calls)}\n!say Noted.`);
  const parts = ["reasoning_message", "tool_call_message", "approval_request_message"];
  const kindsOf = (items: readonly Json[]) => [...new Set(items.map(({ message_type: type }) => type))];
  const idsOf = (items: readonly Json[]) => [...new Set(items.flatMap(({ id }) => id ?? []))];
  const answer = async (id: string) => {
    const denied = { type: "approval", tool_call_id: id, approve: false };
    await client.agents.messages.create(agentId, answering(denied));
  };
  const runOf = async () => (await client.runs.list({ agent_id: agentId, limit: 1 })).items[0]?.id ?? "";

  const whole = (await client.agents.messages.create(agentId, question)).messages as Json[];
  const [id] = idsOf(whole);
  expect([kindsOf(whole), idsOf(whole)]).toEqual([parts, [id]]);
  expect(new Set(whole.map(({ otid }) => otid)).size).toBe(3);
  const list = async (query: Json) => (await client.agents.messages.list(agentId, query)).items as Json[];
  const listed = (await list({ limit: 1 })) as Json[];
  expect([kindsOf(listed), idsOf(listed)]).toEqual([parts, [id]]);
  expect(await list({ after: id })).toEqual([]);
  expect(idsOf(await list({ before: id }))).not.toContain(id);
  const found = await client.messages.search({ query: "considering the request", agent_id: agentId });
  expect(found).toMatchObject([{ message_id: id, message_type: "reasoning_message" }]);
  const conversation = async (query: Json) =>
    (await client.conversations.messages.list(agentId, query)).items as Json[];
  expect(idsOf(await conversation({ limit: 1 }))).toEqual([id]);
  expect(await conversation({ after: id, order: "asc" })).toEqual([]);
  const ofRun = async (query: Json) => (await client.runs.messages.list(await runOf(), query)).items as Json[];
  expect(idsOf(await ofRun({ order: "desc", limit: 1 }))).toEqual([id]);
  expect(await ofRun({ after: id })).toEqual([]);
  await answer(whole.at(-1)?.tool_call.tool_call_id);
  expect(kindsOf((await list({ after: id })).slice(0, 2))).toEqual([
    "approval_response_message",
    "tool_return_message",
  ]);

  for (const stream_tokens of [false, true]) {
    const events = await collect(
      client.agents.messages.stream(agentId, { ...question, stream_tokens, background: true }),
    );
    const items = events.filter((event) => event.id);
    expect([kindsOf(items), idsOf(items)]).toEqual([parts, idsOf(await list({ limit: 1 }))]);
    const replay = await collect(client.runs.messages.stream(await runOf(), { starting_after: 2 }));
    expect(idsOf(replay)).toEqual(idsOf(items));
    await answer(items.at(-1)?.tool_call.tool_call_id);
  }
});
