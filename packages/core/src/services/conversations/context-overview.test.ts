/** What a model would be shown next, and how much of its window that takes. */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects, openTestMemoir } from "../../testing/databases.ts";
import { createTalker, tell } from "../../testing/talker.ts";
import type { NewAgent } from "../agents/agent-create.ts";
import type { ContextOverview } from "./context-overview.ts";

async function open(dialect: DialectName, context: TestContext, input: Partial<NewAgent> = {}) {
  const talker = createTalker();
  const memoir = await openTestMemoir(dialect, context, { models: talker.models });
  const actor = memoir.defaultActor;
  const { agent } = await memoir.agents.create(actor, {
    model: "openai/gpt-4o-mini",
    system: "Be kind.",
    blocks: [{ label: "human", value: "Name: Ada" }],
    ...input,
  });
  const overview = (conversationId?: string) => memoir.context.overview(actor, agent.id, conversationId);
  return { ...talker, memoir, actor, agentId: agent.id, overview };
}

const parts = ["system", "coreMemory", "memoryFiles", "toolRules", "directories", "metadata", "summary"] as const;

function sumOf(overview: ContextOverview): number {
  return parts.reduce((sum, part) => sum + overview[part].tokens, overview.toolTokens + overview.messageTokens);
}

test.for(dialects)("%s: the parts are named, counted and add up", async (dialect, context) => {
  const { memoir, agentId, overview, asked } = await open(dialect, context);
  const fresh = await overview();
  expect(fresh.tokens).toBe(sumOf(fresh));
  expect(fresh).toMatchObject({ contextWindow: 128_000, messageTokens: 0, archivalCount: 0, recallCount: 1 });
  expect(fresh.system).toMatchObject({ text: "Be kind." });
  expect(fresh.coreMemory.text).toMatch(/^<memory_blocks>.*Name: Ada.*<\/memory_blocks>$/s);
  expect(fresh.toolRules.text).toMatch(/^(<tool_usage_rules>.*)?$/s);
  expect(fresh.metadata.text).toMatch(/^<memory_metadata>.*<\/memory_metadata>$/s);
  for (const part of ["memoryFiles", "directories", "summary"] as const) {
    expect(fresh[part]).toEqual({ text: "", tokens: 0 });
  }
  expect(fresh.messages.map(({ role }) => role)).toEqual(["system"]);
  await tell(memoir, agentId, "The kettle is on the stove.");
  const used = await overview();
  expect(used.tokens).toBe(sumOf(used));
  expect(used.messageTokens).toBeGreaterThan(10);
  expect(used).toMatchObject({ recallCount: 3, toolTokens: fresh.toolTokens });
  expect(used.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant"]);
  expect(used.tools.map(({ name }) => name).sort()).toEqual(asked[0]?.tools.map(({ name }) => name).sort());
});

test.for(dialects)("%s: it shows what the next turn will see, before that turn", async (dialect, context) => {
  const { memoir, actor, agentId, overview, asked } = await open(dialect, context);
  await tell(memoir, agentId, "hello");
  await memoir.blocks.updateOfAgent(actor, agentId, "human", { value: "Name: Grace" });
  const { coreMemory, messages } = await overview();
  expect(coreMemory.text).toContain("Name: Grace");
  const stored = JSON.stringify(messages[0]?.content);
  expect(stored).toContain("Name: Grace");
  await tell(memoir, agentId, "again");
  expect(asked.at(-1)?.system).toContain(coreMemory.text);
});

test("instructions that say where memory goes are shown without it", async (context) => {
  const { overview } = await open("sqlite", context, { system: "First. {CORE_MEMORY} Last. {CORE_MEMORY}" });
  const shown = await overview();
  expect(shown.system.text).toBe("First.  Last. ");
  expect(shown.messages[0]?.content).toMatchObject([{ text: expect.stringMatching(/^First\. <memory_blocks>/) }]);
  const { overview: once } = await open("sqlite", context, { system: "First. {CORE_MEMORY} Last." });
  expect(shown.coreMemory.tokens).toBe(2 * (await once()).coreMemory.tokens);
});

test.for(dialects)("%s: a summary has its own line, and its tokens are not counted twice", async (dialect, context) => {
  const { memoir, actor, agentId, overview } = await open(dialect, context);
  for (const word of ["one", "two", "three"]) await tell(memoir, agentId, `question ${word}`);
  const before = await overview();
  await memoir.messages.compact(actor, { agentId }, { mode: "all" });
  const after = await overview();
  expect(after.summary.text).toContain("Summary 1.");
  expect(after.summary.tokens).toBeGreaterThan(10);
  expect(after).toMatchObject({ messageTokens: 0, recallCount: before.recallCount + 1 });
  expect(after.messages.map(({ role }) => role)).toEqual(["system", "summary"]);
  expect(after.tokens).toBe(sumOf(after));
});

test("a summary that older data keeps as a user's message is known too", async (context) => {
  const text = JSON.stringify({
    type: "system_alert",
    message: "Hidden. The following is a summary of the previous 5 messages:\n Ada likes tea.",
    time: "then",
  });
  const { overview } = await open("sqlite", context, { initialMessages: [{ role: "user", text }] });
  const shown = await overview();
  expect(shown.summary.text).toContain("Ada likes tea.");
  expect(shown.summary.tokens).toBeGreaterThan(10);
  expect(shown.messageTokens).toBe(0);
});

test("a memory that is a folder of files shows what is in view and what is not", async (context) => {
  const { memoir, actor, agentId, overview } = await open("sqlite", context, { tags: ["git-memory-enabled"] });
  const { id } = await memoir.blocks.create(actor, { label: "notes/tea", value: "Green" });
  await memoir.agents.attachBlock(actor, agentId, id);
  const { coreMemory, memoryFiles, ...rest } = await overview();
  expect(coreMemory.text).toMatch(/^<memory>.*Name: Ada/s);
  expect(coreMemory.text).not.toContain("tea");
  expect(memoryFiles.text).toMatch(/^<external_projection>.*tea\.md.*<\/external_projection>$/s);
  expect(memoryFiles.tokens).toBeGreaterThan(0);
  expect(rest.tokens).toBe(sumOf({ coreMemory, memoryFiles, ...rest }));
});

test.for(dialects)(
  "%s: each conversation has its own, and only its agent's can be asked for",
  async (dialect, context) => {
    const { memoir, actor, agentId, overview } = await open(dialect, context);
    await tell(memoir, agentId, "hello");
    const { conversation } = await memoir.conversations.create(actor, agentId, {});
    expect((await overview(conversation.id)).messages).toHaveLength(1);
    expect((await overview()).messages).toHaveLength(3);
    const other = await memoir.agents.create(actor, { model: "openai/gpt-4o-mini" });
    await expect(memoir.context.overview(actor, other.agent.id, conversation.id)).rejects.toMatchObject({
      code: "not-found",
    });
  },
);

test("looking at a context while its agent is at work changes nothing for it", async (context) => {
  const looks: Promise<ContextOverview>[] = [];
  const { asked, models } = createTalker((_, index) => {
    looks.push(memoir.context.overview(memoir.defaultActor, agent.id));
    return index % 2 === 1
      ? { toolCalls: [{ id: `call-${index}`, name: "conversation_search", arguments: '{"query":"tea"}' }] }
      : { content: [{ type: "text", text: "done" }] };
  });
  const memoir = await openTestMemoir("sqlite", context, { models });
  const { agent } = await memoir.agents.create(memoir.defaultActor, { model: "openai/gpt-4o-mini" });
  for (const word of ["one", "two", "three"]) await tell(memoir, agent.id, word);
  await Promise.all(looks);
  expect(asked.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7, 9, 11]);
  const { messages } = await memoir.context.overview(memoir.defaultActor, agent.id);
  expect(messages).toHaveLength(13);
});
