/** Recall memory: all messages in order, append-only except for the compiled system message. */
import { sql } from "kysely";
import type { ContentPart, ToolCall, ToolReturn } from "../../shared/content.ts";
import { notFound } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { createCodec, flag, json, plain } from "../engine/codec.ts";
import { columnName, type Entity, findById, getById, insertEntities } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";

export type MessageRole = "system" | "user" | "assistant" | "tool" | "approval" | "summary";

export interface Message {
  readonly id: string;
  readonly agentId: string;
  readonly conversationId: string;
  readonly role: MessageRole;
  readonly content: readonly ContentPart[] | null;
  readonly toolCalls: readonly ToolCall[] | null;
  readonly toolReturns: readonly ToolReturn[] | null;
  readonly toolCallId: string | null;
  readonly approvals: readonly JsonObject[] | null;
  readonly name: string | null;
  readonly model: string | null;
  readonly otid: string | null;
  readonly stepId: string | null;
  readonly runId: string | null;
  readonly groupId: string | null;
  readonly senderId: string | null;
  readonly batchItemId: string | null;
  readonly isError: boolean;
  /** Part of the model's context, subject to the watermark of its conversation. */
  readonly inContext: boolean;
  readonly searchText: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const messageEntity: Entity<Message, "message"> = {
  table: "message",
  name: "message",
  codec: createCodec<Message>("message", {
    id: plain("id"),
    agentId: plain("agent_id"),
    conversationId: plain("conversation_id"),
    role: plain("role"),
    content: json("content"),
    toolCalls: json("tool_calls"),
    toolReturns: json("tool_returns"),
    toolCallId: plain("tool_call_id"),
    approvals: json("approvals"),
    name: plain("name"),
    model: plain("model"),
    otid: plain("otid"),
    stepId: plain("step_id"),
    runId: plain("run_id"),
    groupId: plain("group_id"),
    senderId: plain("sender_id"),
    batchItemId: plain("batch_item_id"),
    isError: flag("is_error"),
    inContext: flag("in_context"),
    searchText: plain("search_text"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

/** All columns except PostgreSQL's full-text index. */
export const messageColumns = messageEntity.codec.columns.map((column) => sql.ref(column).as(columnName(column)));

export const findMessage = (scope: Scope, id: string): Promise<Message | undefined> =>
  findById(scope, messageEntity, id);
export const getMessage = (scope: Scope, id: string): Promise<Message> => getById(scope, messageEntity, id);
export const insertMessages = (scope: Scope, messages: readonly Message[]): Promise<void> =>
  insertEntities(scope, messageEntity, messages);

/** Throws if the message was hidden with its conversation. */
export async function getLiveMessage(scope: Scope, id: string): Promise<Message> {
  const row = await scope
    .select("message")
    .select(messageColumns)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!row) throw notFound("message", id);
  return messageEntity.codec.decode(row);
}

/** In order, including the input. */
export async function listRunMessages(scope: Scope, runId: string): Promise<Message[]> {
  const rows = await scope
    .select("message")
    .select(messageColumns)
    .where("run_id", "=", runId)
    .orderBy("seq")
    .execute();
  return rows.map((row) => messageEntity.codec.decode(row));
}

/** All messages of the agent, except those of deleted conversations. */
export async function countMessages(scope: Scope, agentId: string): Promise<number> {
  const stored = scope.select("message").select(sql<number>`count(*)`.as("count")).where("agent_id", "=", agentId);
  // Subtracted separately, because the index covers the agent but not the hidden flag.
  const gone = scope
    .select("conversation")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("deleted_at", "is not", null);
  const hidden = scope
    .select("message")
    .select(sql<number>`count(*)`.as("count"))
    .where("conversation_id", "in", gone)
    .where("deleted_at", "is not", null);
  const { count } = await stored.executeTakeFirstOrThrow();
  return Number(count) - Number((await hidden.executeTakeFirstOrThrow()).count);
}

/** The only update of a message: replaces the compiled system message. */
export async function rewriteSystemMessage(scope: Scope, id: string, text: string): Promise<void> {
  await scope
    .update("message")
    .set({ content: JSON.stringify([{ type: "text", text }]), updated_at: scope.now() })
    .where("id", "=", id)
    .where("role", "=", "system")
    .execute();
}

/** A message with defaults for all optional fields. */
export function newMessage(
  scope: Scope,
  input: Pick<Message, "agentId" | "conversationId" | "role"> & Partial<Message>,
): Message {
  const at = scope.now();
  return {
    id: scope.newId("message"),
    content: null,
    toolCalls: null,
    toolReturns: null,
    toolCallId: null,
    approvals: null,
    name: null,
    model: null,
    otid: null,
    stepId: null,
    runId: null,
    groupId: null,
    senderId: null,
    batchItemId: null,
    isError: false,
    inContext: true,
    searchText: null,
    createdAt: at,
    updatedAt: at,
    createdBy: null,
    updatedBy: null,
    ...input,
  };
}
