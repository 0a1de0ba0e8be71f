/** The official npm client, the overview of a context and its compaction. */
import type { ContextWire, MessageWire } from "@memoir/server/wire";
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { type DirectedOptions, startDirectedModels } from "../support/directed-models.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

type Fields = Readonly<Record<string, unknown>>;

async function connect(
  dialect: DialectName,
  context: TestContext,
  directions: DirectedOptions = {},
  settings: Fields = {},
) {
  const Letta = await loadClient(context);
  const { openai, providers } = await startDirectedModels(directions);
  const { url } = await startServer(dialect, context, { core: { providers } });
  const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
  const memory_blocks = [{ label: "human", value: "Name: Ada." }];
  const agent = await client.agents.create({ model: "openai/gpt-4o-mini", memory_blocks, ...settings });
  const say = (content: string, options: Fields = {}) =>
    client.agents.messages.create(agent.id, { messages: [{ role: "user", content }] }, options);
  const talk = async (count: number) => {
    for (let round = 1; round <= count; round++) await say(`question ${round}`);
  };
  const overview = (query: Fields = {}) => client.get<ContextWire>(`/v1/agents/${agent.id}/context`, { query });
  return { Letta, client, agent, agentId: agent.id, say, talk, overview, openai };
}

const whole = { compaction_settings: { mode: "all" } };
const newest = (items: readonly MessageWire[]) => items.at(-1);

function sumOf(overview: ContextWire): number {
  return Object.entries(overview).reduce(
    (sum, [key, value]) => sum + (/^num_tokens_/.test(key) ? Number(value) : 0),
    0,
  );
}

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("sees what an agent's context is made of, before and after it is made shorter", async (context) => {
    const { client, agentId, talk, overview } = await connect(dialect, context);
    await talk(4);
    const before = await overview();
    expect(before.context_window_size_current).toBe(sumOf(before));
    expect(before).toMatchObject({
      num_messages: 9,
      num_recall_memory: 9,
      num_archival_memory: 0,
      summary_memory: null,
    });
    expect(before.core_memory).toContain("Name: Ada.");
    const answer = await client.agents.messages.compact(agentId, whole);
    expect(answer).toEqual({
      summary: expect.stringContaining("question 1"),
      num_messages_before: 9,
      num_messages_after: 2,
    });
    const after = await overview();
    expect(after.context_window_size_current).toBe(sumOf(after));
    expect(after).toMatchObject({ num_messages: 2, num_recall_memory: 10, num_tokens_messages: 0 });
    expect(after.summary_memory).toContain("The following is a summary of the previous ");
    expect(after.messages.map(({ role }) => role)).toEqual(["system", "summary"]);
    const { items } = await client.agents.messages.list(agentId);
    expect(items).toHaveLength(10);
    expect(newest(items)).toMatchObject({
      message_type: "user_message",
      otid: null,
      step_id: null,
      run_id: null,
      content: expect.stringMatching(/^\{\n {2}"type": "system_alert"/),
    });
    expect(await client.agents.messages.compact(agentId)).toEqual({ ...answer, num_messages_before: 2 });
  });

  test("makes conversations shorter, the default one under all its names", async (context) => {
    const { Letta, client, agentId, talk, overview } = await connect(dialect, context);
    const { id } = await client.conversations.create({ agent_id: agentId });
    for (const content of ["a", "b", "c"]) {
      const body = { messages: [{ role: "user", content }], streaming: false };
      await client.post(`/v1/conversations/${id}/messages`, { body });
    }
    expect(await client.conversations.messages.compact(id, whole)).toMatchObject({ num_messages_after: 2 });
    expect((await client.conversations.retrieve(id)).in_context_message_ids).toHaveLength(2);
    expect(await overview({ conversation_id: id })).toMatchObject({ num_messages: 2 });
    expect(await overview({ conversation_id: "default" })).toMatchObject({ num_messages: 1 });
    const refused = (promise: Promise<unknown>) => expect(promise).rejects.toBeInstanceOf(Letta.BadRequestError);
    await refused(client.conversations.messages.compact(id));
    await refused(client.conversations.messages.compact("default"));
    await talk(3);
    const byDefault = { ...whole, agent_id: agentId };
    expect(await client.conversations.messages.compact("default", byDefault)).toMatchObject({ num_messages_before: 7 });
    await talk(3);
    expect(await client.conversations.messages.compact(agentId, whole)).toMatchObject({ num_messages_before: 8 });
  });

  test("has to wait for a turn that is under way", async (context) => {
    const gate = Promise.withResolvers<void>();
    const held: string[] = [];
    const directions: DirectedOptions = { gate: () => (held.length > 0 ? gate.promise : Promise.resolve()) };
    const { client, agentId, say, talk, openai } = await connect(dialect, context, directions);
    await talk(2);
    held.push("from now on");
    const order: string[] = [];
    const said = say("slowly").then(() => order.push("said"));
    await expect.poll(() => openai.requests.length).toBe(3);
    const compacted = client.agents.messages.compact(agentId, whole).then((answer) => {
      order.push("compacted");
      return answer;
    });
    gate.resolve();
    await said;
    expect(await compacted).toMatchObject({ num_messages_before: 7, num_messages_after: 2 });
    expect(order).toEqual(["said", "compacted"]);
  });

  test("gets a summary without a model when the provider fails, and is told when the settings make no sense", async (context) => {
    const { Letta, client, agentId, say, overview } = await connect(dialect, context);
    await expect(say("hello\n!fail 429")).rejects.toBeInstanceOf(Letta.RateLimitError);
    await say("go on");
    const made = await client.agents.messages.compact(agentId, whole);
    expect(made).toMatchObject({ num_messages_before: 4, num_messages_after: 2 });
    expect(made.summary).toContain("No summary of what followed could be written");
    expect(await overview()).toMatchObject({ num_messages: 2, summary_memory: expect.stringContaining("go on") });
    for (const settings of [{ mode: "half" }, { sliding_window_percentage: 2 }, { archive_evicted: "yes" }]) {
      await expect(client.agents.messages.compact(agentId, { compaction_settings: settings })).rejects.toBeInstanceOf(
        Letta.UnprocessableEntityError,
      );
    }
    const unknown = "agent-00000000-0000-4000-8000-00000000dead";
    await expect(client.agents.messages.compact(unknown)).rejects.toBeInstanceOf(Letta.NotFoundError);
    await expect(client.get(`/v1/agents/${unknown}/context`)).rejects.toBeInstanceOf(Letta.NotFoundError);
    await expect(overview({ conversation_id: "nowhere" })).rejects.toBeInstanceOf(Letta.NotFoundError);
    await expect(overview({ conversation_id: unknown })).rejects.toBeInstanceOf(Letta.NotFoundError);
  });

  test("files what leaves the context where that is wanted, and is shown that it does", async (context) => {
    const archive = { compaction_settings: { archive_evicted: true, mode: "all" } };
    const { Letta, client, agent, agentId, talk, overview } = await connect(dialect, context, {}, archive);
    expect(agent.compaction_settings).toMatchObject({ archive_evicted: true });
    await talk(3);
    await client.agents.messages.compact(agentId);
    expect((await overview()).num_archival_memory).toBeGreaterThan(0);
    const update = (settings: Fields) => client.agents.update(agentId, { compaction_settings: settings });
    expect((await update({ clip_chars: 100 })).compaction_settings).toMatchObject({ archive_evicted: true });
    expect((await update({ archive_evicted: false })).compaction_settings).not.toHaveProperty("archive_evicted");
    await expect(update({ archive_evicted: 1 })).rejects.toBeInstanceOf(Letta.UnprocessableEntityError);
  });

  test("gets no notes to the agent in answers, and a summary where one was needed", async (context) => {
    const small = { context_window_limit: 6_000 };
    const { client, agentId, say } = await connect(dialect, context, {}, small);
    const answers: MessageWire[] = [];
    const long = "the kettle is on the stove ".repeat(60);
    for (let round = 1; round <= 12; round++) answers.push(...(await say(`${round} ${long}`)).messages);
    const types = new Set(answers.map(({ message_type }) => message_type));
    expect([...types].sort()).toEqual(["assistant_message", "user_message"]);
    const summary = answers.find(({ message_type }) => message_type === "user_message");
    expect(summary).toMatchObject({ otid: null, step_id: null, run_id: null });
    const { compaction_stats: stats } = JSON.parse(summary && "content" in summary ? String(summary.content) : "{}");
    expect(stats).toMatchObject({ trigger: "post_step_context_check", context_window: 6_000 });
    expect(stats.messages_count_after).toBeLessThan(stats.messages_count_before);
    const listed = await Array.fromAsync(client.agents.messages.list(agentId, { limit: 100 }));
    const notes = listed.filter(({ message_type }) => message_type === "system_message");
    expect(notes.length).toBeGreaterThan(1);
    expect(JSON.stringify(notes.at(-1))).toContain("system_alert");
  });
});
