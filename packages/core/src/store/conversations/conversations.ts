/**
 * Conversations and their contexts. A context is the system message, an optional summary, entries copied from
 * elsewhere, and the conversation's own messages from the watermark on; rows are append-only, so a step costs the same
 * at 10 messages and at 10,000.
 */
import { sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import { createCodec, flag, json, plain } from "../engine/codec.ts";
import { type Entity, findById, getById, insertEntities, updateById } from "../engine/entity.ts";
import { groupRows } from "../engine/grouping.ts";
import { isInList } from "../engine/in-list.ts";
import { prepare } from "../engine/prepared.ts";
import type { Scope } from "../engine/scope.ts";
import { dropOpenApproval } from "../runs/approvals.ts";
import { type Message, messageColumns, messageEntity } from "./messages.ts";

export interface Conversation {
  readonly id: string;
  readonly agentId: string;
  /** Every agent has exactly one default conversation. */
  readonly isDefault: boolean;
  readonly title: string | null;
  readonly model: string | null;
  /** Overrides for the model of the conversation or of the agent. */
  readonly modelSettings: Partial<ModelConfig> | null;
  readonly systemMessageId: string | null;
  readonly summaryMessageId: string | null;
  /** Sequence number of the first own message in context. */
  readonly watermark: number;
  /** Position of the first entry in context. */
  readonly entryWatermark: number;
  /** Hash of the inputs of the compiled system message. */
  readonly promptKey: string | null;
  readonly lastMessageAt: number | null;
  /** When the agent was last warned that the context is filling up; reset to null when the context is shortened. */
  readonly warnedAt: number | null;
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
    entryWatermark: plain("entry_watermark"),
    promptKey: plain("prompt_key"),
    lastMessageAt: plain("last_message_at"),
    warnedAt: plain("warned_at"),
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
  input: Pick<Conversation, "id" | "agentId" | "isDefault" | "systemMessageId" | "createdBy"> & Partial<Conversation>,
): Promise<Conversation> {
  const at = scope.now();
  const conversation: Conversation = {
    title: null,
    model: null,
    modelSettings: null,
    summaryMessageId: null,
    watermark: 0,
    entryWatermark: 0,
    promptKey: null,
    lastMessageAt: null,
    warnedAt: null,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
    updatedBy: input.createdBy,
    ...input,
  };
  await insertEntities(scope, conversationEntity, [conversation]);
  return conversation;
}

export const getConversation = (scope: Scope, id: string): Promise<Conversation> =>
  getById(scope, conversationEntity, id);

/** Throws if the conversation is deleted. */
export async function getLiveConversation(scope: Scope, id: string): Promise<Conversation> {
  const conversation = await findById(scope, conversationEntity, id);
  if (!conversation || conversation.deletedAt !== null) throw notFound("conversation", id);
  return conversation;
}

/** A conversation by id, or the default one of an agent. */
export type ConversationPlace = { readonly conversationId: string } | { readonly agentId: string };

export const getPlace = (scope: Scope, place: ConversationPlace): Promise<Conversation> =>
  "conversationId" in place
    ? getLiveConversation(scope, place.conversationId)
    : getDefaultConversation(scope, place.agentId);

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

/** Conversations, except deleted ones, that use these system messages. */
export async function findBySystemMessages(scope: Scope, messageIds: readonly string[]): Promise<Conversation[]> {
  if (messageIds.length === 0) return [];
  const owners = scope
    .select("message")
    .select("conversation_id")
    .where(isInList(scope, "message.id", messageIds));
  const rows = await scope
    .select("conversation")
    .selectAll("conversation")
    .where("conversation.id", "in", owners)
    .where(isInList(scope, "conversation.system_message_id", messageIds))
    .where("deleted_at", "is", null)
    .execute();
  return rows.map((row) => conversationEntity.codec.decode(row));
}

/** Replaces the context, including a pending approval. */
export async function replaceEntries(
  scope: Scope,
  conversation: Conversation,
  messageIds: readonly string[],
): Promise<Pick<Conversation, "watermark" | "entryWatermark">> {
  const own = await scope
    .select("message")
    .select(sql<number>`coalesce(max(seq), 0)`.as("last"))
    .where("conversation_id", "=", conversation.id)
    .executeTakeFirstOrThrow();
  const entries = await scope
    .select("context_entry")
    .select(sql<number>`coalesce(max(position), -1)`.as("last"))
    .where("conversation_id", "=", conversation.id)
    .executeTakeFirstOrThrow();
  const entryWatermark = Number(entries.last) + 1;
  await dropOpenApproval(scope, conversation.id);
  await appendEntries(scope, conversation.id, entryWatermark, messageIds);
  const watermarks = { watermark: Number(own.last) + 1, entryWatermark };
  await updateConversation(scope, conversation.id, { ...watermarks, warnedAt: null });
  return watermarks;
}

/** Appends messages from elsewhere, starting at this position. */
export async function appendEntries(
  scope: Scope,
  conversationId: string,
  position: number,
  messageIds: readonly string[],
): Promise<void> {
  await scope.insertAll(
    "context_entry",
    messageIds.map((id, index) => ({ conversation_id: conversationId, position: position + index, message_id: id })),
  );
}

/** False if another caller has already deleted it. */
export async function markDeleted(scope: Scope, id: string): Promise<boolean> {
  const at = scope.now();
  const { numUpdatedRows } = await scope
    .update("conversation")
    .set({ deleted_at: at, updated_at: at })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Message ids in the context of the default conversations, in order, by agent. */
export async function loadContextMessageIds(scope: Scope, agentIds: readonly string[]): Promise<Map<string, string[]>> {
  if (agentIds.length === 0) return new Map();
  const heads = await scope
    .select("conversation")
    .select(["agent_id", "system_message_id", "summary_message_id"])
    .where("is_default", "=", 1)
    .where(isInList(scope, "conversation.agent_id", agentIds))
    .execute();
  const entries = await scope
    .select("context_entry")
    .innerJoin("conversation", "conversation.id", "context_entry.conversation_id")
    .select(["conversation.agent_id as agentId", "context_entry.message_id as messageId"])
    .where("conversation.is_default", "=", 1)
    .where(isInList(scope, "conversation.agent_id", agentIds))
    .whereRef("context_entry.position", ">=", "conversation.entry_watermark")
    .orderBy("context_entry.position")
    .execute();
  const own = await scope
    .select("message")
    .innerJoin("conversation", "conversation.id", "message.conversation_id")
    .select(["conversation.agent_id as agentId", "message.id as messageId"])
    .where("conversation.is_default", "=", 1)
    .where(isInList(scope, "conversation.agent_id", agentIds))
    .where("message.in_context", "=", 1)
    .whereRef("message.seq", ">=", "conversation.watermark")
    .orderBy("message.seq")
    .execute();
  const bodies = groupRows(
    [...entries, ...own],
    (row) => row.agentId,
    (row) => row.messageId,
  );
  return new Map(
    heads.map((head) => {
      const lead = [head.system_message_id, head.summary_message_id].filter((id) => id !== null);
      return [head.agent_id, [...lead, ...(bodies.get(head.agent_id) ?? [])]];
    }),
  );
}

/** Message ids in the context of one conversation after the system message and the summary, in order. */
export async function listContextBodyIds(
  scope: Scope,
  { id, watermark, entryWatermark }: Pick<Conversation, "id" | "watermark" | "entryWatermark">,
): Promise<string[]> {
  const entries = await scope
    .select("context_entry")
    .select("message_id as id")
    .where("conversation_id", "=", id)
    .where("position", ">=", entryWatermark)
    .orderBy("position")
    .execute();
  const own = await scope
    .select("message")
    .select("id")
    .where("conversation_id", "=", id)
    .where("in_context", "=", 1)
    .where("seq", ">=", watermark)
    .orderBy("seq")
    .execute();
  return [...entries, ...own].map((row) => row.id);
}

/** A message in the context with its sequence number. */
export interface ContextMessage extends Message {
  readonly seq: number;
}

const selectContext = prepare((scope, values: { conversationId: string; firstSeq: number }) =>
  scope
    .select("message")
    .select(messageColumns)
    .select("message.seq")
    .where("conversation_id", "=", values.conversationId)
    .where("in_context", "=", 1)
    .where("seq", ">=", values.firstSeq)
    .orderBy("seq"),
);

/** The conversation's own messages in context after `afterSeq`, in order. */
export async function listContextMessages(
  scope: Scope,
  conversation: Pick<Conversation, "id" | "watermark">,
  afterSeq: number,
): Promise<ContextMessage[]> {
  const firstSeq = Math.max(conversation.watermark, afterSeq + 1);
  const rows = await selectContext(scope, { conversationId: conversation.id, firstSeq });
  return rows.map((row) => ({ ...messageEntity.codec.decode(row), seq: row.seq }));
}

/** Entries copied from elsewhere, which precede the conversation's own messages. */
export async function listEntryMessages(
  scope: Scope,
  conversation: Pick<Conversation, "id" | "entryWatermark">,
): Promise<Message[]> {
  const rows = await scope
    .select("message")
    .innerJoin("context_entry", "context_entry.message_id", "message.id")
    .select(messageColumns)
    .where("context_entry.conversation_id", "=", conversation.id)
    .where("context_entry.position", ">=", conversation.entryWatermark)
    .orderBy("context_entry.position")
    .execute();
  return rows.map((row) => messageEntity.codec.decode(row));
}

/** Removes all messages before this one from the context. */
export async function startContextAt(scope: Scope, conversationId: string, messageId: string): Promise<void> {
  const { seq } = await scope
    .select("message")
    .select("seq")
    .where("id", "=", messageId)
    .executeTakeFirstOrThrow(() => notFound("message", messageId));
  const { last } = await scope
    .select("context_entry")
    .select(sql<number>`coalesce(max(position), -1)`.as("last"))
    .where("conversation_id", "=", conversationId)
    .executeTakeFirstOrThrow();
  await updateConversation(scope, conversationId, {
    watermark: seq,
    entryWatermark: Number(last) + 1,
    summaryMessageId: null,
    warnedAt: null,
  });
}
