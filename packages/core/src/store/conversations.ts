/**
 * Conversations and their contexts. What the model sees is the system message, the summary if there is one, and the
 * entries from the watermark on; nothing is ever rewritten, so a step costs the same at 10 messages and at 10,000.
 */
import { sql } from "kysely";
import { notFound } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { createCodec, flag, json, plain } from "./codec.ts";
import { type Entity, insertEntities, updateById } from "./entity.ts";
import { groupRows } from "./grouping.ts";
import type { Scope } from "./scope.ts";

export interface Conversation {
  readonly id: string;
  readonly agentId: string;
  /** Every agent has exactly one that is. */
  readonly isDefault: boolean;
  readonly title: string | null;
  readonly model: string | null;
  readonly modelSettings: JsonObject | null;
  readonly systemMessageId: string | null;
  readonly summaryMessageId: string | null;
  /** The first position still in context. */
  readonly watermark: number;
  readonly nextPosition: number;
  /** Fingerprint of what the system message was compiled from. */
  readonly promptKey: string | null;
  readonly lastMessageAt: number | null;
  readonly deletedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const conversationEntity: Entity<Conversation, "conversation"> = {
  table: "conversation",
  name: "conversation",
  codec: createCodec<Conversation>("conversation", {
    id: plain("id"),
    agentId: plain("agent_id"),
    isDefault: flag("is_default"),
    title: plain("title"),
    model: plain("model"),
    modelSettings: json("model_settings"),
    systemMessageId: plain("system_message_id"),
    summaryMessageId: plain("summary_message_id"),
    watermark: plain("watermark"),
    nextPosition: plain("next_position"),
    promptKey: plain("prompt_key"),
    lastMessageAt: plain("last_message_at"),
    deletedAt: plain("deleted_at"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const updateConversation = (scope: Scope, id: string, changes: Partial<Conversation>): Promise<void> =>
  updateById(scope, conversationEntity, id, changes);

export async function insertConversation(
  scope: Scope,
  given: { agentId: string; isDefault: boolean; createdBy: string | null },
): Promise<Conversation> {
  const at = scope.now();
  const conversation: Conversation = {
    id: scope.newId("conv"),
    title: null,
    model: null,
    modelSettings: null,
    systemMessageId: null,
    summaryMessageId: null,
    watermark: 0,
    nextPosition: 0,
    promptKey: null,
    lastMessageAt: null,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
    updatedBy: given.createdBy,
    ...given,
  };
  await insertEntities(scope, conversationEntity, [conversation]);
  return conversation;
}

export async function getDefaultConversation(scope: Scope, agentId: string): Promise<Conversation> {
  const row = await scope
    .select("conversation")
    .selectAll("conversation")
    .where("agent_id", "=", agentId)
    .where("is_default", "=", 1)
    .executeTakeFirst();
  if (!row) throw notFound("agent", agentId);
  return conversationEntity.codec.decode(row);
}

/** Adds messages at the end of the context. */
export async function appendContext(
  scope: Scope,
  conversationId: string,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  const { next } = await scope
    .update("conversation")
    .set({ next_position: sql<number>`next_position + ${messageIds.length}` })
    .where("id", "=", conversationId)
    .returning("next_position as next")
    .executeTakeFirstOrThrow(() => notFound("conversation", conversationId));
  const first = next - messageIds.length;
  await scope.insertAll(
    "context_entry",
    messageIds.map((id, index) => ({ conversation_id: conversationId, position: first + index, message_id: id })),
  );
}

/** What the agents' default conversations have in context, in order, by agent. */
export async function loadContextMessageIds(scope: Scope, agentIds: readonly string[]): Promise<Map<string, string[]>> {
  if (agentIds.length === 0) return new Map();
  const heads = await scope
    .select("conversation")
    .select(["agent_id", "system_message_id", "summary_message_id"])
    .where("is_default", "=", 1)
    .where("agent_id", "in", agentIds)
    .execute();
  const entries = await scope
    .select("context_entry")
    .innerJoin("conversation", "conversation.id", "context_entry.conversation_id")
    .select(["conversation.agent_id", "context_entry.message_id"])
    .where("conversation.is_default", "=", 1)
    .where("conversation.agent_id", "in", agentIds)
    .whereRef("context_entry.position", ">=", "conversation.watermark")
    .orderBy("context_entry.position")
    .execute();
  const bodies = groupRows(
    entries,
    (row) => row.agent_id,
    (row) => row.message_id,
  );
  return new Map(
    heads.map((head) => [
      head.agent_id,
      [head.system_message_id, head.summary_message_id, ...(bodies.get(head.agent_id) ?? [])].filter(
        (id) => id !== null,
      ),
    ]),
  );
}
