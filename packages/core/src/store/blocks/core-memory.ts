/**
 * Core memory: the blocks an agent sees in one conversation. A block isolated in the conversation replaces the agent's
 * block with the same label.
 */
import { sql } from "kysely";
import { MemoirError } from "../../shared/errors.ts";
import { prepare } from "../engine/prepared.ts";
import type { Scope } from "../engine/scope.ts";
import { type Block, blockEntity } from "./blocks.ts";

export interface CoreBlock extends Block {
  /** Belongs to the conversation. */
  readonly isIsolated: boolean;
}

/** Later than any timestamp, below 2^53. */
const maxTimestamp = 9_000_000_000_000_000;

const selectCoreMemory = prepare((scope, { agentId, conversationId }: { agentId: string; conversationId: string }) => {
  const attached = scope.select("agent_block").where("agent_id", "=", agentId);
  const isolated = scope.select("conversation_block").where("conversation_id", "=", conversationId);
  const isThis = sql.ref<string>("block.id");
  const attachedAt = attached.select("attached_at").where("block_id", "=", isThis);
  return scope
    .select("block")
    .selectAll("block")
    .select(sql<number>`coalesce(${attachedAt}, ${sql.lit(maxTimestamp)})`.as("place"))
    .select(isolated.select("label").where("block_id", "=", isThis).as("isolated_label"))
    .where("block.id", "in", attached.select("block_id").union(isolated.select("block_id")))
    .orderBy("place")
    .orderBy("block.id");
});

/** In order of attachment, which edits do not change; isolated blocks without a counterpart come last. */
export async function loadCoreMemory(scope: Scope, agentId: string, conversationId: string): Promise<CoreBlock[]> {
  const rows = await selectCoreMemory(scope, { agentId, conversationId });
  const blocks = rows.map((row) => ({ ...blockEntity.codec.decode(row), isIsolated: row.isolated_label !== null }));
  const copies = new Map(blocks.filter(({ isIsolated }) => isIsolated).map((block) => [block.label, block]));
  const seen = new Map(blocks.map((block) => [block.label, copies.get(block.label) ?? block]));
  return [...seen.values()];
}

export async function getBlockByLabel(
  scope: Scope,
  agentId: string,
  conversationId: string,
  label: string,
): Promise<Block> {
  const isolated = scope
    .select("conversation_block")
    .select("block_id")
    .where("conversation_id", "=", conversationId)
    .where("label", "=", label);
  const attached = scope
    .select("agent_block")
    .select("block_id")
    .where("agent_id", "=", agentId)
    .where("label", "=", label);
  const row = await scope
    .select("block")
    .selectAll("block")
    .where("block.id", "=", sql<string>`coalesce(${isolated}, ${attached})`)
    .executeTakeFirst();
  if (row) return blockEntity.codec.decode(row);
  const labels = (await loadCoreMemory(scope, agentId, conversationId)).map((block) => block.label);
  throw new MemoirError("not-found", `agent "${agentId}" has no block labelled "${label}"`, {
    details: { entity: "block", label, agentId, labels },
  });
}

/** Finds another agent that holds the block and already has a block with that label. */
export async function findLabelConflict(
  scope: Scope,
  agentId: string,
  blockId: string,
  label: string,
): Promise<{ readonly agentId: string; readonly blockId: string } | undefined> {
  const holders = scope.select("agent_block").select("agent_id").where("block_id", "=", blockId);
  return await scope
    .select("agent_block")
    .select(["agent_id as agentId", "block_id as blockId"])
    .where("label", "=", label)
    .where("block_id", "<>", blockId)
    .where("agent_id", "<>", agentId)
    .where("agent_id", "in", holders)
    .executeTakeFirst();
}
