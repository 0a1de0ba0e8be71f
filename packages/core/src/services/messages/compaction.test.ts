/** Contexts that are made shorter because someone asks for it. */
import { expect, type TestContext, test } from "vitest";
import { createModelError } from "../../model/errors.ts";
import { getDefaultConversation } from "../../store/conversations/conversations.ts";
import { listOpenRuns } from "../../store/runs/runs.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { type Answer, createTalker, say, tell } from "../../testing/talker.ts";
import { openWorld } from "../../testing/worlds.ts";
import type { NewAgent } from "../agents/agent-create.ts";

interface Options {
  readonly answer?: Answer;
  readonly summarise?: Answer;
  readonly agent?: Partial<NewAgent>;
}

async function open(dialect: DialectName, context: TestContext, { answer, summarise, agent }: Options = {}) {
  const talker = createTalker(answer, summarise);
  const { memoir, actor, scope, openAnother } = await openWorld(dialect, context, { models: talker.models });
  const created = await memoir.agents.create(actor, { model: "openai/gpt-4o-mini", ...agent });
  const agentId = created.agent.id;
  const talk = async (count: number) => {
    for (let round = 1; round <= count; round++) await tell(memoir, agentId, `question ${round}`);
  };
  const contextLength = async () => (await memoir.agents.get(actor, agentId)).contextMessageIds.length;
  const { id } = await getDefaultConversation(scope, agentId);
  const countOpenRuns = async () => (await listOpenRuns(scope, id)).length;
  return { ...talker, memoir, actor, agentId, talk, contextLength, countOpenRuns, openAnother };
}

test.for(dialects)("%s: a context is made shorter on request, and what was said stays", async (dialect, context) => {
  const { memoir, actor, agentId, talk, contextLength, asked, summaries } = await open(dialect, context);
  await talk(10);
  const result = await memoir.messages.compact(actor, { agentId });
  expect(result.summary).toBe("Summary 1.");
  expect(result.messagesBefore).toBe(21);
  expect(result.messagesAfter).toBeLessThan(21);
  expect(await contextLength()).toBe(result.messagesAfter);
  expect(JSON.stringify(summaries[0]?.messages)).toContain("question 1");
  await tell(memoir, agentId, "and now?");
  const seen = JSON.stringify(asked.at(-1)?.messages);
  expect(seen).toContain("Summary 1.");
  expect(seen).not.toContain("question 1\\n");
  const page = { limit: 100, from: "oldest" as const };
  const stored = JSON.stringify(await memoir.messages.listOfAgent(actor, agentId, { page }));
  for (let round = 1; round <= 10; round++) expect(stored).toContain(`question ${round}`);
});

test.for(dialects)("%s: a context with nothing to summarise stays as it is", async (dialect, context) => {
  const { memoir, actor, agentId, talk, summaries } = await open(dialect, context);
  const compact = () => memoir.messages.compact(actor, { agentId }, { mode: "all" });
  expect(await compact()).toEqual({ summary: "", messagesBefore: 1, messagesAfter: 1 });
  await talk(2);
  expect(await compact()).toEqual({ summary: "Summary 1.", messagesBefore: 5, messagesAfter: 2 });
  expect(await compact()).toEqual({ summary: "Summary 1.", messagesBefore: 2, messagesAfter: 2 });
  expect(summaries).toHaveLength(1);
});

test("a context that cannot become shorter is refused and kept", async (context) => {
  const { memoir, actor, agentId, contextLength, summaries } = await open("sqlite", context, {
    answer: () => createModelError("llm-error", "no", { provider: "openai", model: "gpt-4o-mini" }),
  });
  await tell(memoir, agentId, "anyone there?");
  await expect(memoir.messages.compact(actor, { agentId })).rejects.toMatchObject({ code: "invalid-argument" });
  expect(await contextLength()).toBe(2);
  expect(summaries).toHaveLength(0);
});

test.for(dialects)("%s: it waits for its turn and keeps the order of what was asked", async (dialect, context) => {
  const gate = Promise.withResolvers<void>();
  const { memoir, actor, agentId, talk, asked, countOpenRuns } = await open(dialect, context, {
    answer: async ({ messages }) => {
      if (JSON.stringify(messages.at(-1)).includes("before")) await gate.promise;
      return say("ok");
    },
  });
  await talk(4);
  const order: string[] = [];
  const before = tell(memoir, agentId, "before").then(() => order.push("before"));
  await expect.poll(countOpenRuns).toBe(1);
  const compaction = memoir.messages.compact(actor, { agentId }, { mode: "all" });
  const compacted = compaction.then(() => order.push("compact"));
  await expect.poll(countOpenRuns).toBe(2);
  const after = tell(memoir, agentId, "after").then(() => order.push("after"));
  await expect.poll(countOpenRuns).toBe(3);
  gate.resolve();
  await Promise.all([before, compacted, after]);
  expect(await compaction).toEqual({ summary: "Summary 1.", messagesBefore: 11, messagesAfter: 2 });
  expect(order).toEqual(["before", "compact", "after"]);
  expect(asked.at(-1)?.messages).toHaveLength(2);
  expect(JSON.stringify(asked.at(-1)?.messages)).toContain("after");
});

test.for(dialects)(
  "%s: a provider that fails does not keep a context from becoming shorter",
  async (dialect, context) => {
    const { memoir, actor, agentId, talk, contextLength } = await open(dialect, context, {
      summarise: () => createModelError("llm-overloaded", "too busy", { provider: "openai", model: "gpt-4o-mini" }),
    });
    await talk(3);
    const result = await memoir.messages.compact(actor, { agentId }, { mode: "all" });
    expect(result).toMatchObject({ messagesBefore: 7, messagesAfter: 2 });
    expect(result.summary).toContain("No summary of what followed could be written");
    expect(result.summary).toContain("question 3");
    expect(await contextLength()).toBe(2);
    expect((await tell(memoir, agentId, "go on")).reason).toBe("end_turn");
  },
);

test("another mode comes with its own prompt, the agent's mode with the agent's", async (context) => {
  const { memoir, actor, agentId, talk, summaries } = await open("sqlite", context, {
    agent: { compaction: { mode: "all", prompt: "The agent's own." } },
  });
  const compact = async (settings: Parameters<typeof memoir.messages.compact>[2]) => {
    await talk(8);
    await memoir.messages.compact(actor, { agentId }, settings);
    return summaries.at(-1)?.system;
  };
  expect(await compact({})).toBe("The agent's own.");
  expect(await compact({ mode: "all" })).toBe("The agent's own.");
  expect(await compact({ mode: "sliding_window" })).not.toBe("The agent's own.");
  expect(await compact({ mode: "sliding_window", prompt: "For now." })).toBe("For now.");
  const { agent } = await memoir.agents.get(actor, agentId);
  expect(agent.compaction).toMatchObject({ mode: "all", prompt: "The agent's own." });
});

test("settings that make no sense are refused before anything happens", async (context) => {
  const { memoir, actor, agentId, talk, contextLength } = await open("sqlite", context);
  await talk(3);
  const compact = (settings: object) => memoir.messages.compact(actor, { agentId }, settings);
  await expect(compact({ mode: "half" })).rejects.toMatchObject({ code: "invalid-input", details: { field: "mode" } });
  await expect(compact({ model: "openai/no-such-model" })).rejects.toMatchObject({ code: "not-found" });
  const unknown = { agentId: "agent-00000000-0000-4000-8000-00000000dead" };
  await expect(memoir.messages.compact(actor, unknown)).rejects.toMatchObject({ code: "not-found" });
  expect(await contextLength()).toBe(7);
});

test.for(dialects)("%s: conversations of one agent are shortened one by one", async (dialect, context) => {
  const { memoir, actor, agentId, talk, contextLength } = await open(dialect, context);
  await talk(3);
  const { conversation } = await memoir.conversations.create(actor, agentId, {});
  const content = [{ type: "text" as const, text: "elsewhere" }];
  for (let round = 0; round < 3; round++) {
    const run = await memoir.messages.sendTo(actor, conversation.id, { messages: [{ role: "user", content }] });
    await memoir.messages.complete(actor, run.id);
  }
  const place = { conversationId: conversation.id };
  expect(await memoir.messages.compact(actor, place, { mode: "all" })).toMatchObject({ messagesAfter: 2 });
  expect((await memoir.conversations.get(actor, place)).contextMessageIds).toHaveLength(2);
  expect(await contextLength()).toBe(7);
});

test("one that is cancelled says so, and the context is as it was", async (context) => {
  const { memoir, actor, agentId, talk, contextLength } = await open("sqlite", context, {
    summarise: async (_request, _index, signal) => {
      await memoir.conversations.cancel(actor, { agentId });
      return signal.reason;
    },
  });
  await talk(3);
  await expect(memoir.messages.compact(actor, { agentId }, { mode: "all" })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("cancelled"),
  });
  expect(await contextLength()).toBe(7);
});

test.for(dialects)(
  "%s: an agent whose context was emptied by hand is told again that it fills up",
  async (dialect, context) => {
    const wordy = "the kettle is on the stove ".repeat(50);
    const { memoir, actor, agentId } = await open(dialect, context, {
      answer: () => say(wordy),
      agent: { contextWindow: 8_192 },
    });
    const isTold = async () => {
      const { messages } = await tell(memoir, agentId, wordy);
      return messages.some(({ role }) => role === "system");
    };
    const fill = async () => {
      for (let round = 1; round <= 14; round++) if (await isTold()) return round;
      return undefined;
    };
    const [systemMessageId = ""] = (await memoir.agents.get(actor, agentId)).contextMessageIds;
    const first = await fill();
    expect(first).toBeGreaterThan(3);
    await memoir.conversations.reset(actor, { agentId });
    expect(await fill()).toBe(first);
    await memoir.agents.update(actor, agentId, { contextMessageIds: [systemMessageId] });
    expect(await fill()).toBe(first);
  },
);

test.for(dialects)("%s: one that was cut off is done at the next start", async (dialect, context) => {
  const reached = Promise.withResolvers<void>();
  const { memoir, actor, agentId, talk, openAnother } = await open(dialect, context, {
    summarise: (_request, _index, signal) => {
      reached.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  await talk(3);
  const compaction = expect(memoir.messages.compact(actor, { agentId }, { mode: "all" })).rejects.toMatchObject({
    code: "unavailable",
  });
  await reached.promise;
  await memoir.close();
  await compaction;
  const another = await openAnother({ models: createTalker().models });
  const shown = async () => (await another.context.overview(actor, agentId)).summary.text;
  await expect.poll(shown).toContain("Summary 1.");
  expect((await another.agents.get(actor, agentId)).contextMessageIds).toHaveLength(2);
});
