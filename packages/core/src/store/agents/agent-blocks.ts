/** The blocks attached to an agent, in order of attachment; labels are unique within an agent. */
import { sql } from "kysely";
import { MemoirError, notFound } from "../../shared/errors.ts";
import { type Block, blockEntity } from "../blocks/blocks.ts";
import { isUniqueViolation } from "../engine/constraint-errors.ts";
import { groupRows } from "../engine/grouping.ts";
import { isInList } from "../engine/in-list.ts";
import type { Scope } from "../engine/scope.ts";

/** Idempotent: blocks that are already attached stay as they are. */
export async function attachBlocks(
  scope: Scope,
  agentId: string,
  blocks: readonly Pick<Block, "id" | "label">[],
): Promise<void> {
  if (blocks.length === 0) return;
  const attached = await scope
    .select("agent_block")
    .select(["block_id", "label"])
    .where("agent_id", "=", agentId)
    .execute();
  const labels = new Map(attached.map((row) => [row.label, row.block_id]));
  const distinct = [...new Map(blocks.map((block) => [block.id, block])).values()];
  const fresh = distinct.filter(({ id }) => !attached.some((row) => row.block_id === id));
  if (fresh.length === 0) return;
  for (const { id, label } of fresh) {
    const holder = labels.get(label);
    if (holder !== undefined && holder !== id) throw labelTaken(agentId, label);
    labels.set(label, id);
  }
  const rows = fresh.map(({ id, label }) => ({ agent_id: agentId, block_id: id, label, attached_at: scope.now() }));
  try {
    await scope
      .insert("agent_block", rows)
      .onConflict((conflict) => conflict.columns(["agent_id", "block_id"]).doNothing())
      .execute();
  } catch (error) {
    if (isUniqueViolation(error)) throw labelTaken(agentId, fresh.map(({ label }) => label).join(", "), error);
    throw error;
  }
}

function labelTaken(agentId: string, label: string, cause?: unknown): MemoirError {
  return new MemoirError("conflict", `agent "${agentId}" already holds a block labelled "${label}"`, {
    details: { entity: "block", field: "label" },
    cause,
  });
}

export async function detachBlock(scope: Scope, agentId: string, blockId: string): Promise<void> {
  const { numDeletedRows } = await scope
    .delete("agent_block")
    .where("agent_id", "=", agentId)
    .where("block_id", "=", blockId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound("block", blockId);
}

export async function detachAllBlocks(scope: Scope, agentId: string): Promise<void> {
  await scope.delete("agent_block").where("agent_id", "=", agentId).execute();
}

export async function loadAgentBlocks(scope: Scope, agentIds: readonly string[]): Promise<Map<string, Block[]>> {
  if (agentIds.length === 0) return new Map();
  const rows = await scope
    .select("block")
    .innerJoin("agent_block", "agent_block.block_id", "block.id")
    .selectAll("block")
    .select("agent_block.agent_id")
    .where(isInList(scope, "agent_block.agent_id", agentIds))
    .orderBy("agent_block.attached_at")
    .orderBy("block.id")
    .execute();
  return groupRows(rows, (row) => row.agent_id, blockEntity.codec.decode);
}

export async function findAgentBlock(scope: Scope, agentId: string, label: string): Promise<Block | undefined> {
  const row = await scope
    .select("block")
    .innerJoin("agent_block", "agent_block.block_id", "block.id")
    .selectAll("block")
    .where("agent_block.agent_id", "=", agentId)
    .where("agent_block.label", "=", label)
    .executeTakeFirst();
  return row && blockEntity.codec.decode(row);
}

/** A query over the agent's blocks, for paging. */
export function selectAgentBlocks(scope: Scope, agentId: string) {
  const held = scope.select("agent_block").select("block_id").where("agent_id", "=", agentId);
  return scope.select("block").where(sql.ref("block.id"), "in", held);
}
