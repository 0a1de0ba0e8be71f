/**
 * Lists conversations. The time of the last message is read from the newest message, because a column would cost each
 * send another statement.
 */
import { type RawBuilder, sql } from "kysely";
import { isInList } from "../engine/in-list.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";
import { type Conversation, conversationEntity } from "./conversations.ts";

export interface ConversationFilter {
  readonly agentId?: string;
  /** Case-insensitive substring of the title. */
  readonly search?: string;
}

export type ConversationOrder = "created_at" | "last_run_at" | "last_message_at";

/** Omits default conversations. */
export async function listConversations(
  scope: Scope,
  filter: ConversationFilter,
  page: PageRequest,
  orderBy: ConversationOrder = "created_at",
): Promise<Conversation[]> {
  let query = scope.select("conversation").where("is_default", "=", 0).where("deleted_at", "is", null);
  if (filter.agentId !== undefined) query = query.where("agent_id", "=", filter.agentId);
  if (filter.search) {
    query = query.where(scope.flavor.contains(sql.ref("conversation.title"), filter.search));
  }
  const key = { created_at: () => "created_at", last_run_at: lastRunAt, last_message_at: lastMessageAt }[orderBy];
  return await listPage(scope, conversationEntity, query, page, {
    orderBy: key(scope),
    isNullable: orderBy !== "created_at",
  });
}

/** Time of the last message of each conversation; a time set by a client counts until the next message. */
export async function loadLastMessageTimes(scope: Scope, ids: readonly string[]): Promise<Map<string, number | null>> {
  if (ids.length === 0) return new Map();
  const rows = await scope
    .select("conversation")
    .select(["conversation.id", lastMessageAt(scope).as("at")])
    .where(isInList(scope, "conversation.id", ids))
    .execute();
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Reads only the newest message: one index seek per conversation. */
function lastMessageAt(scope: Scope): RawBuilder<number | null> {
  const isLater = sql`message.created_at > conversation.updated_at`;
  const newest = scope
    .select("message")
    .select(sql<number | null>`case when ${isLater} then message.created_at end`.as("at"))
    .where("message.conversation_id", "=", sql.ref<string>("conversation.id"))
    .where("message.id", "<>", sql.ref<string>("conversation.system_message_id"))
    .orderBy("message.seq", "desc")
    .limit(1);
  return sql<number | null>`coalesce(${newest}, conversation.last_message_at)`;
}

function lastRunAt(scope: Scope): RawBuilder<number | null> {
  const newest = scope
    .select("run")
    .select("run.ended_at")
    .where("run.conversation_id", "=", sql.ref<string>("conversation.id"))
    .where("run.ended_at", "is not", null)
    .orderBy("run.seq", "desc")
    .limit(1);
  return sql<number | null>`(${newest})`;
}
