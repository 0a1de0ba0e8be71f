/** Tools that run outside the commit: the embedder's own functions. */
import { expect, type TestContext, test, vi } from "vitest";
import { Memoir, type MemoirOptions } from "../../memoir.ts";
import type { Model } from "../../model/model.ts";
import { callTool, callTools, type ScriptedReply, say, scripted, scriptedByPosition } from "../../model/scripted.ts";
import type { NewAgent } from "../../services/agents/agent-create.ts";
import type { JsonObject } from "../../shared/json.ts";
import {
  createDatabase,
  type DialectName,
  dialects,
  openTestMemoir,
  testEncryptionKey,
} from "../../testing/databases.ts";
import type { HostTool } from "../../tools/executors/host.ts";
import type { OutsideCall, ToolEffect } from "../../tools/tool.ts";

const only = (model: Model) => ({ get: () => model });

function hostTool(name: string, run: HostTool["run"], input: Partial<HostTool> = {}): HostTool {
  return {
    name,
    description: `Does ${name}.`,
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    effect: "unsafe",
    run,
    ...input,
  };
}

async function createAgent(memoir: Memoir, input: Partial<NewAgent> = {}): Promise<string> {
  const { agent } = await memoir.agents.create(memoir.defaultActor, {
    model: "openai/gpt-4o-mini",
    parallelToolCalls: true,
    blocks: [{ label: "human", value: "Name: unknown" }],
    ...input,
  });
  return agent.id;
}

async function send(memoir: Memoir, agentId: string, text: string) {
  return await memoir.messages.send(memoir.defaultActor, agentId, {
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  });
}

async function tell(memoir: Memoir, agentId: string, text: string) {
  return await memoir.messages.complete(memoir.defaultActor, (await send(memoir, agentId, text)).id);
}

async function eventTypes(memoir: Memoir, runId: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of memoir.messages.follow(memoir.defaultActor, runId)) types.push(type);
  return types;
}

test.for(dialects)(
  "%s: a function of the embedding program is called with checked arguments and its answer reaches the model",
  async (dialect, context) => {
    const calls: { args: JsonObject; call: OutsideCall }[] = [];
    const mail = hostTool("send_mail", (args, call) => {
      calls.push({ args, call });
      return { sent: true };
    });
    const model = scripted([callTool("send_mail", { text: "hi" }, { id: "call_a" }), say("Sent.")]);
    const memoir = await openTestMemoir(dialect, context, { models: only(model), tools: [mail] });
    const agentId = await createAgent(memoir, { tools: ["send_mail"] });
    const result = await tell(memoir, agentId, "write to Ada");
    expect(result.reason).toBe("end_turn");
    expect(calls).toHaveLength(1);
    expect(calls[0]?.args).toEqual({ text: "hi" });
    expect(calls[0]?.call).toMatchObject({ agentId, runId: result.run.id, callId: "call_a" });
    expect(result.messages[1]?.toolReturns?.[0]).toMatchObject({ status: "success", output: '{"sent":true}' });
    expect(model.requests[0]?.tools.find(({ name }) => name === "send_mail")?.description).toBe("Does send_mail.");
    expect(await eventTypes(memoir, result.run.id)).toEqual([
      "model-reply",
      "tool-start",
      "tool-result",
      "step-end",
      "model-reply",
      "step-end",
      "run-end",
    ]);
  },
);

test("arguments that do not fit never reach the function", async (context) => {
  const run = vi.fn();
  const model = scripted([callTool("send_mail", { text: 3 }), say("Sorry.")]);
  const memoir = await openTestMemoir("sqlite", context, {
    models: only(model),
    tools: [hostTool("send_mail", run)],
  });
  const result = await tell(memoir, await createAgent(memoir, { tools: ["send_mail"] }), "go");
  expect(run).not.toHaveBeenCalled();
  expect(result.messages[1]?.toolReturns?.[0]?.output).toMatch(/text must be string/);
});

test.for(dialects)("%s: patterns of a tool's schema are held against the model", async (dialect, context) => {
  const run = vi.fn(() => "sent");
  const text = { type: "string", pattern: "^[a-z]+@example\\.org$" };
  const parameters = { type: "object", properties: { text } };
  const calls = [callTool("send_mail", { text: "ada" }), callTool("send_mail", { text: "ada@example.org" })];
  const model = scripted([...calls, say("Done.")]);
  const tools = [hostTool("send_mail", run, { parameters })];
  const memoir = await openTestMemoir(dialect, context, { models: only(model), tools });
  const result = await tell(memoir, await createAgent(memoir, { tools: ["send_mail"] }), "go");
  expect(run).toHaveBeenCalledOnce();
  const outputs = result.messages.flatMap(({ toolReturns }) => toolReturns?.map(({ output }) => output) ?? []);
  expect(outputs).toEqual([expect.stringContaining("text must match pattern"), "sent"]);
});

test("a function that throws is an error the model can act on, and the run goes on", async (context) => {
  const broken = hostTool("send_mail", () => {
    throw new TypeError("no such mailbox");
  });
  const model = scripted([callTool("send_mail", { text: "hi" }), say("It failed.")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model), tools: [broken] });
  const result = await tell(memoir, await createAgent(memoir, { tools: ["send_mail"] }), "go");
  expect(result.reason).toBe("end_turn");
  expect(result.messages[1]?.toolReturns?.[0]).toMatchObject({
    status: "error",
    output: "Error executing function send_mail: TypeError: no such mailbox",
  });
});

test("a function that never answers is given up after its time, and told to stop", async (context) => {
  let signal: AbortSignal | undefined;
  const hanging = hostTool(
    "send_mail",
    (_, call) => {
      signal = call.signal;
      return new Promise(() => {});
    },
    { timeoutMs: 20 },
  );
  const model = scripted([callTool("send_mail", { text: "hi" }), say("It hangs.")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model), tools: [hanging] });
  const result = await tell(memoir, await createAgent(memoir, { tools: ["send_mail"] }), "go");
  expect(result.reason).toBe("end_turn");
  expect(result.messages[1]?.toolReturns?.[0]?.output).toMatch(/did not answer within 0.02 seconds/);
  expect(signal?.aborted).toBe(true);
});

test("calls that may run side by side do, others one after another, and results keep the calls' order", async (context) => {
  const trace: string[] = [];
  let arrived = 0;
  let open = () => {};
  const bothHere = new Promise<void>((resolve) => {
    open = resolve;
  });
  const lookUp = hostTool(
    "look_up",
    async ({ text }) => {
      if (++arrived === 2) open();
      await bothHere;
      trace.push(`look_up ${text}`);
      return String(text);
    },
    { isParallel: true, effect: "read" },
  );
  const write = hostTool("write_down", async ({ text }) => {
    trace.push(`begin ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    trace.push(`end ${text}`);
    return String(text);
  });
  const model = scripted([
    callTools([
      { name: "write_down", arguments: { text: "1" }, id: "w1" },
      { name: "look_up", arguments: { text: "2" }, id: "l1" },
      { name: "write_down", arguments: { text: "3" }, id: "w2" },
      { name: "look_up", arguments: { text: "4" }, id: "l2" },
    ]),
    say("ok"),
  ]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model), tools: [lookUp, write] });
  const result = await tell(memoir, await createAgent(memoir, { tools: ["look_up", "write_down"] }), "go");
  expect(trace.slice(0, 2).sort()).toEqual(["look_up 2", "look_up 4"]);
  expect(trace.slice(2)).toEqual(["begin 1", "end 1", "begin 3", "end 3"]);
  expect(result.messages[1]?.toolReturns?.map(({ callId }) => callId)).toEqual(["w1", "l1", "w2", "l2"]);
});

test.for(dialects)("%s: cancelling reaches the function, and what was done stays done", async (dialect, context) => {
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const signals: AbortSignal[] = [];
  const hanging = hostTool("send_mail", (_, { signal }) => {
    signals.push(signal);
    begun();
    return new Promise(() => {});
  });
  const model = scripted([
    callTools([
      { name: "memory_replace", arguments: { label: "human", old_string: "unknown", new_string: "Ada" }, id: "m" },
      { name: "send_mail", arguments: { text: "a" }, id: "a" },
      { name: "send_mail", arguments: { text: "b" }, id: "b" },
    ]),
    say("Here again."),
  ]);
  const memoir = await openTestMemoir(dialect, context, { models: only(model), tools: [hanging] });
  const actor = memoir.defaultActor;
  const agentId = await createAgent(memoir, { tools: ["send_mail"] });
  const run = await send(memoir, agentId, "go");
  await hasBegun;
  await memoir.runs.cancel(actor, run.id);
  const result = await memoir.messages.complete(actor, run.id);
  expect(result.reason).toBe("cancelled");
  expect(result.run.status).toBe("cancelled");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(result.messages[1]?.toolReturns).toMatchObject([
    { callId: "m", status: "success" },
    { callId: "a", status: "error", output: expect.stringMatching(/while send_mail was running/) },
    { callId: "b", status: "error", output: expect.stringMatching(/before send_mail was run/) },
  ]);
  expect((await memoir.blocks.getOfAgent(actor, agentId, "human")).value).toBe("Name: Ada");
  const next = await tell(memoir, agentId, "are you there?");
  expect(next.reason).toBe("end_turn");
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
});

/** The program dies while the function runs; the next one finds the call begun and without a result. */
async function dieDuringCall(dialect: DialectName, context: TestContext, effect: ToolEffect) {
  const keys: string[] = [];
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const dying = hostTool(
    "send_mail",
    (_, { key }) => {
      keys.push(key);
      begun();
      return new Promise(() => {});
    },
    { effect },
  );
  const living = hostTool(
    "send_mail",
    (_, { key }) => {
      keys.push(key);
      return "sent";
    },
    { effect },
  );
  const script: ScriptedReply[] = [callTool("send_mail", { text: "hi" }), say("Done.")];
  const database = await createDatabase(dialect, context);
  const open = async (tools: MemoirOptions["tools"]) => {
    const memoir = new Memoir({
      database,
      encryptionKey: testEncryptionKey,
      models: only(scriptedByPosition(script)),
      tools: tools ?? [],
    });
    await memoir.start();
    return memoir;
  };
  const first = await open([dying]);
  const agentId = await createAgent(first, { tools: ["send_mail"] });
  const run = await send(first, agentId, "go");
  await hasBegun;
  await first.close();
  const second = await open([living]);
  const result = await second.messages.complete(second.defaultActor, run.id);
  await second.close();
  return { keys, result };
}

test.for(
  dialects.flatMap((dialect) => (["read", "idempotent", "keyed"] as const).map((effect) => ({ dialect, effect }))),
)(
  "$dialect: a call of effect $effect that was cut off is made again, with the same key",
  async ({ dialect, effect }, context) => {
    const { keys, result } = await dieDuringCall(dialect, context, effect);
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect(result.messages[1]?.toolReturns?.[0]).toMatchObject({ status: "success", output: "sent" });
    expect(result.reason).toBe("end_turn");
  },
);

test.for(dialects)(
  "%s: an unsafe call that was cut off is not made again, and the agent is told",
  async (dialect, context) => {
    const { keys, result } = await dieDuringCall(dialect, context, "unsafe");
    expect(keys).toHaveLength(1);
    expect(result.messages[1]?.toolReturns?.[0]).toMatchObject({
      status: "error",
      output: expect.stringMatching(/nobody knows whether it had its effect/),
    });
    expect(result.reason).toBe("end_turn");
  },
);

test("arguments filled in by a rule that do not fit end the run, and the next message works", async (context) => {
  const run = vi.fn(() => "ok");
  const model = scripted([callTool("send_mail", { text: "hi" }), callTool("send_mail", { text: "hi" }), say("ok")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model), tools: [hostTool("send_mail", run)] });
  const rule = (args: JsonObject) => ({ type: "run-first", tool: "send_mail", args }) as const;
  const agentId = await createAgent(memoir, { tools: ["send_mail"], toolRules: [rule({ recipient: "Ada" })] });
  const failed = await tell(memoir, agentId, "go");
  expect(failed.reason).toBe("invalid_tool_call");
  expect(failed.run.status).toBe("failed");
  expect(failed.messages[1]?.toolReturns?.[0]?.output).toMatch(/tool rules.*no argument "recipient"/);
  expect(run).not.toHaveBeenCalled();
  await memoir.agents.update(memoir.defaultActor, agentId, { toolRules: [rule({ text: "filled in" })] });
  const answered = await tell(memoir, agentId, "again");
  expect(answered.reason).toBe("end_turn");
  expect(run).toHaveBeenCalledWith({ text: "filled in" }, expect.anything());
});

test.for([
  ["a builtin tool's", hostTool("send_message", () => null), /already/],
  ["no tool's", hostTool("send mail", () => null), /letters/],
] as const)("a function with %s name is refused at the start", async ([, tool, expected], context) => {
  await expect(openTestMemoir("sqlite", context, { tools: [tool] })).rejects.toThrow(expected);
});
