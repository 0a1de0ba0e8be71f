import { describe, expect, test } from "vitest";
import { dialects } from "../../testing/databases.ts";
import { openWorld, type World } from "../../testing/worlds.ts";
import { getDefaultConversation, insertConversation } from "../conversations/conversations.ts";
import { insertBlocks, newBlock, writeBlock } from "./blocks.ts";
import { findLabelConflict, getBlockByLabel, loadCoreMemory } from "./core-memory.ts";

const cause = { kind: "api", userId: null } as const;

/** A conversation with its own copies of blocks. */
async function openConversation({ store, actor }: World, agentId: string, copies: Record<string, string>) {
  return await store.write(actor.orgId, async (scope) => {
    const id = scope.newId("conv");
    await insertConversation(scope, { id, agentId, isDefault: false, systemMessageId: null, createdBy: null });
    for (const [label, value] of Object.entries(copies)) {
      const copy = newBlock(scope, { label, value }, cause);
      await insertBlocks(scope, [copy], cause);
      await scope.insert("conversation_block", { conversation_id: id, block_id: copy.id, label }).execute();
    }
    return id;
  });
}

describe.each(dialects)("%s", (dialect) => {
  test("a conversation sees its own copy in place of the agent's block, others do not", async (context) => {
    const world = await openWorld(dialect, context);
    const { agent } = await world.createAgent({
      blocks: ["c", "a", "b"].map((label) => ({ label, value: `agent's ${label}` })),
    });
    const other = await world.createAgent({ blocks: [{ label: "a", value: "other agent's a" }] });
    const main = await getDefaultConversation(world.scope, agent.id);
    const own = await openConversation(world, agent.id, { a: "copy of a", z: "a copy without its original" });
    const read = async (conversationId: string) =>
      (await loadCoreMemory(world.scope, agent.id, conversationId)).map((block) => [
        block.label,
        block.value,
        block.isIsolated,
      ]);
    const original = [
      ["c", "agent's c", false],
      ["a", "agent's a", false],
      ["b", "agent's b", false],
    ];
    expect(await read(main.id)).toEqual(original);
    expect(await read(own)).toEqual([
      ["c", "agent's c", false],
      ["a", "copy of a", true],
      ["b", "agent's b", false],
      ["z", "a copy without its original", true],
    ]);
    expect((await getBlockByLabel(world.scope, agent.id, own, "a")).value).toBe("copy of a");
    expect((await getBlockByLabel(world.scope, agent.id, own, "b")).value).toBe("agent's b");
    expect((await getBlockByLabel(world.scope, agent.id, main.id, "a")).value).toBe("agent's a");
    await expect(getBlockByLabel(world.scope, agent.id, main.id, "z")).rejects.toMatchObject({
      code: "not-found",
      details: { label: "z", labels: ["c", "a", "b"] },
    });
    expect(await loadCoreMemory(world.scope, other.agent.id, main.id)).toHaveLength(1);
    expect(await loadCoreMemory(world.store.read("org-nobody"), agent.id, own)).toEqual([]);
  });

  test("edits do not change the order of blocks", async (context) => {
    const { createAgent, store, actor, scope } = await openWorld(dialect, context);
    const { agent } = await createAgent({ blocks: ["b", "c", "a"].map((label) => ({ label, value: "" })) });
    const { id } = await getDefaultConversation(scope, agent.id);
    for (const label of ["b", "a"]) {
      await store.write(actor.orgId, async (write) => {
        await writeBlock(write, await getBlockByLabel(write, agent.id, id, label), { value: "new" }, cause);
      });
    }
    expect((await loadCoreMemory(scope, agent.id, id)).map(({ label }) => label)).toEqual(["b", "c", "a"]);
  });

  test("a label is taken where another holder of the block has it", async (context) => {
    const { createAgent, scope } = await openWorld(dialect, context);
    const first = await createAgent({ blocks: [{ label: "shared", value: "" }] });
    const blockIds = first.blocks.map(({ id }) => id);
    const second = await createAgent({ blockIds, blocks: [{ label: "taken", value: "" }] });
    const [id = ""] = blockIds;
    expect(await findLabelConflict(scope, first.agent.id, id, "taken")).toMatchObject({ agentId: second.agent.id });
    expect(await findLabelConflict(scope, first.agent.id, id, "free")).toBeUndefined();
    expect(await findLabelConflict(scope, second.agent.id, id, "taken")).toBeUndefined();
  });
});
