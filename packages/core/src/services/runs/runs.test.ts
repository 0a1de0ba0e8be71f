import { describe, expect, type TestContext, test } from "vitest";
import type { Memoir } from "../../memoir.ts";
import type { ModelRequest } from "../../model/model.ts";
import { callTool, holdUntil, type ScriptedReply, say, scriptedByPosition } from "../../model/scripted.ts";
import { insertRun, type Run } from "../../store/runs/runs.ts";
import { insertStep } from "../../store/runs/steps.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";

type Script = Parameters<typeof scriptedByPosition>[0];

const echo: Script = () => say("ok");

async function open(dialect: DialectName, context: TestContext, script: Script = echo) {
  const model = scriptedByPosition(script);
  const world = await openWorld(dialect, context, { models: { get: () => model } });
  const { agent } = await world.createAgent({ blocks: [{ label: "human", value: "Name: unknown" }] });
  return { ...world, model, agentId: agent.id, ...verbs(world.memoir, agent.id) };
}

function verbs(memoir: Memoir, agentId: string) {
  const actor = memoir.defaultActor;
  const begin = (text: string, conversationId?: string, more: object = {}) => {
    const message = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }], ...more };
    return conversationId === undefined
      ? memoir.messages.send(actor, agentId, message)
      : memoir.messages.sendTo(actor, conversationId, message);
  };
  const tell = async (text: string, conversationId?: string, more?: object) => {
    const { id } = await begin(text, conversationId, more);
    await memoir.messages.complete(actor, id);
    return id;
  };
  const list = async (filter: Parameters<Memoir["runs"]["list"]>[1]["filter"], order: "asc" | "desc" = "asc") =>
    (await memoir.runs.list(actor, { filter, page: { limit: 100, order } })).map(({ run }) => run.id);
  return { begin, tell, list };
}

const lastUser = ({ messages }: ModelRequest) => {
  const users = messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
  return users.at(-1)?.flatMap((part) => ("text" in part ? [part.text] : []))[0];
};

describe.for(dialects)("%s", (dialect) => {
  test("a caller that waits for a run gets it as it is stored, with the time at which it ended", async (context) => {
    const gate = Promise.withResolvers<void>();
    const script: Script = (_, request): ScriptedReply => {
      if (lastUser(request) === "fail") return { failure: { code: "llm-error", message: "down", details: {} } };
      return lastUser(request) === "slow" ? holdUntil(gate.promise, say("ok")) : say("ok");
    };
    const { memoir, actor, model, begin } = await open(dialect, context, script);
    const check = async (id: string, status: Run["status"]) => {
      const { run } = await memoir.messages.complete(actor, id);
      expect(run).toEqual(await memoir.runs.get(actor, id));
      expect(run).toMatchObject({ status, endedAt: run.updatedAt, durationNs: expect.any(Number) });
    };
    await check((await begin("hello")).id, "completed");
    await check((await begin("fail")).id, "failed");
    const slow = await begin("slow");
    await expect.poll(() => model.requests.length).toBe(3);
    const queued = await begin("later");
    await memoir.runs.cancel(actor, queued.id);
    await check(queued.id, "cancelled");
    gate.resolve();
    await check(slow.id, "completed");
  });

  test("runs are found by agent, status, reason, conversation, tool, steps and duration", async (context) => {
    const script: Script = (position, request): ScriptedReply => {
      if (lastUser(request) === "fail") return { failure: { code: "llm-error", message: "down", details: {} } };
      const edit = { label: "human", old_string: "unknown", new_string: "Ada" };
      return position === 0 && lastUser(request) === "edit" ? callTool("memory_replace", edit) : say("ok");
    };
    const { memoir, actor, agentId, createAgent, tell, list } = await open(dialect, context, script);
    const other = await createAgent({});
    const conversation = await memoir.conversations.create(actor, agentId, {});
    const plain = await tell("hello");
    const failed = await tell("fail");
    const edited = await tell("edit", conversation.conversation.id, { isBackground: true });
    expect(await list({ agentIds: [agentId] })).toEqual([plain, failed, edited]);
    expect(await list({}, "desc")).toEqual([edited, failed, plain]);
    expect(await list({ agentIds: [other.agent.id] })).toEqual([]);
    expect(await list({ statuses: ["failed"] })).toEqual([failed]);
    expect(await list({ stopReason: "llm_api_error" })).toEqual([failed]);
    expect(await list({ isBackground: true })).toEqual([edited]);
    expect(await list({ conversation: { id: conversation.conversation.id } })).toEqual([edited]);
    expect(await list({ conversation: "default" })).toEqual([plain, failed]);
    expect(await list({ steps: { comparison: ">=", count: 2 } })).toEqual([edited]);
    expect(await list({ toolNames: ["memory_replace"] })).toEqual([edited]);
    expect(await list({ toolNames: ["memory_insert"] })).toEqual([]);
    expect(await list({ duration: { comparison: ">", ns: 0 } })).toHaveLength(3);
    const runs = await Promise.all([plain, failed, edited].map((id) => memoir.runs.get(actor, id)));
    const longest = Math.max(...runs.map(({ durationNs }) => durationNs ?? 0));
    const slowest = runs.filter(({ durationNs }) => durationNs === longest).map(({ id }) => id);
    expect(await list({ durationPercentile: 100 })).toEqual(slowest);
    expect(await list({ isOpen: true })).toEqual([]);
    const metrics = await memoir.runs.metrics(actor, edited);
    expect(metrics).toMatchObject({ steps: 2, run: { durationNs: expect.any(Number) } });
    expect(await list({ toolNames: metrics.toolIds })).toEqual([edited]);
    const views = await memoir.runs.list(actor, { page: { limit: 2, order: "desc" } });
    expect(views.map(({ isDefault }) => isDefault)).toEqual([false, true]);
    expect((await memoir.runs.view(actor, failed)).run.metadata).toMatchObject({ error: { code: "llm-error" } });
  });

  test("runs of one moment are listed once each, in both orders", async (context) => {
    const { memoir, actor, store, tell, list } = await open(dialect, context);
    const model = (await memoir.runs.get(actor, await tell("hello"))) satisfies Run;
    await store.write(actor.orgId, async (scope) => {
      for (let count = 0; count < 249; count++) await insertRun(scope, { ...model, id: scope.newId("run") });
    });
    for (const order of ["asc", "desc"] as const) {
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = { limit: 40, order, after };
        const found = (await memoir.runs.list(actor, { page })).map(({ run }) => run.id);
        if (found.length === 0) break;
        seen.push(...found);
        after = found.at(-1);
      }
      expect(seen).toHaveLength(250);
      expect(new Set(seen).size).toBe(250);
    }
    expect((await list({}))[0]).not.toBe((await list({}, "desc"))[0]);
  });

  test("usage is that of all steps, however many there are", async (context) => {
    const { memoir, actor, store, tell } = await open(dialect, context);
    const id = await tell("hello");
    const [step] = await memoir.steps.list(actor, { filter: { runId: id }, page: { limit: 1, order: "asc" } });
    if (!step) throw new Error("there is no step");
    await store.write(actor.orgId, async (scope) => {
      const more = { ...step, promptTokens: 10, completionTokens: 1, totalTokens: 11, cachedTokens: 4 };
      const seen = { systemHash: null, toolsHash: null, requestHash: null, trail: null };
      for (let count = 0; count < 120; count++) await insertStep(scope, { ...more, ...seen, id: scope.newId("step") });
    });
    const usage = await memoir.runs.usage(actor, id);
    expect(usage.steps).toBe(121);
    expect(usage.promptTokens - step.promptTokens).toBe(1200);
    expect(usage.totalTokens - step.totalTokens).toBe(1320);
    expect((usage.cachedTokens ?? 0) - (step.cachedTokens ?? 0)).toBe(480);
    const newest = await memoir.runs.steps(actor, id, { limit: 2, order: "desc" });
    const rest = await memoir.runs.steps(actor, id, { limit: 200, order: "desc", after: newest.at(-1)?.id });
    expect(rest).toHaveLength(119);
    expect(rest.at(-1)?.id).toBe(step.id);
  });

  test("cancelling an agent's runs reaches all conversations; what was said stays", async (context) => {
    const gate = Promise.withResolvers<void>();
    const script: Script = (_, request) =>
      lastUser(request) === "wait" ? holdUntil(gate.promise, say("late")) : say("ok");
    const { memoir, actor, agentId, begin, tell, model } = await open(dialect, context, script);
    const { conversation } = await memoir.conversations.create(actor, agentId, {});
    await expect(memoir.runs.cancelOfAgent(actor, agentId)).rejects.toMatchObject({ code: "conflict" });
    const [first, second] = [await begin("wait"), await begin("wait", conversation.id)];
    while (model.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect((await memoir.runs.cancelOfAgent(actor, agentId)).toSorted()).toEqual([first.id, second.id].toSorted());
    for (const { id } of [first, second]) {
      expect(await memoir.runs.get(actor, id)).toMatchObject({ status: "cancelled", stopReason: "cancelled" });
    }
    expect(await memoir.runs.cancelOfAgent(actor, agentId, [first.id])).toEqual([first.id]);
    gate.resolve();
    await tell("go on", conversation.id);
    const page = { limit: 10, from: "newest" as const };
    const texts = (await memoir.messages.listOfConversation(actor, conversation.id, { page })).map(({ role }) => role);
    expect(texts).toEqual(["system", "user", "user", "assistant"]);
  });

  test("a deleted run takes its steps and messages along, and the next turn does not see them", async (context) => {
    const { memoir, actor, agentId, tell, model } = await open(dialect, context);
    const [gone, kept] = [await tell("forget me"), await tell("keep me")];
    await memoir.runs.delete(actor, gone);
    await expect(memoir.runs.get(actor, gone)).rejects.toMatchObject({ code: "not-found" });
    await expect(memoir.runs.delete(actor, gone)).rejects.toMatchObject({ code: "not-found" });
    const steps = await memoir.steps.list(actor, { filter: { agentId }, page: { limit: 10, order: "asc" } });
    expect(steps.map(({ runId }) => runId)).toEqual([kept]);
    await tell("what do you know?");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("forget me");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("keep me");
    expect(await memoir.messages.search(actor, { query: "forget", limit: 5 })).toEqual([]);
  });

  test("a run can be deleted while it works", async (context) => {
    const gate = Promise.withResolvers<void>();
    const { memoir, actor, begin, tell, model } = await open(dialect, context, (_, request) =>
      lastUser(request) === "wait" ? holdUntil(gate.promise, say("late")) : say("ok"),
    );
    const { id } = await begin("wait");
    while (model.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
    await memoir.runs.delete(actor, id);
    gate.resolve();
    await expect(memoir.runs.get(actor, id)).rejects.toMatchObject({ code: "not-found" });
    await tell("hello");
  });

  test("steps are rated, and found by what was thought of them", async (context) => {
    const { memoir, actor, tell } = await open(dialect, context);
    await tell("hello");
    await tell("again");
    const page = { limit: 10, order: "asc" as const };
    const find = async (filter: object) => (await memoir.steps.list(actor, { filter, page })).map(({ id }) => id);
    const [first, second] = await find({});
    if (!first || !second) throw new Error("there are no steps");
    const rated = await memoir.steps.rate(actor, first, { feedback: "positive", tags: ["a", "B"] });
    expect(rated).toMatchObject({ feedback: "positive", tags: ["a", "B"] });
    expect(await find({ hasFeedback: true })).toEqual([first]);
    expect(await find({ hasFeedback: false })).toEqual([second]);
    expect(await find({ feedback: "negative" })).toEqual([]);
    expect(await find({ tags: ["x", "B"] })).toEqual([first]);
    expect(await find({ tags: ["b"] })).toEqual([]);
    expect(await memoir.steps.rate(actor, first, { feedback: null })).toMatchObject({
      feedback: null,
      tags: ["a", "B"],
    });
    await expect(memoir.steps.rate(actor, "step-x", { feedback: null })).rejects.toMatchObject({ code: "not-found" });
  });

  test("another organization finds neither runs nor steps nor messages", async (context) => {
    const world = await open(dialect, context);
    const id = await world.tell("a secret plan");
    const [step] = await world.memoir.steps.list(world.actor, { page: { limit: 1, order: "asc" } });
    const { memoir, actor } = await openNeighbour(world);
    const page = { limit: 10, order: "asc" as const };
    expect(await memoir.runs.list(actor, { page })).toEqual([]);
    expect(await memoir.steps.list(actor, { page })).toEqual([]);
    expect(await memoir.messages.list(actor, { page: { limit: 10, from: "newest" } })).toEqual([]);
    expect(await memoir.messages.search(actor, { query: "secret plan", limit: 5 })).toEqual([]);
    for (const work of [
      () => memoir.runs.view(actor, id),
      () => memoir.runs.usage(actor, id),
      () => memoir.runs.metrics(actor, id),
      () => memoir.runs.delete(actor, id),
      () => memoir.steps.get(actor, step?.id ?? ""),
      () => memoir.messages.listOfRun(actor, id, { page: { limit: 10, from: "newest" } }),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: "not-found" });
    }
  });
});
