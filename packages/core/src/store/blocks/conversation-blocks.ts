/** Isolated blocks: copies that belong to one conversation and are deleted with it. */
import { sql } from "kysely";
import { groupRows } from "../engine/grouping.ts";
import { isInList } from "../engine/in-list.ts";
import type { Scope } from "../engine/scope.ts";
import { type Block, blockEntity } from "./blocks.ts";

export async function isolateBlocks(
  scope: Scope,
  conversationId: string,
  copies: readonly Pick<Block, "id" | "label">[],
): Promise<void> {
  await scope.insertAll(
    "conversation_block",
    copies.map(({ id, label }) => ({ conversation_id: conversationId, block_id: id, label })),
  );
}

/** By conversation, in order of creation. */
export async function loadIsolatedBlocks(scope: Scope, ids: readonly string[]): Promise<Map<string, Block[]>> {
  if (ids.length === 0) return new Map();
  const rows = await scope
    .select("block")
    .innerJoin("conversation_block", "conversation_block.block_id", "block.id")
    .selectAll("block")
    .select("conversation_block.conversation_id")
    .where(isInList(scope, "conversation_block.conversation_id", ids))
    .orderBy("block.created_at")
    .orderBy("block.id")
    .execute();
  return groupRows(rows, (row) => row.conversation_id, blockEntity.codec.decode);
}

/**
 * Deletes the isolated blocks of one conversation, or of all conversations of an agent; blocks that are attached to an
 * agent stay.
 */
export async function deleteIsolatedBlocks(
  scope: Scope,
  of: { readonly conversationId: string } | { readonly agentId: string },
): Promise<void> {
  const links = scope.select("conversation_block").select("block_id");
  const ids =
    "conversationId" in of
      ? links.where("conversation_id", "=", of.conversationId)
      : links.where(
          "conversation_id",
          "in",
          scope.select("conversation").select("id").where("agent_id", "=", of.agentId),
        );
  const attached = scope.select("agent_block").select("block_id").where("block_id", "=", sql.ref<string>("block.id"));
  await scope
    .delete("block")
    .where(sql.ref("id"), "in", ids)
    .where((eb) => eb.not(eb.exists(attached)))
    .execute();
}
