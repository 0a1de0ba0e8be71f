/** Isolated blocks: copies that belong to one conversation and go with it. */
import { sql } from "kysely";
import { groupRows } from "../engine/grouping.ts";
import { isAmong } from "../engine/in-list.ts";
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

/** By conversation, in the order they were made. */
export async function loadIsolatedBlocks(scope: Scope, ids: readonly string[]): Promise<Map<string, Block[]>> {
  if (ids.length === 0) return new Map();
  const rows = await scope
    .select("block")
    .innerJoin("conversation_block", "conversation_block.block_id", "block.id")
    .selectAll("block")
    .select("conversation_block.conversation_id")
    .where(isAmong(scope, "conversation_block.conversation_id", ids))
    .orderBy("block.created_at")
    .orderBy("block.id")
    .execute();
  return groupRows(rows, (row) => row.conversation_id, blockEntity.codec.decode);
}

/** Those of one conversation, or of all conversations of an agent; what someone attached to an agent meanwhile stays. */
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
