import { sql } from "kysely";
import { expect, type TestContext, test } from "vitest";
import type { Model, ModelRequest } from "../../model/model.ts";
import { holdUntil, say, scripted } from "../../model/scripted.ts";
import type { ToolCall, ToolReturn } from "../../shared/content.ts";
import {
  getDefaultConversation,
  insertConversation,
  replaceEntries,
  updateConversation,
} from "../../store/conversations/conversations.ts";
import { insertMessages, type Message, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { insertApproval } from "../../store/runs/approvals.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";
import { repairAgent } from "./repair-offline.ts";

const only = (model: Model) => ({ get: () => model });
const absent = "message-11111111-1111-4111-8111-111111111111";

const words = (text: string) => ({ content: [{ type: "text" as const, text }] });
const call = (id: string): ToolCall => ({ id, name: "conversation_search", arguments: "{}" });
const result = (callId: string): ToolReturn => ({
  callId,
  name: "conversation_search",
  status: "success",
  output: `found ${callId}`,
});

const answers = [say("Here I am."), say("Still here."), say("And again.")];

async function openAgent(dialect: DialectName, context: TestContext, replies = answers) {
  const model = scripted(replies);
  const world = await openWorld(dialect, context, { models: only(model) });
  const { agent } = await world.memoir.agents.create(world.actor, {
    model: "openai/gpt-4o-mini",
    blocks: [{ label: "human", value: "Name: Ada" }],
  });
  const conversation = await getDefaultConversation(world.scope, agent.id);
  const change = <R>(work: (scope: Scope) => Promise<R>) => world.store.write(world.actor.orgId, work);
  const origin = { agentId: agent.id, conversationId: conversation.id };
  /** Rows as an import might bring them. */
  const put = (...rows: (Pick<Message, "role"> & Partial<Message>)[]) =>
    change(async (scope) => {
      const messages = rows.map((row) => newMessage(scope, { ...origin, ...row }));
      await insertMessages(scope, messages);
      return messages.map(({ id }) => id);
    });
  const tell = async (text: string) => {
    const input = [{ role: "user" as const, ...words(text) }];
    const run = await world.memoir.messages.send(world.actor, agent.id, { messages: input });
    return await world.memoir.messages.complete(world.actor, run.id);
  };
  const examine = async () => (await world.memoir.repair.examine(world.actor, agent.id)).findings;
  const fix = () => world.memoir.repair.fix(world.actor, agent.id);
  return { ...world, model, agent, conversation, change, put, tell, examine, fix };
}

/** Every call has its result right behind it, and nothing else does. */
function expectSound(messages: ModelRequest["messages"]): void {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const calls = before?.role === "assistant" ? before.toolCalls.map(({ id }) => id) : [];
    expect(message.role === "tool" ? message.returns.map(({ callId }) => callId) : []).toEqual(calls);
    if (message.role !== "tool") expect(message.content.length + ("toolCalls" in message ? 1 : 0)).toBeGreaterThan(0);
  }
}

const kinds = (findings: readonly { readonly kind: string }[]) => findings.map(({ kind }) => kind);

test.for(dialects)("%s: a healthy agent has no findings, and a repair leaves it alone", async (dialect, context) => {
  const { tell, examine, fix, memoir, actor, agent } = await openAgent(dialect, context);
  await tell("hello");
  const before = await memoir.agents.get(actor, agent.id);
  expect(await examine()).toEqual([]);
  expect(await fix()).toMatchObject({ findings: [], isFixed: false, remaining: [] });
  expect((await memoir.agents.get(actor, agent.id)).contextMessageIds).toEqual(before.contextMessageIds);
});

test.for(dialects)(
  "%s: every fault of a context is named, mended, and the model sees it sound",
  async (dialect, context) => {
    const { model, put, tell, examine, fix, scope, conversation } = await openAgent(dialect, context);
    await tell("first");
    const ids = await put(
      { role: "user", ...words("look it up") },
      { role: "assistant", content: [], toolCalls: [call("a"), call("b")] },
      { role: "tool", toolReturns: [result("a"), result("stranger")] },
      { role: "user", content: [{ type: "text", text: "" }] },
      { role: "tool", toolReturns: [result("lost")] },
      { role: "assistant", ...words("Looking twice."), toolCalls: [call("c"), call("d")] },
      { role: "tool", toolReturns: [result("c")] },
      { role: "tool", toolReturns: [result("d")] },
      { role: "assistant", content: null },
      { role: "assistant", ...words("May I?") },
      { role: "approval", content: [], toolCalls: [call("e")] },
      { role: "user", ...words("never mind") },
      { role: "assistant", ...words("One more."), toolCalls: [call("f")] },
    );
    const findings = await examine();
    expect(findings.map(({ kind, messageId, callIds }) => [kind, ids.indexOf(messageId ?? ""), ...callIds])).toEqual([
      ["empty-message", 3],
      ["empty-message", 8],
      ["orphan-result", 2, "stranger"],
      ["orphan-result", 4, "lost"],
      ["unanswered-call", 1, "b"],
      ["split-results", 7, "d"],
      ["stuck-approval", 10, "e"],
      ["unanswered-call", 12, "f"],
    ]);
    const stored = await listRows(scope, conversation.id);
    const report = await fix();
    expect(report).toMatchObject({ isFixed: true, remaining: [] });
    expect(report.findings).toEqual(findings);
    expect(await examine()).toEqual([]);
    // What was there is there as it was; only results were added.
    const after = await listRows(scope, conversation.id);
    expect(after.slice(0, stored.length)).toEqual(stored);
    expect(after.slice(stored.length).every(({ role }) => role === "tool")).toBe(true);

    await tell("go on");
    const seen = model.requests.at(-1)?.messages ?? [];
    expectSound(seen);
    const text = JSON.stringify(seen);
    for (const kept of ["first", "look it up", "found a", "found c", "found d", "never mind", "One more.", "go on"]) {
      expect(text).toContain(kept);
    }
    expect(text).toContain("No result of conversation_search was kept");
    expect(text).not.toMatch(/stranger|found lost/);
    expect(seen.at(-1)).toMatchObject({ role: "user" });
  },
);

async function listRows(scope: Scope, conversationId: string) {
  return await scope
    .select("message")
    .select(["id", "role", "content", "tool_calls", "tool_returns", "in_context", "updated_at"])
    .where("conversation_id", "=", conversationId)
    .where("role", "<>", "system")
    .orderBy("seq")
    .execute();
}

test.for(dialects)("%s: without a repair the model sees a sound sequence all the same", async (dialect, context) => {
  const { model, put, tell } = await openAgent(dialect, context);
  await put(
    { role: "tool", toolReturns: [result("lost")] },
    { role: "user", content: [] },
    { role: "assistant", content: [], toolCalls: [call("a")] },
  );
  expect((await tell("hello")).reason).toBe("end_turn");
  expectSound(model.requests[0]?.messages ?? []);
});

test.for(dialects)("%s: a repair during a turn loses nothing of that turn", async (dialect, context) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const replies = [holdUntil(held, say("the answer")), say("later")];
  const { model, put, tell, fix, examine } = await openAgent(dialect, context, replies);
  await put({ role: "tool", toolReturns: [result("lost")] });
  const answered = tell("the question");
  while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await fix();
  release();
  expect((await answered).reason).toBe("end_turn");
  await tell("the next question");
  const seen = JSON.stringify(model.requests.at(-1)?.messages);
  for (const kept of ["the question", "the answer", "the next question"]) expect(seen).toContain(kept);
  expect(await examine()).toEqual([]);
});

test.for(dialects)("%s: an approval that can still be given is left alone", async (dialect, context) => {
  const { put, tell, examine, change } = await openAgent(dialect, context);
  const { run } = await tell("hello");
  const [id] = await put({ role: "approval", content: [], toolCalls: [call("e")], runId: run.id });
  expect(kinds(await examine())).toEqual(["stuck-approval"]);
  const asked = { callId: "e", isClient: false, hash: "" };
  const ids = { stepId: "step-1", messageId: "message-1", resultsMessageId: "message-2" };
  await change((scope) =>
    insertApproval(scope, {
      id: id ?? "",
      agentId: run.agentId,
      conversationId: run.conversationId,
      runId: run.id,
      question: { ...ids, toolCalls: [call("e")], asked: [asked], called: [], inputIds: [] },
      answers: [],
      resumedBy: null,
      expiresAt: Number.MAX_SAFE_INTEGER,
      createdAt: 0,
      endedAt: null,
    }),
  );
  expect(await examine()).toEqual([]);
  await put({ role: "user", ...words("something else") });
  expect(kinds(await examine())).toEqual(["stuck-approval"]);
});

test.for(dialects)("%s: an approval that was given and carried out is no fault", async (dialect, context) => {
  const { put, examine } = await openAgent(dialect, context);
  await put(
    { role: "assistant", ...words("Both."), toolCalls: [call("a")] },
    { role: "approval", content: [], toolCalls: [call("b")] },
    { role: "approval", approvals: [{ type: "approval", tool_call_id: "b", approve: true }] },
    { role: "tool", toolReturns: [result("b"), result("a")] },
  );
  expect(await examine()).toEqual([]);
});

test.for(dialects)(
  "%s: a conversation without its system message or summary gets what it needs and answers",
  async (dialect, context) => {
    const { model, tell, examine, fix, change, conversation, memoir, actor, agent } = await openAgent(dialect, context);
    await tell("hello");
    await change((scope) =>
      updateConversation(scope, conversation.id, { systemMessageId: absent, summaryMessageId: absent }),
    );
    expect(kinds(await examine())).toEqual(["missing-system-message", "missing-summary"]);
    expect((await tell("anybody there?")).reason).toBe("end_turn");
    await fix();
    expect(await examine()).toEqual([]);
    const [first] = (await memoir.agents.get(actor, agent.id)).contextMessageIds;
    expect(first).not.toBe(absent);
    expect((await tell("still there?")).reason).toBe("end_turn");
    expect(model.requests.at(-1)?.system).toContain("Name: Ada");
    expect(model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  },
);

test.for(dialects)("%s: conversations beside the default one are looked at too", async (dialect, context) => {
  const { put, examine, fix, change, agent } = await openAgent(dialect, context);
  const other = await change((scope) =>
    insertConversation(scope, {
      id: scope.newId("conv"),
      agentId: agent.id,
      isDefault: false,
      systemMessageId: null,
      createdBy: null,
    }),
  );
  await put({ role: "assistant", toolCalls: [call("a")], conversationId: other.id });
  expect((await examine()).map(({ kind, conversationId }) => [kind, conversationId])).toEqual([
    ["missing-system-message", other.id],
    ["unanswered-call", other.id],
  ]);
  expect(await fix()).toMatchObject({ isFixed: true, remaining: [] });
});

test.for(dialects)("%s: an agent without a conversation gets one and answers", async (dialect, context) => {
  const { model, tell, examine, fix, change, agent } = await openAgent(dialect, context);
  await change((scope) => scope.delete("conversation").where("agent_id", "=", agent.id).execute());
  expect(kinds(await examine())).toEqual(["missing-conversation"]);
  await fix();
  expect(await examine()).toEqual([]);
  expect((await tell("hello")).reason).toBe("end_turn");
  expect(model.requests[0]?.system).toContain("Name: Ada");
});

test.for(dialects)(
  "%s: an open run that nobody can work on is ended, and the next message answered",
  async (dialect, context) => {
    const { tell, examine, fix, change, scope, memoir, actor } = await openAgent(dialect, context);
    const ended = (await tell("hello")).run;
    const junk = (await tell("again")).run;
    await change(async (tx) => {
      // Its log has its end, its row has not.
      await tx.update("run").set({ ended_at: null, status: "running" }).where("id", "=", ended.id).execute();
      await tx.delete("run_event").where("run_id", "=", junk.id).execute();
      await tx
        .update("run")
        .set({ ended_at: null, status: "created", request: "{}" })
        .where("id", "=", junk.id)
        .execute();
    });
    const findings = await examine();
    expect(findings.map(({ kind, runId }) => [kind, runId])).toEqual([
      ["unworkable-run", ended.id],
      ["unworkable-run", junk.id],
    ]);
    await fix();
    expect(await examine()).toEqual([]);
    expect(await memoir.runs.get(actor, ended.id)).toMatchObject({ status: "completed", stopReason: "end_turn" });
    expect(await memoir.runs.get(actor, junk.id)).toMatchObject({ status: "failed", stopReason: "error" });
    const log = await scope.select("run_event").select("type").where("run_id", "=", junk.id).execute();
    expect(log).toEqual([{ type: "run-end" }]);
    expect((await tell("and now?")).reason).toBe("end_turn");
  },
);

test.for(dialects)("%s: a run that only waits for its turn is left alone", async (dialect, context) => {
  const { tell, examine, change } = await openAgent(dialect, context);
  const { run } = await tell("hello");
  await change(async (tx) => {
    await tx.delete("run_event").where("run_id", "=", run.id).execute();
    await tx.update("run").set({ ended_at: null, status: "created" }).where("id", "=", run.id).execute();
  });
  expect(await examine()).toEqual([]);
});

test("a context that names messages which are gone is told about them", async (context) => {
  const world = await openAgent("sqlite", context);
  const { tell, examine, fix, change, store, conversation, memoir, actor, agent } = world;
  await tell("hello");
  const { contextMessageIds } = await memoir.agents.get(actor, agent.id);
  await change((tx) => replaceEntries(tx, conversation, contextMessageIds.slice(1)));
  await sql`pragma foreign_keys = off`.execute(store.unscoped);
  const gone = contextMessageIds[1] ?? "";
  await store.unscoped.deleteFrom("message").where("id", "=", gone).execute();
  await sql`pragma foreign_keys = on`.execute(store.unscoped);
  expect((await examine()).map(({ kind, messageId }) => [kind, messageId])).toEqual([["missing-message", gone]]);
  await fix();
  expect(await examine()).toEqual([]);
  expect((await memoir.agents.get(actor, agent.id)).contextMessageIds).not.toContain(gone);
  expect((await tell("still there?")).reason).toBe("end_turn");
});

test.for(dialects)(
  "%s: the database is repaired from outside, by id or name, beside a server at work",
  async (dialect, context) => {
    const { model, put, tell, examine, database, agent } = await openAgent(dialect, context);
    await tell("hello");
    await put(
      { role: "tool", toolReturns: [result("lost")] },
      { role: "assistant", content: [], toolCalls: [call("a")] },
    );
    const seen = await repairAgent({ database, agent: agent.name });
    expect(kinds(seen.findings)).toEqual(["orphan-result", "unanswered-call"]);
    expect(kinds(await examine())).toEqual(["orphan-result", "unanswered-call"]);
    expect(await repairAgent({ database, agent: agent.id, isFix: true })).toMatchObject({
      isFixed: true,
      remaining: [],
    });
    expect(await examine()).toEqual([]);
    await tell("go on");
    expectSound(model.requests.at(-1)?.messages ?? []);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("No result of conversation_search was kept");
    await expect(repairAgent({ database, agent: "nobody" })).rejects.toMatchObject({ code: "not-found" });
  },
);

test.for(dialects)("%s: nobody examines or repairs another organization's agent", async (dialect, context) => {
  const world = await openAgent(dialect, context);
  const { actor } = await openNeighbour(world);
  await expect(world.memoir.repair.examine(actor, world.agent.id)).rejects.toMatchObject({ code: "not-found" });
  await expect(world.memoir.repair.fix(actor, world.agent.id)).rejects.toMatchObject({ code: "not-found" });
});
