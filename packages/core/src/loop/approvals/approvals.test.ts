/** Calls that wait for an answer from outside: for someone's permission, or for a client that runs them. */
import { expect, onTestFinished, type TestContext, test } from "vitest";
import type { ConversationKey, Jobs } from "../../jobs/jobs.ts";
import type { MemoirOptions } from "../../memoir.ts";
import type { Model } from "../../model/model.ts";
import {
  afterSaying,
  callTool,
  callTools,
  failWith,
  holdUntil,
  type ScriptedReply,
  say,
  scripted,
} from "../../model/scripted.ts";
import type { NewAgent } from "../../services/agents/agent-create.ts";
import { startApprovalExpiry } from "../../services/approvals/approval-expiry.ts";
import type { SendMessage } from "../../services/messages/send-message.ts";
import type { ApprovalAnswer } from "../../shared/approval.ts";
import type { PromptMessage, ToolDefinition } from "../../shared/content.ts";
import { silentLog } from "../../shared/log.ts";
import type { ToolRule } from "../../shared/tool-rules.ts";
import { dropOpenApproval } from "../../store/runs/approvals.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openWorld } from "../../testing/worlds.ts";
import type { HostTool } from "../../tools/executors/host.ts";
import type { Loop } from "../loop.ts";

const only = (model: Model) => ({ get: () => model });
const approval = (tool: string): ToolRule => ({ type: "approval", tool });
const approve = (callId: string): ApprovalAnswer => ({ callId, type: "approve" });
const deny = (callId: string, reason: string | null): ApprovalAnswer => ({ callId, type: "deny", reason });
const give = (callId: string, output: string): ApprovalAnswer => ({
  callId,
  type: "return",
  status: "success",
  output,
});

const clipboard: ToolDefinition = {
  name: "read_clipboard",
  description: "Reads the clipboard.",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
};

const input = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });

interface Given {
  readonly script: readonly ScriptedReply[];
  readonly rules?: readonly ToolRule[];
  readonly tools?: readonly string[];
  readonly options?: Partial<MemoirOptions>;
  readonly agent?: Partial<NewAgent>;
}

async function openAgent(dialect: DialectName, context: TestContext, request: Given) {
  const calls: { tool: string; args: object }[] = [];
  const tool = (name: string): HostTool => ({
    name,
    description: `Does ${name}.`,
    parameters: {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    },
    effect: "unsafe",
    run: (args) => {
      calls.push({ tool: name, args });
      return `${name} did it`;
    },
  });
  const model = scripted(request.script);
  const tools = ["send_mail", "look_up", "delete_all"].map(tool);
  const world = await openWorld(dialect, context, { models: only(model), tools, ...request.options });
  const { memoir, actor } = world;
  const { agent } = await memoir.agents.create(actor, {
    model: "openai/gpt-4o-mini",
    parallelToolCalls: true,
    blocks: [{ label: "human", value: "Name: unknown" }],
    tools: ["send_mail", "look_up", "delete_all"],
    includeBaseTools: false,
    toolRules: request.rules ?? [approval("send_mail"), approval("delete_all")],
    ...request.agent,
  });
  const send = (message: Partial<SendMessage>) => memoir.messages.send(actor, agent.id, { messages: [], ...message });
  const complete = async (message: Partial<SendMessage>) =>
    await memoir.messages.complete(actor, (await send(message)).id);
  return {
    ...world,
    agent,
    model,
    calls,
    send,
    complete,
    tell: (text: string, more: Partial<SendMessage> = {}) => complete({ messages: [input(text)], ...more }),
    answer: (answers: readonly ApprovalAnswer[], more: Partial<SendMessage> = {}) =>
      complete({ approval: { answers }, ...more }),
    asked: async () => await memoir.approvals.list(actor, { agentId: agent.id }, { limit: 10, order: "desc" }),
    history: async () =>
      await memoir.messages.listOfAgent(actor, agent.id, { page: { limit: 100, from: "oldest" } } as never),
  };
}

/** Every call has its result right behind it. */
function expectSound(messages: readonly PromptMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const called = before?.role === "assistant" ? before.toolCalls.map(({ id }) => id) : [];
    const returned = message.role === "tool" ? message.returns.map(({ callId }) => callId) : [];
    expect([...returned].sort()).toEqual([...called].sort());
  }
}

test.for(dialects)("%s: a guarded call waits, and runs once it is allowed", async (dialect, context) => {
  const script = [
    afterSaying("I will write.", callTool("send_mail", { text: "hi" }, { id: "call_a" })),
    say("Sent."),
    say("Yes?"),
  ];
  const { tell, answer, calls, model, asked } = await openAgent(dialect, context, { script });
  const first = await tell("write to Ada");
  expect(first).toMatchObject({ reason: "requires_approval", steps: 1, failure: undefined });
  expect(first.run).toMatchObject({ status: "completed", stopReason: "requires_approval" });
  expect(calls).toEqual([]);
  const [question, ...others] = first.messages;
  expect(others).toEqual([]);
  expect(question).toMatchObject({
    role: "approval",
    content: [{ text: "I will write." }],
    toolCalls: [{ id: "call_a", name: "send_mail" }],
  });
  expect(await asked()).toMatchObject([{ id: question?.id, runId: first.run.id, endedAt: null }]);

  const second = await answer([approve("call_a")]);
  expect(second).toMatchObject({ reason: "end_turn", steps: 1 });
  expect(second.run.id).not.toBe(first.run.id);
  expect(calls).toEqual([{ tool: "send_mail", args: { text: "hi" } }]);
  expect(second.messages[0]).toMatchObject({ role: "tool", stepId: question?.stepId, name: "send_mail" });
  expect(second.messages[0]?.toolReturns).toMatchObject([{ callId: "call_a", output: "send_mail did it" }]);
  expect(second.messages[1]).toMatchObject({ role: "assistant", runId: second.run.id });
  expect(await asked()).toEqual([]);
  const seen = model.requests[1]?.messages ?? [];
  expectSound(seen);
  // What was said before the call and the call are one message to the model.
  expect(seen.at(-2)).toMatchObject({
    role: "assistant",
    content: [{ text: "I will write." }],
    toolCalls: [{ id: "call_a" }],
  });
  await tell("are you there?");
  expectSound(model.requests[2]?.messages ?? []);
  expect(JSON.stringify(model.requests[2]?.messages)).toContain("send_mail did it");
});

test.for(dialects)("%s: a denied call does not run, and the model reads why", async (dialect, context) => {
  const script = [callTool("send_mail", { text: "hi" }, { id: "call_a" }), say("All right, I will not.")];
  const { tell, answer, calls, model, asked } = await openAgent(dialect, context, { script });
  await tell("write to Ada");
  const [question] = await asked();
  // The message that asks may stand for its only call.
  const result = await answer([deny(question?.id ?? "", "not now")]);
  expect(result.reason).toBe("end_turn");
  expect(calls).toEqual([]);
  expect(result.messages[0]?.toolReturns?.[0]).toMatchObject({
    status: "error",
    output: "Error: request to call tool denied. User reason: not now",
  });
  expectSound(model.requests[1]?.messages ?? []);
});

test.for(dialects)("%s: several calls are answered together, each in its own way", async (dialect, context) => {
  const script = [
    callTools([
      { name: "look_up", arguments: { text: "Ada" }, id: "call_free" },
      { name: "send_mail", arguments: { text: "hi" }, id: "call_mail" },
      { name: "delete_all", arguments: { text: "x" }, id: "call_delete" },
      { name: "read_clipboard", arguments: { n: 1 }, id: "call_clip" },
    ]),
    say("Done."),
  ];
  const { memoir, actor, tell, answer, calls, model, asked } = await openAgent(dialect, context, { script });
  const clientTools = [clipboard];
  const first = await tell("do all of it", { clientTools });
  expect(first.reason).toBe("requires_approval");
  expect(calls).toEqual([]);
  expect(
    first.messages.map(({ role, toolCalls }) => [role, toolCalls?.map(({ id, isAsked }) => [id, isAsked])]),
  ).toEqual([
    [
      "approval",
      [
        ["call_free", false],
        ["call_mail", undefined],
        ["call_delete", undefined],
        ["call_clip", undefined],
      ],
    ],
  ]);
  const [question] = await asked();
  expect(question?.question.asked.map(({ isClient }) => isClient)).toEqual([false, false, true]);
  const answers = [approve("call_mail"), deny("call_delete", null), give("call_clip", "clipboard text")];
  const second = await answer(answers, { clientTools });
  expect(second.reason).toBe("end_turn");
  expect(calls.map(({ tool }) => tool).sort()).toEqual(["look_up", "send_mail"]);
  const returns = second.messages[0]?.toolReturns ?? [];
  expect(returns.map(({ callId, status }) => [callId, status])).toEqual([
    ["call_delete", "error"],
    ["call_clip", "success"],
    ["call_free", "success"],
    ["call_mail", "success"],
  ]);
  expect(second.messages[0]?.name).toBe("look_up");
  // What a client returned can be long: the run has it, and the question keeps no second copy.
  expect(second.run.request.approval?.answers).toEqual(answers);
  const { answers: left, resumedBy } = await memoir.approvals.get(actor, question?.id ?? "");
  expect({ left, resumedBy }).toEqual({ left: [], resumedBy: second.run.id });
  expectSound(model.requests[1]?.messages ?? []);
});

test.for(dialects)("%s: answers have to be for what is asked, no more and no less", async (dialect, context) => {
  const script = [
    callTools([
      { name: "send_mail", arguments: { text: "1" }, id: "call_1" },
      { name: "send_mail", arguments: { text: "2" }, id: "call_2" },
    ]),
    say("Done."),
  ];
  const { tell, answer, asked } = await openAgent(dialect, context, { script });
  await expect(answer([approve("call_1")])).rejects.toMatchObject({ code: "approval-mismatch" });
  await tell("write twice");
  for (const answers of [
    [approve("call_1")],
    [approve("call_1"), approve("call_1")],
    [approve("call_1"), approve("call_2"), approve("call_3")],
    [approve("message-1")],
  ]) {
    await expect(answer(answers)).rejects.toMatchObject({
      code: "approval-mismatch",
      message: expect.stringContaining("Expected '['call_1', 'call_2']'"),
    });
  }
  await expect(answer([])).rejects.toMatchObject({ code: "invalid-argument" });
  const other = { ...approve("call_1"), hash: "0".repeat(64) };
  await expect(answer([other, approve("call_2")])).rejects.toMatchObject({ code: "conflict" });
  const hashes = (await asked())[0]?.question.asked.map(({ callId, hash }) => ({ ...approve(callId), hash }));
  expect((await answer(hashes ?? [])).reason).toBe("end_turn");
});

test.for(dialects)("%s: someone may change the arguments, if they still fit", async (dialect, context) => {
  const script = [callTool("send_mail", { text: "hi" }, { id: "call_a" }), say("Sent.")];
  const { tell, answer, calls, history } = await openAgent(dialect, context, { script });
  await tell("write to Ada");
  const edit = (args: string): ApprovalAnswer => ({ callId: "call_a", type: "approve", arguments: args });
  await expect(answer([edit('{"text": 1}')])).rejects.toMatchObject({ code: "invalid-input" });
  await expect(answer([edit("not json")])).rejects.toMatchObject({ code: "invalid-input" });
  const { messages } = await answer([edit('{"text":"dear Ada"}')]);
  expect(calls).toEqual([{ tool: "send_mail", args: { text: "dear Ada" } }]);
  expect(messages[0]?.toolReturns?.[0]?.output).toBe(
    '[The user changed the arguments to {"text":"dear Ada"}]\nsend_mail did it',
  );
  const question = (await history()).find(({ role, toolCalls }) => role === "approval" && toolCalls);
  expect(question?.toolCalls?.[0]?.arguments).toBe('{"text":"hi"}');
});

test("changed arguments may keep the heartbeat that older agents ask with, which the tool never sees", async (context) => {
  const script = [callTool("send_mail", { text: "hi", request_heartbeat: true }, { id: "call_a" }), say("Sent.")];
  const { tell, answer, calls } = await openAgent("sqlite", context, { script });
  await tell("write to Ada");
  await answer([{ callId: "call_a", type: "approve", arguments: '{"text":"dear Ada","request_heartbeat":true}' }]);
  expect(calls).toEqual([{ tool: "send_mail", args: { text: "dear Ada" } }]);
});

test.for(dialects)("%s: calls can be answered one by one, by whoever gets to it", async (dialect, context) => {
  const script = [
    callTools([
      { name: "send_mail", arguments: { text: "1" }, id: "call_1" },
      { name: "send_mail", arguments: { text: "2" }, id: "call_2" },
    ]),
    say("Done."),
  ];
  const { memoir, actor, tell, asked, calls } = await openAgent(dialect, context, { script });
  await tell("write twice");
  const id = (await asked())[0]?.id ?? "";
  await expect(memoir.approvals.answer(actor, id, [])).rejects.toMatchObject({ code: "invalid-input" });
  await expect(memoir.approvals.answer(actor, id, [approve("call_9")])).rejects.toMatchObject({
    code: "approval-mismatch",
  });
  const half = await memoir.approvals.answer(actor, id, [approve("call_1")]);
  expect(half).toMatchObject({ run: undefined, approval: { answers: [{ callId: "call_1" }], endedAt: null } });
  expect(calls).toEqual([]);
  // A second opinion comes too late.
  await memoir.approvals.answer(actor, id, [deny("call_1", "no!")]);
  const whole = await memoir.approvals.answer(actor, id, [deny("call_2", "once is enough")]);
  const result = await memoir.messages.complete(actor, whole.run?.id ?? "");
  expect(result.reason).toBe("end_turn");
  expect(calls).toEqual([{ tool: "send_mail", args: { text: "1" } }]);
  expect(whole.run?.isBackground).toBe(true);
  await expect(memoir.approvals.answer(actor, id, [approve("call_1")])).rejects.toMatchObject({
    code: "approval-mismatch",
  });
});

test.for(dialects)(
  "%s: nothing else can be said while an answer is awaited, until its time is over",
  async (dialect, context) => {
    const script = [callTool("send_mail", { text: "hi" }, { id: "call_a" }), say("I am here.")];
    const options = { approvalSeconds: 600 };
    const { memoir, actor, agent, tell, asked, calls, model, answer, store } = await openAgent(dialect, context, {
      script,
      options,
    });
    await tell("write to Ada");
    const [question] = await asked();
    expect(Math.round(((question?.expiresAt ?? 0) - (question?.createdAt ?? 0)) / 1e6)).toBe(600);
    await expect(tell("are you there?")).rejects.toMatchObject({
      code: "approval-pending",
      message: expect.stringContaining("waiting for approval"),
      details: { id: question?.id },
    });
    await expect(memoir.messages.compact(actor, { agentId: agent.id })).rejects.toMatchObject({
      code: "approval-pending",
    });
    await store.write(actor.orgId, (scope) => scope.update("approval").set({ expires_at: 0 }).execute());
    expect((await tell("are you there?")).reason).toBe("end_turn");
    expect(calls).toEqual([]);
    expect(await asked()).toEqual([]);
    expectSound(model.requests[1]?.messages ?? []);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("nobody answered in time");
    await expect(answer([approve("call_a")])).rejects.toMatchObject({ code: "approval-mismatch" });
  },
);

test.for(dialects)(
  "%s: what was sent before the question waits for the answer and comes after it",
  async (dialect, context) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const script = [
      holdUntil(held, callTool("send_mail", { text: "hi" }, { id: "call_a" })),
      say("Sent."),
      say("Second."),
    ];
    const { memoir, actor, send, answer, asked, model } = await openAgent(dialect, context, { script });
    const first = await send({ messages: [input("first")] });
    const second = await send({ messages: [input("second")] });
    release();
    expect((await memoir.messages.complete(actor, first.id)).reason).toBe("requires_approval");
    expect((await memoir.runs.get(actor, second.id)).status).toBe("created");
    expect(await asked()).toHaveLength(1);
    expect((await answer([approve("call_a")])).reason).toBe("end_turn");
    expect((await memoir.messages.complete(actor, second.id)).reason).toBe("end_turn");
    const said = JSON.stringify(model.requests[2]?.messages);
    expect(said.indexOf("Sent.")).toBeLessThan(said.indexOf("second"));
    for (const { messages } of model.requests) expectSound(messages);
  },
);

test.for(dialects)("%s: a client that died blocks nobody: what waits goes on by itself", async (dialect, context) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const script = [holdUntil(held, callTool("read_clipboard", { n: 1 }, { id: "call_a" })), say("Second.")];
  const options = { clientToolSeconds: 0.2 };
  const { memoir, actor, send, model, openAnother } = await openAgent(dialect, context, { script, options });
  const first = await send({ messages: [input("first")], clientTools: [clipboard] });
  const second = await send({ messages: [input("second")] });
  release();
  expect((await memoir.messages.complete(actor, first.id)).reason).toBe("requires_approval");
  await new Promise((resolve) => setTimeout(resolve, 250));
  // A start looks for what has expired at once; a running server does so twice a minute.
  const other = await openAnother();
  expect((await other.messages.complete(actor, second.id)).reason).toBe("end_turn");
  expectSound(model.requests[1]?.messages ?? []);
});

test.for(dialects)(
  "%s: an agent whose question ran out of time no longer says that it waits",
  async (dialect, context) => {
    const script = [
      callTool("send_mail", { text: "1" }),
      callTool("send_mail", { text: "2" }),
      callTool("send_mail", { text: "3" }),
    ];
    const options = { approvalSeconds: 0.05 };
    const { memoir, actor, agent, tell, openAnother } = await openAgent(dialect, context, { script, options });
    const stopReason = async () => (await memoir.agents.get(actor, agent.id)).agent.lastStopReason;
    await tell("write");
    expect(await stopReason()).toBe("requires_approval");
    await new Promise((resolve) => setTimeout(resolve, 60));
    await openAnother();
    await expect.poll(stopReason).toBe("cancelled");
    await tell("write again");
    expect(await stopReason()).toBe("requires_approval");
    await memoir.conversations.reset(actor, { agentId: agent.id });
    expect(await stopReason()).toBe("cancelled");
  },
);

test.for(dialects)("%s: cancelling what waits denies it", async (dialect, context) => {
  const script = [
    callTool("send_mail", { text: "hi" }, { id: "call_a" }),
    say("Back."),
    callTool("send_mail", { text: "2" }),
    say("Ok."),
  ];
  const { memoir, actor, agent, tell, asked, calls, model } = await openAgent(dialect, context, { script });
  const { run } = await tell("write to Ada");
  expect(await memoir.runs.cancelOfAgent(actor, agent.id)).toEqual([run.id]);
  expect(await memoir.runs.get(actor, run.id)).toMatchObject({ status: "cancelled", stopReason: "cancelled" });
  expect((await memoir.agents.get(actor, agent.id)).agent.lastStopReason).toBe("cancelled");
  expect(await asked()).toEqual([]);
  expect((await tell("hello")).reason).toBe("end_turn");
  expectSound(model.requests[1]?.messages ?? []);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("the user cancelled the run");
  await tell("again");
  await memoir.conversations.cancel(actor, { agentId: agent.id });
  expect((await tell("hello")).reason).toBe("end_turn");
  expect(calls).toEqual([]);
  await expect(memoir.runs.cancelOfAgent(actor, agent.id)).rejects.toMatchObject({ code: "conflict" });
});

test.for(dialects)(
  "%s: rules hold across the question: a call that used up its limit is not asked again",
  async (dialect, context) => {
    const script = [
      callTool("send_mail", { text: "1" }, { id: "call_1" }),
      callTool("send_mail", { text: "2" }, { id: "call_2" }),
      say("Enough."),
    ];
    const rules: ToolRule[] = [approval("send_mail"), { type: "max-count", tool: "send_mail", limit: 1 }];
    const { tell, answer, calls, model } = await openAgent(dialect, context, { script, rules });
    expect((await tell("write")).reason).toBe("requires_approval");
    const second = await answer([approve("call_1")]);
    expect(second.reason).toBe("end_turn");
    expect(calls).toHaveLength(1);
    expect(model.requests[1]?.tools.map(({ name }) => name)).not.toContain("send_mail");
    expect(JSON.stringify(second.messages)).toContain("ToolConstraintError");
  },
);

test.for(dialects)(
  "%s: a tool that ends the run does so after it was allowed, not after it was denied",
  async (dialect, context) => {
    const script = [
      callTool("send_mail", { text: "1" }, { id: "call_1" }),
      callTool("send_mail", { text: "2" }, { id: "call_2" }),
      say("Then not."),
    ];
    const rules: ToolRule[] = [approval("send_mail"), { type: "exit", tool: "send_mail" }];
    const { tell, answer } = await openAgent(dialect, context, { script, rules });
    await tell("write");
    expect((await answer([approve("call_1")])).reason).toBe("tool_rule");
    await tell("write again");
    expect((await answer([deny("call_2", null)])).reason).toBe("end_turn");
  },
);

test.for(dialects)("%s: what is said together with the answer is answered too", async (dialect, context) => {
  const script = [callTool("send_mail", { text: "1" }, { id: "call_1" }), say("Sent, and hello.")];
  const rules: ToolRule[] = [approval("send_mail"), { type: "exit", tool: "send_mail" }];
  const { tell, answer, model, history } = await openAgent(dialect, context, { script, rules });
  await tell("write");
  const result = await answer([approve("call_1")], { messages: [input("and say hello")], maxSteps: 1 });
  expect(result.messages.map(({ role }) => role)).toEqual(["tool", "assistant"]);
  const seen = model.requests[1]?.messages ?? [];
  expectSound(seen);
  expect(seen.at(-1)).toMatchObject({ role: "user", content: [{ text: "and say hello" }] });
  expect((await history()).filter(({ role }) => role === "user").map(({ content }) => content)).toHaveLength(2);
});

test.for(dialects)("%s: an answer whose run fails leaves everything in order", async (dialect, context) => {
  const script = [
    callTool("send_mail", { text: "1" }, { id: "call_1" }),
    failWith("llm-error", "no"),
    say("Back again."),
  ];
  const { tell, answer, model, calls } = await openAgent(dialect, context, { script });
  await tell("write");
  const failed = await answer([approve("call_1")], { messages: [input("and say hello")] });
  expect(failed.reason).toBe("llm_api_error");
  expect(calls).toHaveLength(1);
  expect((await tell("hello?")).reason).toBe("end_turn");
  const seen = model.requests.at(-1)?.messages ?? [];
  expectSound(seen);
  expect(JSON.stringify(seen)).toContain("and say hello");
});

test.for(dialects)("%s: an answer sent twice happens once", async (dialect, context) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const script = [
    callTool("send_mail", { text: "1" }, { id: "call_1" }),
    holdUntil(held, say("Sent.")),
    say("Waving."),
    say("Still here."),
    say("And hello."),
  ];
  const { memoir, actor, tell, send, answer, calls, model } = await openAgent(dialect, context, { script });
  await tell("write");
  const reply = { approval: { answers: [approve("call_1")] } };
  const first = await send(reply);
  const second = await send(reply);
  expect(second.id).toBe(first.id);
  const withMore = await send({ ...reply, messages: [input("and wave")] });
  expect(withMore.id).not.toBe(first.id);
  release();
  await memoir.messages.complete(actor, first.id);
  expect((await memoir.messages.complete(actor, withMore.id)).reason).toBe("end_turn");
  expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("and wave");
  const third = await answer([approve("call_1")]);
  expect(third.reason).toBe("end_turn");
  expect(JSON.stringify(model.requests[3]?.messages.at(-1))).toContain("keep-alive");
  await answer([approve("call_1")], { messages: [input("hello")] });
  expect(JSON.stringify(model.requests[4]?.messages.at(-1))).toContain("hello");
  expect(calls).toHaveLength(1);
});

test.for(dialects)("%s: the same request made again finds the first run", async (dialect, context) => {
  const script = [say("One."), say("Two."), say("Three.")];
  const { tell, model } = await openAgent(dialect, context, { script });
  const named = { messages: [{ ...input("hello"), otid: "otid-1" }] };
  const first = await tell("", named);
  expect((await tell("", named)).run.id).toBe(first.run.id);
  expect((await tell("", named)).messages).toEqual(first.messages);
  const keyed = await tell("hi", { key: "key-1" });
  expect((await tell("hi", { key: "key-1" })).run.id).toBe(keyed.run.id);
  await expect(tell("something else", { key: "key-1" })).rejects.toMatchObject({ code: "conflict" });
  expect(model.requests).toHaveLength(2);
});

test.for(dialects)("%s: a client's tools stand in for the agent's, for one request", async (dialect, context) => {
  const script = [callTool("look_up", { n: 1 }, { id: "call_a" }), say("Found."), say("Hello.")];
  const { tell, answer, calls, model } = await openAgent(dialect, context, { script });
  const clientTools = [{ ...clipboard, name: "look_up", description: "The client's own." }];
  const clientSkills = [{ name: "pdf", description: "Reads PDF files.", location: "/skills/pdf.md" }];
  expect((await tell("look", { clientTools, clientSkills })).reason).toBe("requires_approval");
  expect(model.requests[0]?.tools.filter(({ name }) => name === "look_up")).toMatchObject([
    { description: "The client's own." },
  ]);
  expect(model.requests[0]?.system).toContain("/skills/pdf.md");
  const { messages } = await answer([give("call_a", "from the client")]);
  expect(messages[0]).toMatchObject({ name: null, toolReturns: [{ output: "from the client", status: "success" }] });
  expect(calls).toEqual([]);
  expect(model.requests[1]?.system).not.toContain("/skills/pdf.md");
  // Allowing it is not doing it.
  await tell("and now?");
});

test.for(dialects)(
  "%s: a client's tool that is only allowed gives an error the model can read",
  async (dialect, context) => {
    const script = [callTool("read_clipboard", { n: 1 }, { id: "call_a" }), say("I see.")];
    const { tell, answer } = await openAgent(dialect, context, { script });
    await tell("look", { clientTools: [clipboard] });
    const { messages, reason } = await answer([approve("call_a")], { clientTools: [clipboard] });
    expect(reason).toBe("end_turn");
    expect(messages[0]?.toolReturns?.[0]).toMatchObject({ status: "error", output: expect.stringContaining("client") });
  },
);

test.for(dialects)("%s: what a reset or a repair takes away is waited for no more", async (dialect, context) => {
  const script = [callTool("send_mail", { text: "1" }, { id: "call_1" }), say("Fresh.")];
  const { memoir, actor, agent, tell, asked } = await openAgent(dialect, context, { script });
  await tell("write");
  expect((await memoir.repair.examine(actor, agent.id)).findings).toEqual([]);
  await memoir.conversations.reset(actor, { agentId: agent.id });
  expect(await asked()).toEqual([]);
  expect((await tell("hello")).reason).toBe("end_turn");
});

test.for(dialects)("%s: an older kind of agent waits as well", async (dialect, context) => {
  const script = [
    callTool("send_mail", { text: "1", request_heartbeat: false, thinking: "hm" }, { id: "call_1" }),
    callTool("send_message", { message: "Sent.", thinking: "ok" }),
  ];
  const agent = { kind: "memgpt_v2_agent", includeBaseTools: true } as const;
  const { tell, answer, calls, model } = await openAgent(dialect, context, { script, agent });
  expect((await tell("write")).reason).toBe("requires_approval");
  const result = await answer([deny("call_1", "no")]);
  expect(result.reason).toBe("end_turn");
  expect(calls).toEqual([]);
  expectSound(model.requests[1]?.messages ?? []);
});

test.for(dialects)(
  "%s: an answer that is cancelled before it takes effect leaves nothing open",
  async (dialect, context) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const back = say("Back again.");
    const script = [callTool("send_mail", { text: "1" }, { id: "call_1" }), holdUntil(held, back), back];
    const { memoir, actor, tell, send, model, calls, history } = await openAgent(dialect, context, { script });
    await tell("write");
    const run = await send({ approval: { answers: [approve("call_1")] }, messages: [input("and say hello")] });
    await memoir.runs.cancel(actor, run.id);
    expect((await memoir.messages.complete(actor, run.id)).reason).toBe("cancelled");
    release();
    expect((await tell("hello?")).reason).toBe("end_turn");
    const seen = model.requests.at(-1)?.messages ?? [];
    expectSound(seen);
    expect(JSON.stringify(seen)).toContain("and say hello");
    expect(calls.length).toBeLessThanOrEqual(1);
    expect((await history()).filter(({ role }) => role === "tool")).toHaveLength(1);
  },
);

test.for(dialects)(
  "%s: a program that takes over goes on with the answer, and runs nothing twice",
  async (dialect, context) => {
    const script = [callTool("send_mail", { text: "1" }, { id: "call_1" }), say("Sent.")];
    const { memoir, actor, tell, model, calls, openAnother, asked, agent } = await openAgent(dialect, context, {
      script,
    });
    await tell("write");
    const [question] = await asked();
    await memoir.close();
    const other = await openAnother();
    const { run } = await other.approvals.answer(actor, question?.id ?? "", [approve("call_1")]);
    expect((await other.messages.complete(actor, run?.id ?? "")).reason).toBe("end_turn");
    expect(calls).toHaveLength(1);
    expectSound(model.requests[1]?.messages ?? []);
    expect(agent.id).toBe(run?.agentId);
  },
);

test.for(dialects)(
  "%s: a question that comes in the moment of a cancel is given up with it",
  async (dialect, context) => {
    let arrive: (() => void) | undefined;
    const gate = () =>
      new Promise<void>((resolve) => {
        arrive = resolve;
      });
    const rounds = 16;
    const script = Array.from({ length: rounds }, () => callTool("send_mail", { text: "hi" }, { gate }));
    const { memoir, actor, agent, send, asked, calls } = await openAgent(dialect, context, { script });
    for (let round = 0; round < rounds; round++) {
      const run = await send({ messages: [input("write")] });
      await expect.poll(() => arrive).toBeDefined();
      arrive?.();
      arrive = undefined;
      // The reply is on its way into the database, a little further each time.
      for (let turn = 0; turn < round; turn++) await new Promise(setImmediate);
      if (round % 2 === 0) await memoir.runs.cancelOfAgent(actor, agent.id, [run.id]);
      else await memoir.runs.cancel(actor, run.id);
      expect(await asked()).toEqual([]);
      expect(await memoir.runs.get(actor, run.id)).toMatchObject({ status: "cancelled" });
    }
    expect(calls).toEqual([]);
  },
);

test.for(dialects)("%s: what a client has done by then is kept when the rest is given up", async (dialect, context) => {
  const script = [
    callTools([
      { name: "look_up", arguments: { text: "a" }, id: "call_free" },
      { name: "read_clipboard", arguments: { n: 1 }, id: "call_done" },
      { name: "delete_all", arguments: { text: "b" }, id: "call_denied" },
      { name: "send_mail", arguments: { text: "c" }, id: "call_allowed" },
      { name: "send_mail", arguments: { text: "d" }, id: "call_open" },
    ]),
    say("I see."),
  ];
  const { memoir, actor, tell, asked, calls, model } = await openAgent(dialect, context, { script });
  const { run } = await tell("go", { clientTools: [clipboard] });
  const [question] = await asked();
  const answers = [give("call_done", "a poem"), deny("call_denied", "never"), approve("call_allowed")];
  await memoir.approvals.answer(actor, question?.id ?? "", answers);
  await memoir.runs.cancel(actor, run.id);
  expect((await tell("and?")).reason).toBe("end_turn");
  const results = model.requests[1]?.messages.find(({ role }) => role === "tool");
  const returns = new Map(results?.role === "tool" ? results.returns.map((item) => [item.callId, item]) : []);
  expect(returns.get("call_done")).toMatchObject({ status: "success", output: expect.stringContaining("a poem") });
  expect(returns.get("call_denied")?.output).toContain("never");
  for (const id of ["call_allowed", "call_open"])
    expect(returns.get(id)?.output).toContain("the user cancelled the run");
  expect(returns.get("call_free")).toMatchObject({ status: "error", output: expect.stringContaining("was not run") });
  expect(calls).toEqual([]);
});

test.for(dialects)(
  "%s: a context that is made shorter after an answer keeps what is asked of the agent",
  async (dialect, context) => {
    const script = [
      callTool("send_mail", { text: "1" }, { id: "call_1" }),
      callTool("send_mail", { text: "2" }, { id: "call_2" }),
      failWith("llm-context-exceeded", "too long"),
      say("A summary."),
      say("Done."),
    ];
    const { tell, answer, model } = await openAgent(dialect, context, { script });
    await tell("write to Ada and Grace");
    await answer([approve("call_1")], { messages: [input("and be kind")] });
    expect((await answer([approve("call_2")])).reason).toBe("end_turn");
    const seen = JSON.stringify(model.requests.at(-1)?.messages);
    expect(seen).toContain("write to Ada and Grace");
    expect(seen).toContain("and be kind");
  },
);

test.for(dialects)("%s: what waited behind a question that is taken away goes on", async (dialect, context) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ask = callTool("send_mail", { text: "1" });
  const script = [holdUntil(held, ask), ask, say("Third.")];
  const { memoir, actor, agent, send, store } = await openAgent(dialect, context, { script });
  const first = await send({ messages: [input("first")] });
  const second = await send({ messages: [input("second")] });
  const third = await send({ messages: [input("third")] });
  release();
  await memoir.messages.complete(actor, first.id);
  await memoir.conversations.reset(actor, { agentId: agent.id });
  expect((await memoir.messages.complete(actor, second.id)).reason).toBe("requires_approval");
  // By another program, say, of which this one hears nothing.
  await store.write(actor.orgId, (scope) => dropOpenApproval(scope, third.conversationId));
  const woken = await new Promise<string>((resolve) => {
    const jobs = { wake: ({ conversationId }: ConversationKey) => resolve(conversationId) } as Jobs;
    const expiry = startApprovalExpiry({ store, log: silentLog } as Loop, jobs);
    onTestFinished(() => expiry.stop());
  });
  expect(woken).toBe(third.conversationId);
});

test.for(dialects)("%s: a repair leaves a call alone that was allowed and is running", async (dialect, context) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isRunning = false;
  const tool: HostTool = {
    name: "send_mail",
    description: "Sends slowly.",
    parameters: { type: "object", properties: {} },
    effect: "unsafe",
    run: async () => {
      isRunning = true;
      await held;
      return "sent at last";
    },
  };
  const script = [callTool("send_mail", {}, { id: "call_1" }), say("Sent.")];
  const input = { script, options: { tools: [tool] }, agent: { tools: ["send_mail"] }, rules: [approval("send_mail")] };
  const { memoir, actor, agent, tell, answer, model } = await openAgent(dialect, context, input);
  await tell("write");
  const answered = answer([approve("call_1")]);
  await expect.poll(() => isRunning).toBe(true);
  expect((await memoir.repair.fix(actor, agent.id)).findings).toEqual([]);
  release();
  expect((await answered).reason).toBe("end_turn");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("sent at last");
  expect((await memoir.repair.examine(actor, agent.id)).findings).toEqual([]);
});
