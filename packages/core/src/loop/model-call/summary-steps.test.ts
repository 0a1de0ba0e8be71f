/** What summaries cost, and what they say of how much has left the context. */
import { expect, type TestContext, test } from "vitest";
import type { Usage } from "../../shared/content.ts";
import type { StepEnd } from "../../shared/step-end.ts";
import { type DialectName, dialects, openTestMemoir } from "../../testing/databases.ts";
import { type Answer, createTalker, say, tell } from "../../testing/talker.ts";

const usageOf = (promptTokens: number): Usage => ({
  promptTokens,
  completionTokens: 1,
  totalTokens: promptTokens + 1,
  cachedTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
});

const page = { limit: 200, order: "asc" } as const;

async function open(dialect: DialectName, context: TestContext, summarise?: Answer) {
  const ends: StepEnd[] = [];
  let billed = 0;
  const bill = (tokens: number) => {
    billed += tokens;
    return { usage: usageOf(tokens) };
  };
  const { models, asked, summaries } = createTalker(
    () => ({ ...say("the kettle is on the stove ".repeat(60)), ...bill(100) }),
    summarise ?? ((_, index) => ({ ...say(`Summary ${index}.`), ...bill(7_000 + index) })),
  );
  const memoir = await openTestMemoir(dialect, context, { models, onStep: (step) => void ends.push(step) });
  const actor = memoir.defaultActor;
  const { agent } = await memoir.agents.create(actor, { model: "openai/gpt-4o-mini", contextWindow: 8_192 });
  const listSteps = () => memoir.steps.list(actor, { filter: { agentId: agent.id }, page });
  return { memoir, actor, agentId: agent.id, asked, summaries, ends, listSteps, bill, billed: () => billed };
}

const long = (round: number) => `question ${round}: ${"and then the rain began again ".repeat(60)}`;

test.for(dialects)(
  "%s: steps and usage add up to what the provider counted, summaries included",
  async (dialect, context) => {
    const { memoir, actor, agentId, asked, summaries, ends, listSteps, billed } = await open(dialect, context);
    let told = 0;
    for (let round = 1; round <= 14; round++) {
      const { usage, steps, run } = await tell(memoir, agentId, long(round));
      told += usage.promptTokens;
      expect(await memoir.runs.usage(actor, run.id)).toMatchObject({ promptTokens: usage.promptTokens, steps });
      expect((await memoir.runs.metrics(actor, run.id)).steps).toBe(steps);
    }
    expect(summaries.length).toBeGreaterThan(0);
    expect(told).toBe(billed());
    const steps = await listSteps();
    expect(steps).toHaveLength(asked.length + summaries.length);
    expect(steps.reduce((sum, { promptTokens }) => sum + promptTokens, 0)).toBe(billed());
    const written = steps.filter(({ origin }) => origin === "compaction");
    expect(written.map(({ promptTokens }) => promptTokens)).toEqual(summaries.map((_, index) => 7_001 + index));
    expect(written.map(({ model }) => model)).toEqual(summaries.map(({ config }) => config.model));
    expect(new Set(ends.map(({ id }) => id))).toEqual(new Set(steps.map(({ id }) => id)));
    const trace = await memoir.traces.getOfStep(actor, written[0]?.id ?? "");
    expect(trace?.detail).toMatchObject({ purpose: "summary", model: written[0]?.model });
  },
);

test.for(dialects)("%s: a compaction on request is a step, too", async (dialect, context) => {
  const { memoir, actor, agentId, listSteps } = await open(dialect, context);
  for (let round = 1; round <= 3; round++) await tell(memoir, agentId, "hello");
  await memoir.messages.compact(actor, { agentId }, { mode: "all" });
  const last = (await listSteps()).at(-1);
  expect(last).toMatchObject({ origin: "compaction", promptTokens: 7_001, status: "success" });
  expect(await memoir.runs.usage(actor, last?.runId ?? "")).toMatchObject({ steps: 1, promptTokens: 7_001 });
});

test.for(dialects)("%s: a summary that was paid for and could not be used is counted", async (dialect, context) => {
  const world = await open(dialect, context, () => ({ ...say(" "), usage: usageOf(500) }));
  const { memoir, actor, agentId, summaries, listSteps } = world;
  for (let round = 1; round <= 14; round++) await tell(memoir, agentId, long(round));
  expect(summaries.length).toBeGreaterThan(0);
  const paid = (await listSteps()).filter(({ origin }) => origin === "compaction");
  expect(paid.map(({ promptTokens }) => promptTokens)).toEqual(summaries.map(() => 500));
  expect(await memoir.agents.count(actor)).toBe(1);
});

test.for(dialects)("%s: a cancelled summary leaves the steps of its finished calls", async (dialect, context) => {
  let second = () => {};
  const reached = new Promise<void>((resolve) => (second = resolve));
  const { memoir, actor, agentId, listSteps } = await open(dialect, context, async (_, index, signal) => {
    if (index === 1) return { ...say(" "), usage: usageOf(500) };
    second();
    return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  for (let round = 1; round <= 3; round++) await tell(memoir, agentId, "hello");
  const compacting = memoir.messages.compact(actor, { agentId }, { mode: "all", model: "openai/gpt-4.1-mini" });
  const refused = expect(compacting).rejects.toMatchObject({ code: "conflict" });
  await reached;
  await memoir.runs.cancelOfAgent(actor, agentId);
  await refused;
  const [paid, cancelled] = (await listSteps()).slice(-2);
  expect([paid?.origin, paid?.promptTokens, cancelled?.status]).toEqual(["compaction", 500, "cancelled"]);
});

test.for(dialects)("%s: a single completion is a step of no run", async (dialect, context) => {
  const { memoir, actor, agentId, listSteps } = await open(dialect, context);
  await memoir.messages.generate(actor, agentId, { prompt: "hello" });
  expect(await listSteps()).toMatchObject([{ origin: "generate", runId: null, promptTokens: 7_001 }]);
});

test.for(dialects)("%s: a summary says how many messages have left the context in all", async (dialect, context) => {
  const { memoir, actor, agentId, asked } = await open(dialect, context);
  const counts: number[] = [];
  for (let round = 1; round <= 3; round++) {
    for (let turn = 1; turn <= 2; turn++) await tell(memoir, agentId, "hello");
    await memoir.messages.compact(actor, { agentId }, { mode: "all" });
    await tell(memoir, agentId, "and now?");
    const shown = JSON.stringify(asked.at(-1)?.messages[0]);
    counts.push(Number(/make room, (\d+) earlier messages have left your context so far/.exec(shown)?.[1]));
  }
  // Two turns, then three each time: the one after the summary leaves with the next.
  expect(counts).toEqual([4, 10, 16]);
});
