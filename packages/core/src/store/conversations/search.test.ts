import { describe, expect, test } from "vitest";
import { dialects } from "../../testing/databases.ts";
import { measureFastest } from "../../testing/fastest.ts";
import { openWorld } from "../../testing/worlds.ts";
import { getBlockByLabel, loadCoreMemory } from "../blocks/core-memory.ts";
import { getDefaultConversation } from "./conversations.ts";
import { insertMessages, newMessage } from "./messages.ts";
import { searchMessages } from "./search.ts";

const search = { roles: ["user", "assistant"] as const, limit: 5 };

describe.each(dialects)("%s", (dialect) => {
  test("no words and no roles find nothing; words may be phrases", async (context) => {
    const { createAgent, store, actor, scope } = await openWorld(dialect, context);
    const { agent } = await createAgent({ initialMessages: [] });
    const { id: conversationId } = await getDefaultConversation(scope, agent.id);
    await store.write(actor.orgId, async (write) => {
      const message = { agentId: agent.id, conversationId, role: "user", searchText: 'green "tea" leaves' } as const;
      await insertMessages(write, [newMessage(write, message)]);
    });
    const count = async (words: readonly string[] | undefined, roles = search.roles as readonly "user"[]) =>
      (await searchMessages(scope, { ...search, roles, agentId: agent.id, words })).length;
    expect(await count(undefined)).toBe(1);
    expect(await count([])).toBe(0);
    expect(await count(undefined, [])).toBe(0);
    expect(await count(["green tea"])).toBe(1);
    expect(await count(["nothing", "leaves"])).toBe(1);
    expect(await count(['green "tea'])).toBe(1);
    expect(await count(["black tea"])).toBe(0);
    expect(await count(["***", '""'])).toBe(0);
  });
});

/** A file of one organization: its id narrows nothing down, and an index that starts with it must not be preferred. */
test("SQLite reads the rows of the agent, not those of its organization", async (context) => {
  const { createAgent, store, actor, scope } = await openWorld("sqlite", context);
  const { agent } = await createAgent({ initialMessages: [], blocks: [{ label: "human", value: "x" }] });
  const { id: conversationId } = await getDefaultConversation(scope, agent.id);
  const crowd = await createAgent({ initialMessages: [] });
  const crowded = await getDefaultConversation(scope, crowd.agent.id);
  for (let batch = 0; batch < 40; batch++) {
    await store.write(actor.orgId, async (write) => {
      const message = { agentId: crowd.agent.id, conversationId: crowded.id, role: "user", searchText: "tea" } as const;
      await insertMessages(
        write,
        Array.from({ length: 500 }, () => newMessage(write, message)),
      );
    });
  }
  const whole = await measureFastest(5, () => scope.select("message").select("message.search_text").execute());
  for (const [what, read] of Object.entries({
    messages: () => searchMessages(scope, { ...search, agentId: agent.id, words: undefined }),
    words: () => searchMessages(scope, { ...search, agentId: agent.id, words: ["tea"] }),
    memory: () => loadCoreMemory(scope, agent.id, conversationId),
    block: () => getBlockByLabel(scope, agent.id, conversationId, "human"),
  })) {
    expect(await measureFastest(20, read), what).toBeLessThan(whole / 5);
  }
});
