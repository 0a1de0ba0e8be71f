/** Messages on the wire. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireInteger, wireList, wireName, wireText } from "../shared/fields.ts";
import { type ContentPartWire, InputContent } from "./content-schema.ts";
import { ClientSkillWire, ClientToolsWire, type ClientToolWire, InputWire } from "./input-schema.ts";

export const messageTypes = [
  "system_message",
  "user_message",
  "assistant_message",
  "reasoning_message",
  "hidden_reasoning_message",
  "tool_call_message",
  "tool_return_message",
  "approval_request_message",
  "approval_response_message",
  "summary_message",
  "event_message",
] as const;

export type MessageTypeWire = (typeof messageTypes)[number];

export interface SendMessageWire {
  messages?: InputWire[];
  input?: string | ContentPartWire[];
  max_steps?: number;
  use_assistant_message?: boolean;
  assistant_message_tool_name?: string;
  assistant_message_tool_kwarg?: string;
  include_return_message_types?: MessageTypeWire[];
  client_tools?: ClientToolWire[];
  client_skills?: ClientSkillWire[];
  override_model?: string;
  override_system?: string;
  system?: string;
  streaming?: boolean;
  stream_tokens?: boolean;
  include_pings?: boolean;
  background?: boolean;
  include_compaction_messages?: boolean;
  return_logprobs?: boolean;
  top_logprobs?: number;
  return_token_ids?: boolean;
}

export const sendShape = {
  messages: optional(wireList(InputWire)),
  input: optional(InputContent),
  max_steps: optional(wireInteger.min(1)),
  use_assistant_message: optional(z.boolean()),
  assistant_message_tool_name: optional(wireName),
  assistant_message_tool_kwarg: optional(wireName),
  include_return_message_types: optional(wireList(z.enum(messageTypes))),
  client_tools: optional(ClientToolsWire),
  client_skills: optional(wireList(ClientSkillWire)),
  override_model: optional(wireName),
  override_system: optional(wireText),
  system: optional(wireText),
  streaming: optional(z.boolean()),
  stream_tokens: optional(z.boolean()),
  include_pings: optional(z.boolean()),
  background: optional(z.boolean()),
  include_compaction_messages: optional(z.boolean()),
  return_logprobs: optional(z.boolean()),
  top_logprobs: optional(wireInteger),
  return_token_ids: optional(z.boolean()),
};

export const hasOneInput = ({ messages, input }: Pick<SendMessageWire, "messages" | "input">) =>
  (messages === undefined) !== (input === undefined);

export const oneInput = {
  error: "give either messages or input, not both and not neither",
  path: ["messages"],
};

export const SendMessageWire: z.ZodType<SendMessageWire> = z
  .object(sendShape)
  .refine(hasOneInput, oneInput)
  .refine(
    ({ streaming, stream_tokens, include_pings, background }) =>
      streaming || (!stream_tokens && include_pings !== false && !background),
    { error: "stream_tokens, include_pings and background need streaming: true", path: ["streaming"] },
  )
  .meta({ id: "LettaRequest" });

interface ItemBase {
  id: string;
  date: string;
  name: string | null;
  otid: string | null;
  sender_id: string | null;
  step_id: string | null;
  is_err: true | null;
  seq_id: number | null;
  run_id: string | null;
}

export interface ToolCallWire {
  name: string;
  arguments: string;
  tool_call_id: string;
}

export interface ToolReturnWire {
  type: "tool";
  tool_return: string;
  status: "success" | "error";
  tool_call_id: string;
  stdout: string[] | null;
  stderr: string[] | null;
}

export type MessageWire = ItemBase &
  (
    | { message_type: "system_message"; content: string }
    | { message_type: "user_message"; content: string | JsonObject[] }
    | { message_type: "assistant_message"; content: string }
    | {
        message_type: "reasoning_message";
        source: "reasoner_model" | "non_reasoner_model";
        reasoning: string;
        signature: string | null;
      }
    | { message_type: "hidden_reasoning_message"; state: "redacted" | "omitted"; hidden_reasoning: string | null }
    | { message_type: "tool_call_message"; tool_call: ToolCallWire; tool_calls: ToolCallWire[] }
    | { message_type: "approval_request_message"; tool_call: ToolCallWire; tool_calls: ToolCallWire[] }
    | {
        message_type: "approval_response_message";
        approvals: JsonObject[];
        approve: boolean | null;
        approval_request_id: string | null;
        reason: string | null;
      }
    | ({ message_type: "tool_return_message"; tool_returns: ToolReturnWire[] } & Omit<ToolReturnWire, "type">)
    | { message_type: "event_message"; event_type: "compaction"; event_data: JsonObject }
    | { message_type: "summary_message"; summary: string; compaction_stats: JsonObject | null }
  );

const base = {
  id: z.string(),
  date: z.string(),
  name: z.string().nullable(),
  otid: z.string().nullable(),
  sender_id: z.string().nullable(),
  step_id: z.string().nullable(),
  is_err: z.literal(true).nullable(),
  seq_id: z.int().nullable(),
  run_id: z.string().nullable(),
};

const ToolCallItem = z.strictObject({ name: z.string(), arguments: z.string(), tool_call_id: z.string() });

const returnShape = {
  tool_return: z.string(),
  status: z.enum(["success", "error"]),
  tool_call_id: z.string(),
  stdout: z.array(z.string()).nullable(),
  stderr: z.array(z.string()).nullable(),
};

export const MessageWire: z.ZodType<MessageWire> = z
  .discriminatedUnion("message_type", [
    z.strictObject({ ...base, message_type: z.literal("system_message"), content: z.string() }),
    z.strictObject({
      ...base,
      message_type: z.literal("user_message"),
      content: z.union([z.string(), z.array(WireObject)]),
    }),
    z.strictObject({ ...base, message_type: z.literal("assistant_message"), content: z.string() }),
    z.strictObject({
      ...base,
      message_type: z.literal("reasoning_message"),
      source: z.enum(["reasoner_model", "non_reasoner_model"]),
      reasoning: z.string(),
      signature: z.string().nullable(),
    }),
    z.strictObject({
      ...base,
      message_type: z.literal("hidden_reasoning_message"),
      state: z.enum(["redacted", "omitted"]),
      hidden_reasoning: z.string().nullable(),
    }),
    z.strictObject({
      ...base,
      message_type: z.literal("tool_call_message"),
      tool_call: ToolCallItem,
      tool_calls: z.array(ToolCallItem),
    }),
    z.strictObject({
      ...base,
      message_type: z.literal("approval_request_message"),
      tool_call: ToolCallItem,
      tool_calls: z.array(ToolCallItem),
    }),
    z.strictObject({
      ...base,
      message_type: z.literal("approval_response_message"),
      approvals: z.array(WireObject),
      approve: z.boolean().nullable(),
      approval_request_id: z.string().nullable(),
      reason: z.string().nullable(),
    }),
    z.strictObject({
      ...base,
      message_type: z.literal("tool_return_message"),
      ...returnShape,
      tool_returns: z.array(z.strictObject({ type: z.literal("tool"), ...returnShape })),
    }),
    z.strictObject({
      ...base,
      message_type: z.literal("event_message"),
      event_type: z.literal("compaction"),
      event_data: WireObject,
    }),
    z.strictObject({
      ...base,
      message_type: z.literal("summary_message"),
      summary: z.string(),
      compaction_stats: WireObject.nullable(),
    }),
  ])
  .meta({ id: "LettaMessage" });

export interface UsageWire {
  message_type: "usage_statistics";
  completion_tokens: number;
  prompt_tokens: number;
  total_tokens: number;
  step_count: number;
  run_ids: string[] | null;
  cached_input_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  context_tokens: number | null;
}

export const UsageWire: z.ZodType<UsageWire> = z
  .strictObject({
    message_type: z.literal("usage_statistics"),
    completion_tokens: z.int(),
    prompt_tokens: z.int(),
    total_tokens: z.int(),
    step_count: z.int(),
    run_ids: z.array(z.string()).nullable(),
    cached_input_tokens: z.int().nullable(),
    cache_write_tokens: z.int().nullable(),
    reasoning_tokens: z.int().nullable(),
    context_tokens: z.int().nullable(),
  })
  .meta({ id: "LettaUsageStatistics" });

export interface SendResponseWire {
  messages: MessageWire[];
  stop_reason: { message_type: "stop_reason"; stop_reason: string };
  usage: UsageWire;
  logprobs: null;
  turns: null;
}

export const SendResponseWire: z.ZodType<SendResponseWire> = z
  .strictObject({
    messages: z.array(MessageWire),
    stop_reason: z.strictObject({ message_type: z.literal("stop_reason"), stop_reason: z.string() }),
    usage: UsageWire,
    logprobs: z.null(),
    turns: z.null(),
  })
  .meta({ id: "LettaResponse" });
