/** Who is told of the end of steps: once for each, when it can be read, whatever way it ended. */
import { expect, type TestContext, test } from "vitest";
import type { MemoirOptions } from "../memoir.ts";
import { callTool, failWith, holdUntil, type ScriptedReply, say, scripted } from "../model/scripted.ts";
import type { ApprovalAnswer } from "../shared/approval.ts";
import type { Log } from "../shared/log.ts";
import { silentLog } from "../shared/log.ts";
import type { StepEnd } from "../shared/step-end.ts";
import { getStep } from "../store/runs/steps.ts";
import { type DialectName, dialects } from "../testing/databases.ts";
import { openWorld } from "../testing/worlds.ts";
import type { HostTool } from "../tools/executors/host.ts";

const mail: HostTool = {
  name: "send_mail",
  description: "Sends a mail.",
  parameters: { type: "object", properties: {} },
  effect: "unsafe",
  run: () => "sent",
};
const guarded = { toolRules: [{ type: "approval", tool: "send_mail" }] } as const;
const ask = callTool("send_mail", {}, { id: "call_a" });
const input = (text: string) => ({
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }],
});

async function open(
  dialect: DialectName,
  context: TestContext,
  script: readonly ScriptedReply[],
  options: Partial<MemoirOptions> = {},
) {
  const told: StepEnd[] = [];
  const model = scripted(script);
  const onStep = (step: StepEnd) => void told.push(step);
  const world = await openWorld(dialect, context, { models: { get: () => model }, tools: [mail], onStep, ...options });
  const { memoir, actor } = world;
  const create = async (more: object = {}) => {
    const input = { model: "openai/gpt-4o-mini", tools: ["send_mail"], includeBaseTools: false, ...more };
    return (await memoir.agents.create(actor, input)).agent;
  };
  const tell = async (agentId: string, text: string) =>
    await memoir.messages.complete(actor, (await memoir.messages.send(actor, agentId, input(text))).id);
  const answer = async (agentId: string, answers: readonly ApprovalAnswer[]) => {
    const run = await memoir.messages.send(actor, agentId, { messages: [], approval: { answers } });
    return await memoir.messages.complete(actor, run.id);
  };
  /** A message whose model call is under way. */
  const begin = async (agentId: string, text: string) => {
    const { length } = model.requests;
    const run = await memoir.messages.send(actor, agentId, input(text));
    while (model.requests.length === length) await new Promise((resolve) => setTimeout(resolve, 2));
    return run;
  };
  return { ...world, told, create, tell, answer, begin };
}

const shorten = (told: readonly StepEnd[]) => told.map(({ runId, status }) => ({ runId, status }));

test("every step of a run is told once, when it can be read", async (context) => {
  const rows: Promise<unknown>[] = [];
  const told: StepEnd[] = [];
  const world = await open("sqlite", context, [callTool("send_mail"), say("Done.")], {
    onStep: (step) => {
      told.push(step);
      rows.push(getStep(world.scope, step.id));
    },
  });
  const agent = await world.create();
  const { run } = await world.tell(agent.id, "write");
  const { id: runId, agentId, conversationId } = run;
  const each = { orgId: world.actor.orgId, agentId, conversationId, runId, status: "success" };
  expect(told).toMatchObject([each, each]);
  expect(await Promise.all(rows)).toMatchObject(told.map(({ id }) => ({ id, runId, status: "success" })));
});

test.for(dialects)("%s: a step that waits for an answer is told once it has it", async (dialect, context) => {
  const { told, create, tell, answer } = await open(dialect, context, [ask, say("Sent."), ask, say("Not sent.")]);
  const agent = await create(guarded);
  const first = await tell(agent.id, "write");
  expect(told).toEqual([]);
  const second = await answer(agent.id, [{ callId: "call_a", type: "approve" }]);
  expect(first.run.id).not.toBe(second.run.id);
  expect(shorten(told.splice(0))).toEqual([
    { runId: second.run.id, status: "success" },
    { runId: second.run.id, status: "success" },
  ]);
  await tell(agent.id, "again");
  expect(told).toEqual([]);
  await answer(agent.id, [{ callId: "call_a", type: "deny", reason: null }]);
  expect(told).toHaveLength(2);
  expect(new Set(told.map(({ id }) => id)).size).toBe(2);
});

test.for(dialects)(
  "%s: a question that is cancelled, or too late for an answer, ends its step",
  async (dialect, context) => {
    const script = [ask, ask, say("Hello.")];
    const { memoir, actor, told, create, tell } = await open(dialect, context, script, { approvalSeconds: 0.05 });
    const agent = await create(guarded);
    const cancelled = await tell(agent.id, "write");
    await memoir.runs.cancel(actor, cancelled.run.id);
    expect(shorten(told.splice(0))).toEqual([{ runId: cancelled.run.id, status: "success" }]);
    const late = await tell(agent.id, "write");
    await new Promise((resolve) => setTimeout(resolve, 60));
    const next = await tell(agent.id, "hello");
    expect(shorten(told)).toEqual([
      { runId: late.run.id, status: "success" },
      { runId: next.run.id, status: "success" },
    ]);
  },
);

test.for(dialects)("%s: steps that fail, are cancelled or taken up again say so", async (dialect, context) => {
  const never = new Promise(() => {});
  const script = [
    failWith("llm-insufficient-credits", "no"),
    holdUntil(never, say("never")),
    ...[ask, failWith("llm-insufficient-credits", "no")],
    ...[holdUntil(never, say("never")), say("After all.")],
  ];
  const world = await open(dialect, context, script);
  const { memoir, actor, told, create, tell, answer, begin } = world;
  const agent = await create(guarded);
  const failed = await tell(agent.id, "one");
  expect(shorten(told.splice(0))).toEqual([{ runId: failed.run.id, status: "failed" }]);

  const run = await begin(agent.id, "two");
  await memoir.runs.cancel(actor, run.id);
  expect(shorten(told)).toEqual([{ runId: run.id, status: "cancelled" }]);
  expect(await getStep(world.scope, told.splice(0)[0]?.id ?? "")).toMatchObject({ status: "cancelled" });

  await tell(agent.id, "three");
  const resumed = await answer(agent.id, [{ callId: "call_a", type: "approve" }]);
  expect(shorten(told.splice(0))).toEqual([
    { runId: resumed.run.id, status: "success" },
    { runId: resumed.run.id, status: "failed" },
  ]);

  const left = await begin(agent.id, "four");
  await memoir.close();
  expect(told).toEqual([]);
  const other = await world.openAnother();
  await other.messages.complete(actor, left.id);
  expect(shorten(told)).toEqual([{ runId: left.id, status: "success" }]);
});

test("a listener that fails or hangs is no matter of the run", async (context) => {
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (_, message) => void errors.push(message) };
  const listeners = [
    () => {
      throw new Error("no");
    },
    () => Promise.reject(new Error("no")),
    () => new Promise<void>(() => {}),
  ];
  const onStep = () => listeners.shift()?.();
  const script = [say("one"), say("two"), say("three")];
  const { create, tell } = await open("sqlite", context, script, { onStep, log });
  const agent = await create();
  for (const text of ["one", "two", "three"]) expect((await tell(agent.id, text)).reason).toBe("end_turn");
  expect(listeners).toEqual([]);
  expect(errors).toHaveLength(2);
});
