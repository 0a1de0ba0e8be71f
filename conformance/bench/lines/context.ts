/**
 * Our own time for what is done with a context as it grows: compiling its prompt, counting its tokens, showing its
 * overview, making it shorter with a model that answers at once. In this process, through the library.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Memoir } from "@memoir/core";
import { loadCounter } from "../../../packages/core/src/memory/tokens.ts";
import type { Model } from "../../../packages/core/src/model/model.ts";
import type { PromptMessage } from "../../../packages/core/src/shared/content.ts";
import type { Line } from "../lines.ts";
import { median } from "../measure.ts";
import { createDatabase, type Dialect, listDialects } from "../start.ts";
import type { Figure } from "../table.ts";
import { usage } from "../usage.ts";

const atOnce: Model = {
  async *stream() {
    const content = [{ type: "text" as const, text: "They spoke of tea." }];
    yield { type: "reply", reply: { content, toolCalls: [], finishReason: "stop", usage } };
  },
};

const sizes = [10, 1_000, 10_000];
const sentence = (index: number) =>
  `Message ${index}: the kettle is on the stove, the tea is nearly ready, and somebody has to fetch the milk.`;

async function open(dialect: Dialect) {
  const database = await createDatabase(dialect);
  const memoir = new Memoir({ database: database.address, encryptionKey: "bench", models: { get: () => atOnce } });
  await memoir.start();
  const close = async () => {
    await memoir.close();
    await database.remove();
  };
  return { memoir, close };
}

async function createAgent(memoir: Memoir, size: number): Promise<string> {
  const { agent } = await memoir.agents.create(memoir.defaultActor, {
    model: "openai/gpt-4.1",
    contextWindow: 1_000_000,
    blocks: [{ label: "human", value: "Name: Ada" }],
    initialMessages: Array.from({ length: size }, (_, index) => ({
      role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
      text: sentence(index),
    })),
  });
  return agent.id;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < times; round++) taken.push(await timeOf(work));
  return median(taken);
}

async function measure(dialect: Dialect): Promise<Figure[]> {
  const { memoir, close } = await open(dialect);
  // What is loaded once is not a part of it.
  await memoir.context.overview(memoir.defaultActor, await createAgent(memoir, 10));
  const figures: Figure[] = [];
  for (const size of sizes) figures.push(...(await measureSize(memoir, dialect, size)));
  await close();
  return figures;
}

async function measureSize(memoir: Memoir, dialect: Dialect, size: number): Promise<Figure[]> {
  const actor = memoir.defaultActor;
  const agentId = await createAgent(memoir, size);
  const where = `with ${size.toLocaleString("en")} messages, ${dialect}`;
  const compile = await repeat(20, () => memoir.conversations.recompile(actor, { agentId }, { isDryRun: true }));
  const overview = await repeat(5, () => memoir.context.overview(actor, agentId));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const compact = await timeOf(() => memoir.messages.compact(actor, { agentId }));
  delay.disable();
  const held = `others held up ${(delay.max / 1e6).toFixed(0)} ms at most`;
  return [
    { name: `context: compile, ${where}`, value: compile, unit: "ms" },
    { name: `context: overview, ${where}`, value: overview, unit: "ms" },
    { name: `context: compact, ${where}`, value: compact, unit: "ms", notes: [held] },
  ];
}

async function measureCount(size: number): Promise<Figure> {
  const counter = await loadCounter("openai");
  const list = (): PromptMessage[] =>
    Array.from({ length: size }, (_, index) => ({
      role: "user",
      content: [{ type: "text", text: sentence(index) }],
    }));
  const count = (messages: readonly PromptMessage[]) =>
    messages.reduce((sum, message) => sum + counter.message(message), 0);
  const fresh = await repeat(5, async () => count(list()));
  const known = list();
  const again = await repeat(5, async () => count(known));
  const notes = [`${again.toFixed(1)} ms once counted`, `${count(known).toLocaleString("en")} tokens`];
  return { name: `context: count ${size.toLocaleString("en")} messages`, value: fresh, unit: "ms", notes };
}

export const context: Line = {
  name: "context",
  async run() {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(await measureCount(size));
    for (const dialect of listDialects()) figures.push(...(await measure(dialect)));
    return figures;
  },
};
