/** Messages between core and agent files, where what a tool returned stands in the envelope that models see. */
import {
  type ContentPart,
  omitUndefined,
  type PortableMessage,
  type ToolCall,
  type ToolReturn,
  toolReturnEnvelope,
} from "@memoir/core";
import { toStoredPart } from "../context/stored-message.ts";
import { fromWireTime } from "../shared/time.ts";
import type { MessageFileWire } from "./agent-wire.ts";
import type { FileCall, FileImage, FileMessage, FilePart, FileReturn } from "./message-schema.ts";
import { toFileTime } from "./time.ts";

export function fromFileMessages(messages: readonly FileMessage[]): PortableMessage[] {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  const names = new Map(calls.map((call) => [call.id, call.function.name]));
  return messages.map((message) => fromFileMessage(message, names));
}

function fromFileMessage(message: FileMessage, names: ReadonlyMap<string, string>): PortableMessage {
  const { content = [] } = message;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const isResult = message.role === "tool" || message.role === "function";
  const returns = isResult ? returnsOf(message, parts, names) : [];
  const own = returns.length > 0 ? [] : parts.flatMap(fromPart);
  return {
    id: message.id,
    role: message.role === "function" ? "tool" : message.role,
    content: own.length > 0 ? own : null,
    toolCalls: message.tool_calls?.length ? message.tool_calls.map(fromCall) : null,
    toolReturns: returns.length > 0 ? returns : null,
    toolCallId: message.tool_call_id ?? null,
    approvals: message.approvals?.length ? message.approvals : null,
    name: message.name ?? null,
    model: message.model ?? null,
    groupId: message.group_id ?? null,
    createdAt: message.created_at === undefined ? null : fromWireTime(message.created_at),
  };
}

function fromPart(part: FilePart): ContentPart[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text, ...signatureOf(part) }];
    case "image":
      return [fromImage(part.source)];
    case "reasoning":
      return [{ type: "reasoning", text: part.reasoning, isNative: part.is_native ?? false, ...signatureOf(part) }];
    case "redacted_reasoning":
      return [{ type: "redacted-reasoning", data: part.data }];
    case "omitted_reasoning":
      return [{ type: "omitted-reasoning", ...signatureOf(part) }];
    case "summarized_reasoning": {
      const summary = part.summary.map(({ index, text }) => ({ index, text }));
      const encrypted = part.encrypted_content ? { encrypted: part.encrypted_content } : {};
      return [{ type: "summarized-reasoning", id: part.id, summary, ...encrypted }];
    }
    case "tool_call":
    case "tool_return":
      return [];
  }
}

const signatureOf = ({ signature }: { signature?: string }) => (signature === undefined ? {} : { signature });

function fromImage(source: FileImage): ContentPart {
  if (source.type === "url") return { type: "image", source: { type: "url", url: source.url } };
  if (!source.data || !source.media_type) return { type: "text", text: "[an image that is not in the agent file]" };
  const detail = source.detail ? { detail: source.detail } : {};
  return { type: "image", source: { type: "base64", mediaType: source.media_type, data: source.data, ...detail } };
}

const fromCall = (call: FileCall): ToolCall => ({
  id: call.id,
  name: call.function.name,
  arguments: call.function.arguments,
  ...signatureOf(call),
});

/** Files of older versions have the result as the message's text only. */
function returnsOf(
  { tool_returns, tool_call_id, name }: FileMessage,
  parts: readonly FilePart[],
  names: ReadonlyMap<string, string>,
): ToolReturn[] {
  const known = tool_returns?.length ? tool_returns : tool_call_id === undefined ? [] : [{ func_response: [...parts] }];
  return known.map((item: Partial<FileReturn>) => {
    const callId = item.tool_call_id ?? tool_call_id ?? "";
    const { output, isError } = openEnvelope(textOf(item.func_response ?? [...parts]));
    return {
      callId,
      name: names.get(callId) ?? name ?? "",
      status: item.status ?? (isError ? "error" : "success"),
      output,
      ...omitUndefined({ stdout: item.stdout, stderr: item.stderr }),
    };
  });
}

function textOf(content: string | FilePart[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const envelopeKeys: ReadonlySet<string> = new Set(["status", "message", "time"]);

/** What a tool returned, without what models are told around it; any other text as it is. */
function openEnvelope(text: string): { output: string; isError: boolean } {
  const bare = { output: text, isError: false };
  if (!text.startsWith("{")) return bare;
  try {
    const envelope = JSON.parse(text) as Record<string, unknown>;
    const { status, message } = envelope;
    if (status !== "OK" && status !== "Failed") return bare;
    if (!("message" in envelope) || !Object.keys(envelope).every((key) => envelopeKeys.has(key))) return bare;
    const output = typeof message === "string" ? message : message === null ? "" : JSON.stringify(message);
    return { output, isError: status === "Failed" };
  } catch {
    return bare;
  }
}

/** Of which agent, under which ids, and in which time zone times are told. */
export interface MessagePlace {
  readonly id: string;
  readonly agentId: string;
  readonly timezone: string;
}

export function toFileMessage(message: PortableMessage, { id, agentId, timezone }: MessagePlace): MessageFileWire {
  const at = message.createdAt ?? 0;
  const returns = (message.toolReturns ?? []).map((item) => ({
    ...item,
    output: toolReturnEnvelope(item.output, item.status === "error", { at, timezone }),
  }));
  const results = returns.map(({ output }) => ({ type: "text", text: output, signature: null }));
  return {
    type: "message",
    otid: crypto.randomUUID(),
    group_id: null,
    role: message.role,
    content: [...(message.content ?? []).map(toStoredPart), ...results],
    name: message.name,
    sender_id: null,
    batch_item_id: null,
    id,
    model: message.model,
    agent_id: agentId,
    tool_calls: message.toolCalls?.length ? message.toolCalls.map(toCall) : null,
    tool_call_id: message.toolCallId ?? returns[0]?.callId ?? null,
    tool_returns: returns.map(toReturn),
    created_at: toFileTime(at),
    approve: null,
    approval_request_id: null,
    denial_reason: null,
    approvals: [...(message.approvals ?? [])],
  };
}

function toCall(call: ToolCall) {
  return {
    id: call.id,
    function: { arguments: call.arguments, name: call.name },
    type: "function" as const,
    ...signatureOf(call),
  };
}

function toReturn(item: ToolReturn) {
  return {
    tool_call_id: item.callId,
    status: item.status,
    stdout: item.stdout ? [...item.stdout] : null,
    stderr: item.stderr ? [...item.stderr] : null,
    func_response: item.output,
  };
}
