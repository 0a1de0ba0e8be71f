import { expect, test } from "vitest";
import { getDefaultConversation } from "../../store/conversations/conversations.ts";
import { openWorld } from "../../testing/worlds.ts";
import { type ContextCache, loadContext } from "./context-cache.ts";

test("contexts are forgotten, oldest first, when there is too much in them", async (context) => {
  const world = await openWorld("sqlite", context);
  const { agent } = await world.createAgent();
  const conversation = await getDefaultConversation(world.scope, agent.id);
  const large = { mark: "", lastSeq: 0, entries: 0, messages: [], hasImages: false, prompt: undefined, bound: 5e7 };
  const cache: ContextCache = new Map(["conv-1", "conv-2"].map((id) => [id, { ...large }]));
  await loadContext(world.scope, cache, conversation, "UTC");
  expect([...cache.keys()]).toEqual(["conv-2", conversation.id]);
});

test("a context that is too large by itself is not kept", async (context) => {
  const world = await openWorld("sqlite", context);
  const { agent } = await world.createAgent();
  const conversation = await getDefaultConversation(world.scope, agent.id);
  const cache: ContextCache = new Map();
  await loadContext(world.scope, cache, conversation, "UTC");
  const kept = cache.get(conversation.id);
  if (kept) kept.bound = 7e7;
  const loaded = await loadContext(world.scope, cache, conversation, "UTC");
  expect(loaded.bound).toBe(7e7);
  expect([...cache.keys()]).toEqual([]);
});
