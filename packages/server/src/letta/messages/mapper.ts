/** Messages between core and wire. One stored message becomes one item for each of its parts. */
import {
  type ContentPart,
  type JsonObject,
  type Message,
  parseJsonObject,
  type RunResult,
  speaksByTool,
  type ToolCall,
  type ToolReturn,
  textOf,
} from "@memoir/core";
import { toWireDate } from "../shared/time.ts";
import { toCompactionWires } from "./compaction-mapper.ts";
import { fileIdOf } from "./image-ids.ts";
import { otidOf } from "./otid.ts";
import type {
  MessageTypeWire,
  MessageWire,
  SendMessageWire,
  SendResponseWire,
  ToolCallWire,
  ToolReturnWire,
} from "./schema.ts";

/** How a caller wants messages shown. */
export interface MessageView {
  /** Plain text of the agent is its reply; for older kinds it is a thought. */
  readonly isTextReply: boolean;
  /** Older kinds: the message tool's text is shown as the reply, and its return hidden. */
  readonly messageTool: { readonly name: string; readonly argument: string } | undefined;
  readonly types: ReadonlySet<string> | undefined;
  /** Compactions are shown as items of their own. */
  readonly hasCompactions?: boolean;
}

/** What a request says about it, in a body or a query. */
export type ViewWire = Pick<
  SendMessageWire,
  | "use_assistant_message"
  | "assistant_message_tool_name"
  | "assistant_message_tool_kwarg"
  | "include_return_message_types"
  | "include_compaction_messages"
>;

export function viewOf(kind: Parameters<typeof speaksByTool>[0], wire: ViewWire): MessageView {
  const isOlder = speaksByTool(kind);
  const isConverted = isOlder && wire.use_assistant_message !== false;
  return {
    isTextReply: !isOlder,
    messageTool: isConverted
      ? {
          name: wire.assistant_message_tool_name ?? "send_message",
          argument: wire.assistant_message_tool_kwarg ?? "message",
        }
      : undefined,
    types: wire.include_return_message_types?.length ? new Set(wire.include_return_message_types) : undefined,
    hasCompactions: wire.include_compaction_messages ?? false,
  };
}

export function toSendResponse(result: RunResult, view: MessageView): SendResponseWire {
  return {
    // Heartbeats and notes to the agent are stored, but nobody said them.
    messages: result.messages
      .filter(({ role }) => role !== "user" && role !== "system")
      .flatMap((message) => showMessage(result, message, view)),
    stop_reason: { message_type: "stop_reason", stop_reason: result.reason },
    usage: toUsageWire(result, view),
    logprobs: null,
    turns: null,
  };
}

function showMessage({ run, compactions }: RunResult, message: Message, view: MessageView): MessageWire[] {
  const event = view.hasCompactions && compactions.find(({ summaryMessageId }) => summaryMessageId === message.id);
  return event ? toCompactionWires({ event, summary: message }, run, view.types) : toMessageWires([message], view);
}

/** A provider that details its usage implies zero for what it leaves out; `isAsReported` leaves that out as well. */
export function toUsageWire(
  { usage, steps, contextTokens }: Pick<RunResult, "usage" | "steps" | "contextTokens">,
  { isTextReply }: Pick<MessageView, "isTextReply">,
  { isAsReported = false }: { readonly isAsReported?: boolean } = {},
): SendResponseWire["usage"] {
  const implied = usage.cachedTokens === null || isAsReported ? null : 0;
  return {
    message_type: "usage_statistics",
    completion_tokens: usage.completionTokens,
    prompt_tokens: usage.promptTokens,
    total_tokens: usage.totalTokens,
    step_count: steps,
    run_ids: null,
    cached_input_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens ?? implied,
    reasoning_tokens: usage.reasoningTokens ?? implied,
    context_tokens: isTextReply ? contextTokens : null,
  };
}

export function toMessageWires(messages: readonly Message[], view: MessageView): MessageWire[] {
  const items = messages.flatMap((message) => toItems(message, view));
  return view.types ? items.filter((item) => view.types?.has(item.message_type)) : items;
}

type Own<T = MessageWire> = T extends MessageWire
  ? Omit<T, Exclude<keyof ReturnType<typeof baseOf>, "message_type">>
  : never;

function toItems(message: Message, view: MessageView): MessageWire[] {
  const own = ownFields(message, view);
  return own.map((fields, part) => {
    const base = baseOf(message, fields.message_type, otidOfPart(message, fields.message_type, part));
    return { ...base, ...fields } as MessageWire;
  });
}

/** What others said has the name they gave it, but for answers; what is asked of someone is named by its message. */
function otidOfPart(message: Message, type: MessageTypeWire, part: number): string | null {
  if (type === "approval_request_message") return message.id;
  if (type === "approval_response_message") return null;
  return message.role === "system" || message.role === "user" || message.role === "summary"
    ? message.otid
    : otidOf(message.id, part);
}

function baseOf(message: Message, type: MessageTypeWire, otid: string | null) {
  // A summary stands for many steps and is none of theirs.
  const isSummary = message.role === "summary";
  return {
    id: message.id,
    date: toWireDate(message.createdAt),
    name: message.name,
    message_type: type,
    otid,
    sender_id: message.senderId,
    step_id: isSummary ? null : message.stepId,
    is_err: message.isError ? (true as const) : null,
    seq_id: null,
    run_id: isSummary ? null : message.runId,
  };
}

function ownFields(message: Message, view: MessageView): Own[] {
  switch (message.role) {
    case "system":
      return [{ message_type: "system_message", content: textOf(message.content) }];
    case "user":
    case "summary":
      return [{ message_type: "user_message", content: userContent(message) }];
    case "assistant":
      return [...contentFields(message, view), ...callFields(message.toolCalls ?? [], view)];
    case "tool":
      return returnFields(message.toolReturns ?? [], view);
    case "approval":
      return message.toolCalls?.length ? askFields(message, message.toolCalls, view) : answerFields(message);
  }
}

function askFields(message: Message, calls: readonly ToolCall[], view: MessageView): Own[] {
  const asked = calls.filter(({ isAsked }) => isAsked !== false);
  const [first] = asked;
  const said = [
    ...contentFields(message, view),
    ...callFields(
      calls.filter(({ isAsked }) => isAsked === false),
      view,
    ),
  ];
  if (!first) return said;
  return [
    ...said,
    {
      message_type: "approval_request_message",
      tool_call: toAskedWire(first),
      tool_calls: asked.map(toAskedWire),
    },
  ];
}

/** As the model wrote it, to the letter: this is what is allowed or not. */
function toAskedWire(call: ToolCall): ToolCallWire {
  return { name: call.name, arguments: call.arguments, tool_call_id: call.id };
}

function answerFields({ approvals }: Message): Own[] {
  const [first] = approvals ?? [];
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return [
    {
      message_type: "approval_response_message",
      approvals: [...(approvals ?? [])],
      approve: typeof first?.approve === "boolean" ? first.approve : null,
      approval_request_id: text(first?.tool_call_id),
      reason: text(first?.reason),
    },
  ];
}

function userContent(message: Message): string | JsonObject[] {
  const parts = message.content ?? [];
  if (parts.every(({ type }) => type === "text")) return unpack(textOf(parts, "\n"));
  return parts.map(toPartWire);
}

/** Older kinds keep what a user said in an envelope. */
function unpack(text: string): string {
  if (!text.startsWith("{")) return text;
  const { type, message } = parseJsonObject(text) ?? {};
  return type === "user_message" && typeof message === "string" ? message : text;
}

export function toPartWire(part: ContentPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text, signature: null };
  if (part.type !== "image") return { type: part.type };
  const { source } = part;
  switch (source.type) {
    case "url":
      return { type: "image", source: { type: "url", url: source.url } };
    case "base64":
      return {
        type: "image",
        source: { type: "base64", media_type: source.mediaType, data: source.data, detail: source.detail ?? null },
      };
    case "stored":
      return {
        type: "image",
        source: {
          type: "letta",
          file_id: fileIdOf(source.hash),
          media_type: source.mediaType,
          data: source.data ?? null,
          detail: source.detail ?? null,
        },
      };
  }
}

/** Neighbouring parts of one kind become one item. */
function contentFields({ content }: Message, view: MessageView): Own[] {
  const items: Own[] = [];
  for (const part of content ?? []) {
    const item = contentField(part, view);
    const last = items.at(-1);
    if (!item) continue;
    if (last?.message_type === "assistant_message" && item.message_type === "assistant_message") {
      last.content += item.content;
    } else if (last?.message_type === "reasoning_message" && item.message_type === "reasoning_message") {
      last.reasoning += item.reasoning;
      last.signature = item.signature ?? last.signature;
    } else {
      items.push(item);
    }
  }
  return items;
}

function contentField(part: ContentPart, view: MessageView): Own | undefined {
  switch (part.type) {
    case "text":
      if (part.text === "") return undefined;
      return view.isTextReply
        ? { message_type: "assistant_message", content: part.text }
        : { message_type: "reasoning_message", source: "non_reasoner_model", reasoning: part.text, signature: null };
    case "reasoning":
      return {
        message_type: "reasoning_message",
        source: part.isNative ? "reasoner_model" : "non_reasoner_model",
        reasoning: part.text,
        signature: part.signature ?? null,
      };
    case "summarized-reasoning": {
      const reasoning = part.summary.map(({ text }) => text).join("\n\n");
      if (reasoning === "") return undefined;
      return {
        message_type: "reasoning_message",
        source: "reasoner_model",
        reasoning,
        signature: part.encrypted ?? null,
      };
    }
    case "redacted-reasoning":
      return { message_type: "hidden_reasoning_message", state: "redacted", hidden_reasoning: part.data };
    case "omitted-reasoning":
      return { message_type: "hidden_reasoning_message", state: "omitted", hidden_reasoning: null };
    case "image":
      return undefined;
  }
}

function callFields(calls: readonly ToolCall[], { messageTool }: MessageView): Own[] {
  const items: Own[] = [];
  for (const call of calls) {
    const spoken = messageTool?.name === call.name ? spokenText(call, messageTool.argument) : undefined;
    const last = items.at(-1);
    if (spoken !== undefined) items.push({ message_type: "assistant_message", content: spoken });
    else if (last?.message_type === "tool_call_message") last.tool_calls.push(toCallWire(call));
    else items.push({ message_type: "tool_call_message", tool_call: toCallWire(call), tool_calls: [toCallWire(call)] });
  }
  return items;
}

function spokenText(call: ToolCall, argument: string): string | undefined {
  try {
    const value = (JSON.parse(call.arguments) as Record<string, unknown>)[argument];
    return value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function toCallWire(call: ToolCall): ToolCallWire {
  return { name: call.name, arguments: spaced(call.arguments), tool_call_id: call.id };
}

/** JSON as the old server prints it, with a space after colons and commas; unreadable text stays as it is. */
export function spaced(text: string): string {
  try {
    return print(JSON.parse(text));
  } catch {
    return text;
  }
}

function print(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(print).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${print(inner)}`);
  return `{${fields.join(", ")}}`;
}

function returnFields(returns: readonly ToolReturn[], { messageTool }: MessageView): Own[] {
  const shown = returns.filter(({ name }) => name !== messageTool?.name).map(toReturnWire);
  const first = shown[0];
  if (!first) return [];
  const { type: _, ...fields } = first;
  return [{ message_type: "tool_return_message", ...fields, tool_returns: shown }];
}

function toReturnWire(item: ToolReturn): ToolReturnWire {
  return {
    type: "tool",
    tool_return: item.output,
    status: item.status,
    tool_call_id: item.callId,
    stdout: item.stdout ? [...item.stdout] : null,
    stderr: item.stderr ? [...item.stderr] : null,
  };
}
