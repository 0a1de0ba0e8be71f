/** What a registered OpenTelemetry SDK receives, and that no message content is part of it. */
import { context as contexts, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import {
  callTool,
  failWith,
  holdUntil,
  type ScriptedReply,
  say,
  scripted,
  scriptedByPosition,
} from "../model/scripted.ts";
import type { SendMessage } from "../services/messages/send-message.ts";
import { type DialectName, dialects } from "../testing/databases.ts";
import { needSandbox } from "../testing/sandboxes.ts";
import { openWorld } from "../testing/worlds.ts";
import type { HostTool } from "../tools/executors/host.ts";
import { findTelemetry, isTelemetryOn } from "./find-telemetry.ts";
import { noTelemetry } from "./telemetry.ts";

const secret = "the treasure lies under the oak";

function registerSdk() {
  const spans = new InMemorySpanExporter();
  const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(async () => {
    for (const api of [trace, metrics, contexts]) api.disable();
    await meters.shutdown();
  });
  return {
    list: () => spans.getFinishedSpans(),
    /** The metrics by name, with their attributes. */
    async readFigures() {
      await meters.forceFlush();
      const scopes = figures.getMetrics().at(-1)?.scopeMetrics ?? [];
      return new Map(scopes.flatMap((scope) => scope.metrics).map((each) => [each.descriptor.name, each.dataPoints]));
    },
  };
}

/** Each span as the path of names from its root. */
function draw(spans: readonly ReadableSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const nameOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? "");
    return parent ? `${nameOf(parent)} > ${span.name}` : span.name;
  };
  return spans.map(nameOf).sort();
}

function find(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const span = spans.find((each) => each.name === name);
  if (!span) throw new Error(`there is no span ${name}`);
  return span;
}

const hostTool = (run: HostTool["run"]): HostTool => ({
  name: "dig",
  description: "Digs.",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  effect: "unsafe",
  run,
});

const sayTo = (text: string): SendMessage => ({ messages: [{ role: "user", content: [{ type: "text", text }] }] });

async function openAgent(
  dialect: DialectName,
  test: TestContext,
  script: readonly ScriptedReply[],
  dig: HostTool["run"] = () => "dug",
) {
  const model = scripted(script);
  const world = await openWorld(dialect, test, { models: { get: () => model }, tools: [hostTool(dig)] });
  const { agent } = await world.createAgent({
    model: "openai/gpt-4o-mini",
    blocks: [{ label: "human", value: "unknown" }],
    tools: ["dig", "run_code_with_tools"],
  });
  const { memoir, actor } = world;
  /** Sends from inside a span that ends before the reply arrives. */
  const sendFrom = (name: string, text: string) =>
    trace.getTracer("test").startActiveSpan(name, async (span) => {
      const run = await memoir.messages.send(actor, agent.id, sayTo(text));
      span.end();
      return run;
    });
  const tellFrom = async (name: string, text: string) =>
    await memoir.messages.complete(actor, (await sendFrom(name, text)).id);
  return { ...world, agent, sendFrom, tellFrom };
}

const remember = callTool(
  "memory_replace",
  { label: "human", old_string: "unknown", new_string: secret },
  { usage: { promptTokens: 100, completionTokens: 7 } },
);
const dig = callTool("dig", { place: secret }, { id: "call_dig" });

test.for(dialects)(
  "%s: a message is a tree of spans under whoever sent it: run, steps, calls of models and tools",
  async (dialect, context) => {
    const sdk = registerSdk();
    const { agent, tellFrom } = await openAgent(dialect, context, [remember, dig, say(secret)]);
    const { run } = await tellFrom("mine", secret);
    await expect.poll(() => sdk.list().length).toBe(10);
    const spans = sdk.list();
    const step = "mine > invoke_agent > step";
    expect(draw(spans)).toEqual([
      "mine",
      "mine > invoke_agent",
      step,
      step,
      step,
      `${step} > chat gpt-4o-mini`,
      `${step} > chat gpt-4o-mini`,
      `${step} > chat gpt-4o-mini`,
      `${step} > execute_tool dig`,
      `${step} > execute_tool memory_replace`,
    ]);
    expect(find(spans, "invoke_agent").attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": agent.id,
      "gen_ai.conversation.id": run.conversationId,
      "memoir.run.id": run.id,
      "memoir.stop_reason": "end_turn",
    });
    expect(find(spans, "chat gpt-4o-mini").attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 7,
    });
    expect(find(spans, "execute_tool dig").attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "dig",
      "gen_ai.tool.call.id": "call_dig",
    });
    const steps = spans.filter(({ name }) => name === "step").map(({ attributes }) => attributes["memoir.step.id"]);
    expect(new Set(steps).size).toBe(3);
    expect(steps).toContain(run.request.firstStepId);
    expect(spans.every(({ status }) => status.code === 0)).toBe(true);
    const told = JSON.stringify(
      spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    expect(told).not.toContain("treasure");
  },
);

test("messages, tokens and tools are counted, and what takes time is timed", async (context) => {
  const sdk = registerSdk();
  const { tellFrom } = await openAgent("sqlite", context, [remember, dig, say("Done.")]);
  await tellFrom("mine", "hello");
  await expect.poll(() => sdk.list().some(({ name }) => name === "invoke_agent")).toBe(true);
  const figures = await sdk.readFigures();
  expect([...figures.keys()].sort()).toEqual([
    "memoir.messages",
    "memoir.model.duration",
    "memoir.model.first_token",
    "memoir.step.duration",
    "memoir.tokens",
    "memoir.tool.duration",
    "memoir.tool.executions",
  ]);
  expect(figures.get("memoir.messages")).toMatchObject([{ value: 1 }]);
  expect(figures.get("memoir.step.duration")).toMatchObject([{ value: { count: 3 } }]);
  expect(figures.get("memoir.model.duration")).toMatchObject([{ value: { count: 3 } }]);
  expect(figures.get("memoir.model.first_token")).toMatchObject([{ value: { count: 3 } }]);
  const named = (name: string) => ({ attributes: expect.objectContaining({ "gen_ai.tool.name": name }), value: 1 });
  expect(figures.get("memoir.tool.executions")).toMatchObject([named("memory_replace"), named("dig")]);
  const tokens = figures.get("memoir.tokens") ?? [];
  const model = { "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o-mini" };
  expect(tokens.map(({ attributes }) => attributes)).toEqual([
    { ...model, "gen_ai.token.type": "input" },
    { ...model, "gen_ai.token.type": "output" },
  ]);
  expect(tokens[0]?.value).toBeGreaterThanOrEqual(100);
});

test("a run that waited behind another belongs to whoever sent it", async (context) => {
  const sdk = registerSdk();
  const held = Promise.withResolvers<void>();
  const { memoir, actor, sendFrom } = await openAgent("sqlite", context, [
    holdUntil(held.promise, say("one")),
    say("two"),
  ]);
  const first = await sendFrom("first", "1");
  const second = await sendFrom("second", "2");
  held.resolve();
  for (const { id } of [first, second]) await memoir.messages.complete(actor, id);
  await expect.poll(() => sdk.list().filter(({ name }) => name === "invoke_agent").length).toBe(2);
  const tree = draw(sdk.list());
  expect(tree).toContain("first > invoke_agent > step > chat gpt-4o-mini");
  expect(tree).toContain("second > invoke_agent > step > chat gpt-4o-mini");
});

test("runs whose commits are made together keep their spans apart", async (context) => {
  const sdk = registerSdk();
  const model = scriptedByPosition([remember, say("Noted.")]);
  const { memoir, actor, createAgent } = await openWorld("sqlite", context, { models: { get: () => model } });
  const names = ["one", "two", "three", "four"];
  const answer = async (name: string) => {
    const { agent } = await createAgent({
      model: "openai/gpt-4o-mini",
      blocks: [{ label: "human", value: "unknown" }],
    });
    await trace.getTracer("test").startActiveSpan(name, async (span) => {
      const { id } = await memoir.messages.send(actor, agent.id, sayTo("hello"));
      await memoir.messages.complete(actor, id);
      span.end();
    });
  };
  await Promise.all(names.map(answer));
  await expect.poll(() => sdk.list().filter(({ name }) => name === "invoke_agent").length).toBe(names.length);
  const tools = draw(sdk.list()).filter((line) => line.endsWith("execute_tool memory_replace"));
  expect(tools).toEqual(names.toSorted().map((name) => `${name} > invoke_agent > step > execute_tool memory_replace`));
});

test("what a tool asks of another agent is inside the tool's span", async (context) => {
  const sdk = registerSdk();
  const script = [callTool("dig", { place: "garden" }), say("I dug."), say("Done.")];
  const { memoir, actor, createAgent, tellFrom } = await openAgent("sqlite", context, script, async () => {
    const { agent } = await createAgent({ model: "openai/gpt-4o-mini" });
    const { id } = await memoir.messages.send(actor, agent.id, sayTo("dig"));
    return (await memoir.messages.complete(actor, id)).reason;
  });
  await tellFrom("mine", "dig");
  await expect.poll(() => sdk.list().filter(({ name }) => name === "invoke_agent").length).toBe(2);
  const chain = "mine > invoke_agent > step > execute_tool dig > invoke_agent > step > chat gpt-4o-mini";
  expect(draw(sdk.list())).toContain(chain);
});

test("what a program calls is inside the span of the tool that runs it", async (context) => {
  await needSandbox(context);
  const sdk = registerSdk();
  const code = "dig(place='garden')";
  const script = [callTool("run_code_with_tools", { code }), say("Done.")];
  const { tellFrom } = await openAgent("sqlite", context, script);
  await tellFrom("mine", "dig");
  await expect.poll(() => sdk.list().some(({ name }) => name === "invoke_agent")).toBe(true);
  const chain = "mine > invoke_agent > step > execute_tool run_code_with_tools > execute_tool dig";
  expect(draw(sdk.list())).toContain(chain);
});

test("failures are told by our code, without a word of what failed", async (context) => {
  const sdk = registerSdk();
  const script = [callTool("dig", { place: secret }), failWith("llm-rate-limit", secret)];
  const { tellFrom } = await openAgent("sqlite", context, script, () => {
    throw new Error(secret);
  });
  await tellFrom("mine", "dig");
  await expect.poll(() => sdk.list().some(({ name }) => name === "invoke_agent")).toBe(true);
  const spans = sdk.list();
  const failed = spans.filter(({ status }) => status.code === 2);
  expect(failed.map(({ name, status }) => [name, status.message])).toEqual([
    ["execute_tool dig", "tool-failed"],
    ["chat gpt-4o-mini", "llm-rate-limit"],
    ["step", "llm-rate-limit"],
    ["invoke_agent", "llm-rate-limit"],
  ]);
  expect(failed.map(({ attributes }) => attributes["error.type"])).toEqual(failed.map(({ status }) => status.message));
  expect(JSON.stringify(spans.map(({ attributes, events, status }) => [attributes, events, status]))).not.toContain(
    "oak",
  );
});

test("a step that waited for an answer ends in the run that brought it, before the next begins", async (context) => {
  const sdk = registerSdk();
  const { memoir, actor, agent, tellFrom } = await openAgent("sqlite", context, [dig, say("As you like.")]);
  await memoir.agents.update(actor, agent.id, { toolRules: [{ type: "approval", tool: "dig" }] });
  await tellFrom("asking", "dig");
  const answers = [{ callId: "call_dig", type: "deny", reason: null }] as const;
  const answering = await trace.getTracer("test").startActiveSpan("answering", async (span) => {
    const sent = await memoir.messages.send(actor, agent.id, { messages: [], approval: { answers } });
    span.end();
    return sent;
  });
  await memoir.messages.complete(actor, answering.id);
  await expect.poll(() => sdk.list().filter(({ name }) => name === "invoke_agent").length).toBe(2);
  expect(draw(sdk.list())).toEqual([
    "answering",
    "answering > invoke_agent",
    "answering > invoke_agent > step",
    "answering > invoke_agent > step",
    "answering > invoke_agent > step > chat gpt-4o-mini",
    "asking",
    "asking > invoke_agent",
    "asking > invoke_agent > step",
    "asking > invoke_agent > step > chat gpt-4o-mini",
  ]);
});

test("a cancelled run is marked as such, and is no failure", async (context) => {
  const sdk = registerSdk();
  const held = Promise.withResolvers<void>();
  const { memoir, actor, sendFrom } = await openAgent("sqlite", context, [holdUntil(held.promise, say("late"))]);
  const run = await sendFrom("mine", "hello");
  await memoir.runs.cancel(actor, run.id);
  await expect.poll(() => sdk.list().some(({ name }) => name === "invoke_agent")).toBe(true);
  held.resolve();
  const { attributes, status } = find(sdk.list(), "invoke_agent");
  expect(attributes["error.type"]).toBe("cancelled");
  expect(status.code).toBe(0);
});

test("where no SDK is registered nothing is told to anyone, and work is only called", () => {
  expect(isTelemetryOn()).toBe(false);
  expect(findTelemetry()).toBe(noTelemetry);
  const work = () => 1;
  expect(noTelemetry.bind(work)).toBe(work);
});
