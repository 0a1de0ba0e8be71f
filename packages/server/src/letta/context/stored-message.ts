/** A message on the wire as it is stored, not as it is talked about: every part in its place. */
import type { ContentPart, JsonObject, Message, ToolCall, ToolReturn } from "@memoir/core";
import { z } from "zod";
import { spaced, toPartWire } from "../messages/mapper.ts";
import { WireObject } from "../shared/fields.ts";
import { toWireTime } from "../shared/time.ts";

export interface StoredMessageWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string;
  updated_at: string | null;
  id: string;
  agent_id: string;
  model: string | null;
  role: string;
  content: JsonObject[];
  name: string | null;
  tool_calls: StoredCallWire[] | null;
  tool_call_id: string | null;
  step_id: string | null;
  run_id: string | null;
  otid: string | null;
  tool_returns: StoredReturnWire[];
  group_id: string | null;
  sender_id: string | null;
  batch_item_id: string | null;
  conversation_id: string | null;
  is_err: true | null;
  approval_request_id: null;
  approve: null;
  denial_reason: null;
  approvals: JsonObject[] | null;
}

interface StoredCallWire {
  id: string;
  function: { arguments: string; name: string };
  type: "function";
}

interface StoredReturnWire {
  tool_call_id: string;
  status: "success" | "error";
  stdout: string[] | null;
  stderr: string[] | null;
  func_response: string;
}

const text = z.string().nullable();
const texts = z.array(z.string()).nullable();

const StoredCallWire: z.ZodType<StoredCallWire> = z.strictObject({
  id: z.string(),
  function: z.strictObject({ arguments: z.string(), name: z.string() }),
  type: z.literal("function"),
});

const StoredReturnWire: z.ZodType<StoredReturnWire> = z.strictObject({
  tool_call_id: z.string(),
  status: z.enum(["success", "error"]),
  stdout: texts,
  stderr: texts,
  func_response: z.string(),
});

export const StoredMessageWire: z.ZodType<StoredMessageWire> = z
  .strictObject({
    created_by_id: text,
    last_updated_by_id: text,
    created_at: z.string(),
    updated_at: text,
    id: z.string(),
    agent_id: z.string(),
    model: text,
    role: z.enum(["assistant", "user", "tool", "system", "approval", "summary"]),
    content: z.array(WireObject),
    name: text,
    tool_calls: z.array(StoredCallWire).nullable(),
    tool_call_id: text,
    step_id: text,
    run_id: text,
    otid: text,
    tool_returns: z.array(StoredReturnWire),
    group_id: text,
    sender_id: text,
    batch_item_id: text,
    conversation_id: text,
    is_err: z.literal(true).nullable(),
    approval_request_id: z.null(),
    approve: z.null(),
    denial_reason: z.null(),
    approvals: z.array(WireObject).nullable(),
  })
  .meta({ id: "Message" });

/** Messages of an agent's default conversation carry no id of it. */
export function toStoredMessageWire(message: Message, isDefault: boolean): StoredMessageWire {
  const returns = message.toolReturns ?? [];
  return {
    created_by_id: message.createdBy,
    last_updated_by_id: message.updatedBy,
    created_at: toWireTime(message.createdAt),
    updated_at: toWireTime(message.updatedAt),
    id: message.id,
    agent_id: message.agentId,
    model: message.model,
    role: message.role,
    content: [...(message.content ?? []).map(toStoredPart), ...returns.map(({ output }) => toTextPart(output))],
    name: message.name,
    tool_calls: message.toolCalls?.length ? message.toolCalls.map(toStoredCall) : null,
    tool_call_id: message.toolCallId,
    step_id: message.stepId,
    run_id: message.runId,
    otid: message.otid,
    tool_returns: returns.map(toStoredReturn),
    group_id: message.groupId,
    sender_id: message.senderId,
    batch_item_id: message.batchItemId,
    conversation_id: isDefault ? null : message.conversationId,
    is_err: message.isError ? true : null,
    approval_request_id: null,
    approve: null,
    denial_reason: null,
    approvals: [...(message.approvals ?? [])],
  };
}

/** The system message is compiled for the overview, so it has no author and no time of a change. */
export function toCompiledMessageWire(message: Message, isDefault: boolean): StoredMessageWire {
  const unwritten = { created_by_id: null, last_updated_by_id: null, updated_at: null, approvals: null };
  return { ...toStoredMessageWire(message, isDefault), ...unwritten };
}

function toTextPart(text: string): JsonObject {
  return { type: "text", text, signature: null };
}

export function toStoredPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, signature: part.signature ?? null };
    case "image":
      return toPartWire(part);
    case "reasoning":
      return { type: "reasoning", is_native: part.isNative, reasoning: part.text, signature: part.signature ?? null };
    case "redacted-reasoning":
      return { type: "redacted_reasoning", data: part.data };
    case "omitted-reasoning":
      return { type: "omitted_reasoning", signature: part.signature ?? null };
    case "summarized-reasoning":
      return {
        type: "summarized_reasoning",
        id: part.id,
        summary: part.summary.map(({ index, text }) => ({ index, text })),
        encrypted_content: part.encrypted ?? null,
      };
  }
}

function toStoredCall(call: ToolCall): StoredCallWire {
  return { id: call.id, function: { arguments: spaced(call.arguments), name: call.name }, type: "function" };
}

function toStoredReturn(item: ToolReturn): StoredReturnWire {
  return {
    tool_call_id: item.callId,
    status: item.status,
    stdout: item.stdout ? [...item.stdout] : null,
    stderr: item.stderr ? [...item.stderr] : null,
    func_response: item.output,
  };
}
