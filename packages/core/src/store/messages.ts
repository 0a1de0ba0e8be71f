/** Recall memory: everything ever said, in order, never rewritten (the compiled system message excepted). */
import type { JsonObject } from "../json.ts";
import { createCodec, flag, json, plain } from "./codec.ts";
import { type Entity, getById, insertEntities } from "./entity.ts";
import type { Scope } from "./scope.ts";

export type MessageRole = "system" | "user" | "assistant" | "tool" | "approval" | "summary";

export type ContentPart = { readonly type: "text"; readonly text: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}

export interface ToolReturn {
  readonly callId: string;
  readonly status: "success" | "error";
  readonly output: string;
}

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
    searchText: plain("search_text"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getMessage = (scope: Scope, id: string): Promise<Message> => getById(scope, messageEntity, id);
export const insertMessages = (scope: Scope, messages: readonly Message[]): Promise<void> =>
  insertEntities(scope, messageEntity, messages);

/** A message with everything optional left empty. */
export function newMessage(
  scope: Scope,
  given: Pick<Message, "agentId" | "conversationId" | "role"> & Partial<Message>,
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
    searchText: null,
    createdAt: at,
    updatedAt: at,
    createdBy: null,
    updatedBy: null,
    ...given,
  };
}
