/** Contexts that grow past the model's window. */
import { expect, test } from "vitest";
import type { Memoir } from "../../memoir.ts";
import { createModelError } from "../../model/errors.ts";
import type { ModelReply } from "../../model/model.ts";
import type { NewAgent } from "../../services/agents/agent-create.ts";
import type { CompactionMode, CompactionSettings } from "../../shared/compaction-settings.ts";
import type { PromptMessage } from "../../shared/content.ts";
import type { RunEvent } from "../../shared/events.ts";
import { dialects, openTestMemoir } from "../../testing/databases.ts";
import { createTalker, tell, say as text } from "../../testing/talker.ts";
import type { HostTool } from "../../tools/executors/host.ts";

const call = (name: string, args: object, id = "call-1"): Partial<ModelReply> => ({
  toolCalls: [{ id, name, arguments: JSON.stringify(args) }],
});

const failure = (code: "llm-context-exceeded" | "llm-error") =>
  createModelError(code, "no", { provider: "openai", model: "gpt-4o-mini" });

async function createAgent(memoir: Memoir, input: Partial<NewAgent> = {}): Promise<string> {
  const { agent } = await memoir.agents.create(memoir.defaultActor, {
    model: "openai/gpt-4o-mini",
    contextWindow: 8_192,
    blocks: [{ label: "human", value: "Name: Ada" }],
    ...input,
  });
  return agent.id;
}

async function listEvents<T extends RunEvent["type"]>(memoir: Memoir, runId: string, type: T) {
  const found: Extract<RunEvent, { type: T }>[] = [];
  for await (const event of memoir.messages.follow(memoir.defaultActor, runId)) {
    if (event.type === type) found.push(event as Extract<RunEvent, { type: T }> & { seq: number });
  }
  return found;
}

const wordy = (label: string, words = 300) => `${label}: ${"the kettle is on the stove ".repeat(words / 6)}`;

function show(message: PromptMessage | undefined): string {
  if (!message || message.role === "tool") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

test.for(dialects)(
  "%s: a conversation longer than the window goes on, its beginning in a summary and in recall",
  async (dialect, context) => {
    const { asked, summaries, models } = createTalker((_, index) => text(wordy(`answer ${index}`)));
    const memoir = await openTestMemoir(dialect, context, { models });
    const agentId = await createAgent(memoir);
    for (let round = 1; round <= 14; round++) {
      expect((await tell(memoir, agentId, wordy(`question ${round}`))).reason).toBe("end_turn");
    }
    expect(summaries.length).toBeGreaterThan(0);
    const last = asked.at(-1);
    expect(show(last?.messages[0])).toContain("The following is a summary of the previous ");
    expect(show(last?.messages[0])).toContain(`Summary ${summaries.length}.`);
    expect(last?.messages[1]?.role).toBe("assistant");
    expect(last?.messages.map(show).join("\n")).toContain("question 14");
    const view = await memoir.agents.get(memoir.defaultActor, agentId);
    expect(view.contextMessageIds?.length).toBeLessThan(29);
    const transcript = show(summaries[0]?.messages[0]);
    expect(transcript).toContain("[user] question 1:");
    // Recall has them all.
    const stored = await memoir.messages.listOfAgent(memoir.defaultActor, agentId, {
      page: { limit: 100, from: "oldest" },
    });
    for (let round = 1; round <= 14; round++) expect(JSON.stringify(stored)).toContain(`question ${round}:`);
  },
);

test("an earlier summary goes into the next one", async (context) => {
  const { summaries, models } = createTalker((_, index) => text(wordy(`answer ${index}`)));
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir);
  for (let round = 1; round <= 25; round++) await tell(memoir, agentId, wordy(`question ${round}`));
  expect(summaries.length).toBeGreaterThan(1);
  expect(show(summaries[1]?.messages[0])).toContain("Summary 1.");
});

test.for(["all", "self_compact_all", "self_compact_sliding_window"] as const satisfies CompactionMode[])(
  "mode %s makes room its own way and keeps the question that is open",
  async (mode, context) => {
    const { asked, summaries, models } = createTalker((request, index) =>
      show(request.messages.at(-1)).includes("request from the system")
        ? text("Mine.")
        : text(wordy(`answer ${index}`)),
    );
    const memoir = await openTestMemoir("sqlite", context, { models });
    const agentId = await createAgent(memoir, { compaction: { mode } });
    let compacted = 0;
    for (let round = 1; round <= 14 && compacted === 0; round++) {
      const result = await tell(memoir, agentId, wordy(`question ${round}`));
      compacted = (await listEvents(memoir, result.run.id, "compaction")).length;
      if (compacted > 0) expect(show(asked.at(-1)?.messages.at(-1))).toContain(`question ${round}:`);
    }
    expect(compacted).toBe(1);
    const messages = asked.at(-1)?.messages ?? [];
    expect(show(messages[0])).toContain(mode === "all" ? "Summary 1." : "Mine.");
    expect(summaries).toHaveLength(mode === "all" ? 1 : 0);
    if (mode !== "self_compact_sliding_window") expect(messages).toHaveLength(2);
    else expect(messages.length).toBeGreaterThan(2);
  },
);

test.for(dialects)("%s: a summariser that fails never fails the user", async (dialect, context) => {
  const talker = createTalker(
    (_, index) => text(wordy(`answer ${index}`)),
    () => failure("llm-error"),
  );
  const memoir = await openTestMemoir(dialect, context, { models: talker.models });
  const agentId = await createAgent(memoir);
  for (let round = 1; round <= 14; round++) {
    expect((await tell(memoir, agentId, wordy(`question ${round}`))).reason).toBe("end_turn");
  }
  expect(talker.summaries.length).toBeGreaterThan(0);
  expect(show(talker.asked.at(-1)?.messages[0])).toContain("No summary of what followed could be written");
});

test("a summariser whose window is smaller than the context gets it in pieces that fit", async (context) => {
  const { summaries, models } = createTalker((_, index) => text(wordy(`answer ${index}`, 900)));
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir, {
    model: "openai/gpt-4.1",
    contextWindow: 40_000,
    compaction: { model: "openai/gpt-4", mode: "all" },
  });
  for (let round = 1; round <= 24; round++) await tell(memoir, agentId, wordy(`question ${round}`, 900));
  expect(summaries.length).toBeGreaterThan(2);
  expect(show(summaries[1]?.messages[0])).toContain("Summary so far:\nSummary 1.");
  for (const request of summaries) {
    expect(request.config.model).toBe("gpt-4");
    expect(show(request.messages[0]).length / 4).toBeLessThan(8_192);
  }
});

test("the model for summaries is asked with the settings given for it", async (context) => {
  const { summaries, models } = createTalker((_, index) => text(wordy(`answer ${index}`)));
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir, {
    compaction: { model: "openai/gpt-4.1", modelOverlay: { temperature: 0.125, maxOutputTokens: 777 } },
  });
  for (let round = 1; round <= 14; round++) await tell(memoir, agentId, wordy(`question ${round}`));
  expect(summaries[0]?.config).toMatchObject({ model: "gpt-4.1", temperature: 0.125, maxOutputTokens: 777 });
});

test("a provider that finds the context too long gets a shorter one, and the question is answered", async (context) => {
  // Takes less than it is said to: by the letters it is sent.
  const { asked, models } = createTalker((request, index) => {
    const size = JSON.stringify(request.messages).length;
    return size > 9_000 ? failure("llm-context-exceeded") : text(wordy(`answer ${index}`));
  });
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir);
  for (let round = 1; round <= 10; round++) {
    const result = await tell(memoir, agentId, wordy(`question ${round}`));
    expect(result.reason).toBe("end_turn");
    expect(show(asked.at(-1)?.messages.at(-1))).toContain(`question ${round}:`);
  }
});

test("one message larger than the window is answered, shortened for the model and kept whole", async (context) => {
  const { asked, models } = createTalker(() => text("A long one."));
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir);
  const long = `Begin. ${"many words without end ".repeat(20_000)} End.`;
  expect((await tell(memoir, agentId, long)).reason).toBe("end_turn");
  const seen = show(asked[0]?.messages[0]);
  expect(seen.length).toBeLessThan(40_000);
  expect(seen).toMatch(/^Begin\..*characters left out.*End\.$/s);
  expect(
    JSON.stringify(
      await memoir.messages.listOfAgent(memoir.defaultActor, agentId, { page: { limit: 10, from: "oldest" } }),
    ),
  ).toContain(long);
});

test("results of tools are counted before the next call, not after it has failed", async (context) => {
  const big: HostTool = {
    name: "read_much",
    description: "Reads much.",
    parameters: { type: "object", properties: {} },
    effect: "read",
    run: () => "line of text ".repeat(1_200),
  };
  const { asked, models } = createTalker((_, index) =>
    index % 5 === 0 ? text("done") : call("read_much", {}, `call-${index}`),
  );
  const memoir = await openTestMemoir("sqlite", context, { models, tools: [big] });
  const agentId = await createAgent(memoir, { tools: ["read_much"] });
  const result = await tell(memoir, agentId, "read it all");
  expect(result.reason).toBe("end_turn");
  expect(await listEvents(memoir, result.run.id, "compaction")).not.toHaveLength(0);
  for (const request of asked) expect(JSON.stringify(request.messages).length / 4).toBeLessThan(8_192);
});

test("instructions larger than the window end the run with a reason, and shorter ones work again", async (context) => {
  const { models } = createTalker(() => text("ok"));
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir, { system: "very many words ".repeat(9_000) });
  const failed = await tell(memoir, agentId, "hello");
  expect(failed.reason).toBe("context_window_overflow_in_system_prompt");
  expect(failed.failure?.message).toMatch(
    /take about \d+ tokens, and its context window is \d+: shorten its instructions or blocks/,
  );
  await memoir.agents.update(memoir.defaultActor, agentId, { system: "Be kind." });
  expect((await tell(memoir, agentId, "hello again")).reason).toBe("end_turn");
});

test.for(dialects)(
  "%s: an agent is told once that its context fills up, and again after it was emptied",
  async (dialect, context) => {
    const { asked, models } = createTalker((_, index) => text(wordy(`answer ${index}`)));
    const memoir = await openTestMemoir(dialect, context, { models });
    const agentId = await createAgent(memoir);
    const warnings: number[] = [];
    const compactions: number[] = [];
    for (let round = 1; round <= 24; round++) {
      const { run } = await tell(memoir, agentId, wordy(`question ${round}`));
      if ((await listEvents(memoir, run.id, "memory-pressure")).length > 0) warnings.push(round);
      if ((await listEvents(memoir, run.id, "compaction")).length > 0) compactions.push(round);
    }
    expect(compactions.length).toBeGreaterThan(1);
    expect(warnings.length).toBeGreaterThan(1);
    const order = [
      ...warnings.map((round) => ({ round, type: "w" })),
      ...compactions.map((round) => ({ round, type: "c" })),
    ];
    order.sort((left, right) => left.round - right.round);
    expect(order.map(({ type }) => type).join("")).toMatch(/^(wc)+w?$/);
    const told = asked[(warnings[0] ?? 0) - 1]?.messages.at(-1);
    expect(told?.role).toBe("system");
    expect(show(told)).toContain("write it into your memory now");
  },
);

test.for(dialects)(
  "%s: what leaves the context is filed in the archive where that is wanted",
  async (dialect, context) => {
    const search = call("archival_memory_search", { query: "xylophone" });
    const { models } = createTalker((request, index) =>
      request.messages.slice(-2).some((message) => show(message).includes("look it up"))
        ? search
        : text(wordy(`answer ${index}`)),
    );
    const memoir = await openTestMemoir(dialect, context, { models });
    const compaction: Partial<CompactionSettings> = { archiveEvicted: true };
    const agentId = await createAgent(memoir, { compaction });
    await tell(memoir, agentId, "My xylophone is green.");
    for (let round = 1; round <= 12; round++) await tell(memoir, agentId, wordy(`question ${round}`));
    const result = await tell(memoir, agentId, "look it up");
    const found = result.messages.find(({ role }) => role === "tool")?.toolReturns?.[0]?.output;
    expect(found).toContain("My xylophone is green.");
  },
);
