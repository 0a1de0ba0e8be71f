/** The official npm client and conversations. It reads every answer to a send as a stream, so sends go out by hand. */
import type { MessageWire, SendResponseWire } from "@memoir/server/wire";
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { type DirectedOptions, startDirectedModels } from "../support/directed-models.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

const unknownId = "00000000-0000-4000-8000-00000000dead";
type Fields = Readonly<Record<string, unknown>>;

async function connect(dialect: DialectName, context: TestContext, directions: DirectedOptions = {}) {
  const Letta = await loadClient(context);
  const { openai, providers } = await startDirectedModels(directions);
  const { url } = await startServer(dialect, context, { core: { providers } });
  const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
  const memory_blocks = [
    { label: "human", value: "Name: Ada." },
    { label: "mood", value: "calm" },
  ];
  const agent = await client.agents.create({ model: "openai/gpt-4o-mini", memory_blocks });
  const tell = (place: string, content: string, more: Fields = {}) => {
    const body = { messages: [{ role: "user", content }], streaming: false, ...more };
    return client.post<SendResponseWire>(`/v1/conversations/${place}/messages`, { body });
  };
  const create = (more: Fields = {}) => client.conversations.create({ agent_id: agent.id, ...more });
  return { client, agentId: agent.id, tell, create, openai };
}

const textsOf = (messages: readonly MessageWire[]) =>
  messages.map((item) => (item.message_type === "system_message" ? "system" : "content" in item ? item.content : ""));

const refusal = (status: number, detail: string | RegExp) => ({
  status,
  error: { detail: expect.stringMatching(detail) },
});

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("creates, retrieves, renames, lists and deletes conversations", async (context) => {
    const { client, agentId, create, tell } = await connect(dialect, context);
    const first = await create({ summary: "Tea", isolated_block_labels: ["mood"] });
    expect(first).toMatchObject({ agent_id: agentId, summary: "Tea", in_context_message_ids: [], model: null });
    expect(first.isolated_block_ids).toHaveLength(1);
    const second = await create({
      model: "openai/gpt-4.1",
      model_settings: { provider_type: "openai", temperature: 0.25 },
    });
    expect(second).toMatchObject({
      summary: null,
      last_message_at: null,
      model: "openai/gpt-4.1",
      model_settings: { provider_type: "openai", temperature: 0.25 },
    });
    await tell(first.id, "hello");
    const retrieved = await client.conversations.retrieve(first.id);
    expect(retrieved.in_context_message_ids).toHaveLength(3);
    expect(retrieved.last_message_at).not.toBeNull();
    const renamed = await client.conversations.update(first.id, { summary: "Coffee", model: null });
    expect(renamed).toMatchObject({ summary: "Coffee", last_message_at: retrieved.last_message_at });
    const ids = async (query: Fields) => (await client.conversations.list(query)).map(({ id }) => id);
    expect(await ids({ agent_id: agentId })).toEqual([second.id, first.id]);
    expect(await ids({ agent_id: agentId, order: "asc", limit: 1 })).toEqual([first.id]);
    expect(await ids({ agent_id: agentId, after: second.id })).toEqual([first.id]);
    expect(await ids({ order_by: "last_message_at" })).toEqual([first.id, second.id]);
    expect(await ids({ order_by: "last_run_completion", order: "asc" })).toEqual([first.id, second.id]);
    expect(await ids({ summary_search: "cOFF" })).toEqual([first.id]);
    expect(await client.conversations.delete(first.id)).toBeNull();
    await expect(client.conversations.retrieve(first.id)).rejects.toMatchObject(
      refusal(404, `^Conversation not found with id='${first.id}'`),
    );
    expect(await ids({})).toEqual([second.id]);
  });

  test("talks in several conversations and in the default one under all its names", async (context) => {
    const { client, agentId, create, tell } = await connect(dialect, context);
    const [first, second] = [(await create()).id, (await create()).id];
    await tell(first, "a");
    await tell(second, "b");
    await tell("default", "c", { agent_id: agentId });
    const answer = await tell(agentId, "d");
    expect(answer).toMatchObject({ stop_reason: { stop_reason: "end_turn" }, messages: [{ content: "You said: d" }] });
    const byDefault = { agent_id: agentId };
    const ofDefault = ["system", "c", "You said: c", "d", "You said: d"];
    expect(textsOf((await client.conversations.messages.list("default", byDefault)).items)).toEqual(ofDefault);
    expect(textsOf((await client.conversations.messages.list(agentId)).items)).toEqual(ofDefault);
    const listed = async (query: Fields) => textsOf((await client.agents.messages.list(agentId, query)).items);
    expect(await listed({ conversation_id: "default" })).toEqual(ofDefault);
    expect(await listed({ conversation_id: first })).toEqual(["system", "a", "You said: a"]);
    expect(await listed({})).toHaveLength(11);
    expect(await listed({ limit: 2 })).toEqual(["d", "You said: d"]);
    expect(await listed({ limit: 1, order: "asc" })).toEqual(["system"]);
    expect(await listed({ include_return_message_types: ["user_message"] })).toEqual(["a", "b", "c", "d"]);
    const [, , third] = (await client.agents.messages.list(agentId, { conversation_id: "default" })).items;
    expect(await listed({ conversation_id: "default", after: third?.id })).toEqual(["d", "You said: d"]);
    expect(await listed({ conversation_id: "default", before: third?.id })).toEqual(["system", "c"]);
  });

  test("walks through a conversation page by page, in both directions, and meets each message once", async (context) => {
    const { client, create, tell } = await connect(dialect, context);
    const { id } = await create();
    const said: string[] = [];
    for (const word of ["a", "b", "c", "d", "e"]) {
      await tell(id, word);
      said.push(word, `You said: ${word}`);
    }
    for (const limit of [1, 2, 3, 100]) {
      const newest = await Array.fromAsync(client.conversations.messages.list(id, { limit }));
      expect(textsOf(newest)).toEqual([...said.toReversed(), "system"]);
      const oldest = await Array.fromAsync(client.conversations.messages.list(id, { limit, order: "asc" }));
      expect(textsOf(oldest)).toEqual(["system", ...said]);
    }
    const unknown = await client.conversations.messages.list(id, { after: `message-${unknownId}` });
    expect(unknown.items).toHaveLength(11);
  });

  test("forks, with isolated blocks, and compiles anew what each conversation sees", async (context) => {
    const { client, agentId, create, tell, openai } = await connect(dialect, context);
    const source = await create({ summary: "Tea", isolated_block_labels: ["mood"] });
    await tell(source.id, "a");
    await client.blocks.update(source.isolated_block_ids[0] ?? "", { value: "merry" });
    const fork = await client.conversations.fork(source.id);
    expect(fork).toMatchObject({ agent_id: agentId, summary: null, last_message_at: null });
    expect(fork.isolated_block_ids).toHaveLength(1);
    expect(fork.isolated_block_ids).not.toEqual(source.isolated_block_ids);
    await tell(fork.id, "b");
    const sent: { role: string; content: string }[] = openai.requests.at(-1)?.body.messages ?? [];
    expect(sent.slice(1).map(({ content }) => content)).toEqual(["a", "You said: a", "b"]);
    expect(sent[0]?.content).toContain("merry");
    await client.agents.blocks.update("human", { agent_id: agentId, value: "Name: Grace." });
    const dry = await client.conversations.recompile(fork.id, { dry_run: true });
    const text = await client.conversations.recompile(fork.id);
    for (const each of [dry, text]) {
      expect(each).toContain("Name: Grace.");
      expect(each).toContain("merry");
      expect(each).toContain(fork.id);
    }
    expect(await client.conversations.recompile("default", { agent_id: agentId })).toContain("calm");
    expect(await client.agents.recompile(agentId)).toContain("Name: Grace.");
    expect(await client.agents.recompile(agentId, { dry_run: true })).toContain("Name: Grace.");
    const ofDefault = await client.conversations.fork("default", { agent_id: agentId });
    expect((await client.conversations.retrieve(ofDefault.id)).in_context_message_ids).toHaveLength(1);
  });

  test("empties an agent's context and keeps its messages", async (context) => {
    const { client, agentId, tell } = await connect(dialect, context);
    await tell(agentId, "a");
    const before = await client.agents.retrieve(agentId);
    expect(before.message_ids).toHaveLength(3);
    const reset = await client.agents.messages.reset(agentId, { add_default_initial_messages: false });
    expect(reset?.message_ids).toEqual(before.message_ids?.slice(0, 1));
    expect(reset?.memory.blocks).toHaveLength(2);
    expect((await client.agents.messages.list(agentId)).items).toHaveLength(3);
  });

  test("streams unless it is told not to, and takes a stream up again by the message that began it", async (context) => {
    const { client, create } = await connect(dialect, context);
    const { id } = await create();
    const messages = [{ role: "user", content: "hi", otid: "mine" }];
    const read = async (path: string, body: Fields) => {
      const kinds: string[] = [];
      const stream = await client.post<AsyncIterable<{ message_type: string }>>(path, { body, stream: true });
      for await (const item of stream) kinds.push(item.message_type);
      return kinds;
    };
    const kinds = await read(`/v1/conversations/${id}/messages`, { messages, background: true });
    expect(kinds).toEqual(["ping", "assistant_message", "stop_reason", "usage_statistics"]);
    expect(await read(`/v1/conversations/${id}/stream`, { otid: "mine" })).toEqual(kinds);
    expect(await read(`/v1/conversations/${id}/stream`, { otid: "mine", starting_after: 1 })).toEqual(kinds.slice(1));
    await expect(client.post(`/v1/conversations/${id}/stream`, { body: {} })).rejects.toMatchObject(
      refusal(400, "No active runs found"),
    );
  });

  test("is told plainly what cannot be", async (context) => {
    const { client, agentId, create, tell } = await connect(dialect, context);
    const { id } = await create();
    const send = (place: string, body: Fields) => client.post(`/v1/conversations/${place}/messages`, { body });
    await expect(send(id, { messages: [], streaming: false })).rejects.toMatchObject(
      refusal(422, "^Messages must not"),
    );
    await expect(send(id, { streaming: false })).rejects.toMatchObject({ status: 422 });
    await expect(tell("default", "hi")).rejects.toMatchObject(refusal(400, "agent_id"));
    await expect(tell("nowhere", "hi")).rejects.toMatchObject(refusal(422, "conv-{uuid4}"));
    await expect(tell(`conv-${unknownId}`, "hi")).rejects.toMatchObject(refusal(404, "^Conversation not found"));
    await expect(tell(`agent-${unknownId}`, "hi")).rejects.toMatchObject(refusal(404, "^Agent with ID"));
    await expect(client.conversations.retrieve("default")).rejects.toMatchObject({ status: 422 });
    await expect(client.conversations.cancel(id)).rejects.toMatchObject(refusal(409, "nothing to cancel"));
    await expect(create({ isolated_block_labels: ["wrong"] })).rejects.toMatchObject(refusal(400, '"wrong"'));
    await expect(create({ model: "openai/none" })).rejects.toMatchObject(
      refusal(404, "^NOT_FOUND: Handle openai/none"),
    );
    await expect(create({ model: "none" })).rejects.toMatchObject(refusal(400, "provider/model"));
    await expect(create({ agent_id: `agent-${unknownId}` })).rejects.toMatchObject(refusal(404, "^Agent with ID"));
    await expect(client.post("/v1/conversations/", { body: {} })).rejects.toMatchObject({ status: 422 });
    const lost = { after: `message-${unknownId}` };
    await expect(client.agents.messages.list(agentId, lost)).rejects.toMatchObject(refusal(404, "^Message not found"));
  });
});

test.for(dialects)("%s: cancelling right after the end names the run that has ended", async (dialect, context) => {
  const { client, agentId, tell } = await connect(dialect, context);
  await expect(client.conversations.cancel(agentId)).rejects.toMatchObject(refusal(409, "nothing to cancel"));
  await tell(agentId, "hello");
  const [run] = (await client.runs.list({ agent_id: agentId, limit: 1 })).items;
  const cancelled = { [run?.id ?? ""]: "cancelled" };
  expect(await client.conversations.cancel(agentId)).toEqual(cancelled);
  expect(await client.conversations.cancel("default", { agent_id: agentId })).toEqual(cancelled);
  expect(await client.runs.retrieve(run?.id ?? "")).toMatchObject({ status: "completed", stop_reason: "end_turn" });
  expect(await tell(agentId, "again")).toMatchObject({ messages: [{ content: "You said: again" }] });
});

test("a run is cancelled by its conversation, its sender told so, and the next message answered", async (context) => {
  const held = Promise.withResolvers<void>();
  const { client, create, tell, openai } = await connect("sqlite", context, { gate: () => held.promise });
  const { id } = await create();
  const waiting = tell(id, "slow");
  while (openai.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const cancelled = await client.conversations.cancel(id);
  expect(Object.entries(cancelled)).toEqual([[expect.stringMatching(/^run-/), "cancelled"]]);
  expect(await waiting).toMatchObject({ messages: [], stop_reason: { stop_reason: "cancelled" } });
  held.resolve();
  expect(await tell(id, "again")).toMatchObject({ messages: [{ content: "You said: again" }] });
});
