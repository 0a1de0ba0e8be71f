/** What a model sees of a conversation, and making it shorter, on the wire. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { CompactionSettingsInput } from "../models/schema.ts";
import { optional, WireObject, wireName } from "../shared/fields.ts";
import { queryText } from "../shared/query.ts";
import { StoredMessageWire } from "./stored-message.ts";

export interface FunctionToolWire {
  function: { name: string; description: string; parameters: JsonObject; strict: null };
  type: "function";
}

export interface ContextWire {
  context_window_size_max: number;
  context_window_size_current: number;
  num_messages: number;
  num_archival_memory: number;
  num_recall_memory: number;
  num_tokens_external_memory_summary: number;
  external_memory_summary: string;
  num_tokens_system: number;
  system_prompt: string;
  num_tokens_core_memory: number;
  core_memory: string;
  num_tokens_memory_filesystem: number;
  memory_filesystem: string | null;
  num_tokens_tool_usage_rules: number;
  tool_usage_rules: string | null;
  num_tokens_directories: number;
  directories: string | null;
  num_tokens_summary_memory: number;
  summary_memory: string | null;
  num_tokens_functions_definitions: number;
  functions_definitions: FunctionToolWire[];
  num_tokens_messages: number;
  messages: StoredMessageWire[];
}

const FunctionToolWire: z.ZodType<FunctionToolWire> = z
  .strictObject({
    function: z.strictObject({
      name: z.string(),
      description: z.string(),
      parameters: WireObject,
      strict: z.null(),
    }),
    type: z.literal("function"),
  })
  .meta({ id: "FunctionTool" });

const text = z.string().nullable();

export const ContextWire: z.ZodType<ContextWire> = z
  .strictObject({
    context_window_size_max: z.int(),
    context_window_size_current: z.int(),
    num_messages: z.int(),
    num_archival_memory: z.int(),
    num_recall_memory: z.int(),
    num_tokens_external_memory_summary: z.int(),
    external_memory_summary: z.string(),
    num_tokens_system: z.int(),
    system_prompt: z.string(),
    num_tokens_core_memory: z.int(),
    core_memory: z.string(),
    num_tokens_memory_filesystem: z.int(),
    memory_filesystem: text,
    num_tokens_tool_usage_rules: z.int(),
    tool_usage_rules: text,
    num_tokens_directories: z.int(),
    directories: text,
    num_tokens_summary_memory: z.int(),
    summary_memory: text,
    num_tokens_functions_definitions: z.int(),
    functions_definitions: z.array(FunctionToolWire),
    num_tokens_messages: z.int(),
    messages: z.array(StoredMessageWire),
  })
  .meta({ id: "ContextWindowOverview" });

export const ContextQuery: z.ZodType<{ conversation_id?: string }> = z.object({ conversation_id: queryText });

export interface CompactWire {
  compaction_settings?: CompactionSettingsInput;
}

const compactShape = { compaction_settings: optional(CompactionSettingsInput) };

export const CompactWire: z.ZodType<CompactWire> = z.object(compactShape).meta({ id: "CompactionRequest" });

export interface CompactConversationWire extends CompactWire {
  agent_id?: string;
}

export const CompactConversationWire: z.ZodType<CompactConversationWire> = z
  .object({ ...compactShape, agent_id: optional(wireName) })
  .meta({ id: "ConversationCompactionRequest" });

export interface CompactedWire {
  summary: string;
  num_messages_before: number;
  num_messages_after: number;
}

export const CompactedWire: z.ZodType<CompactedWire> = z
  .strictObject({ summary: z.string(), num_messages_before: z.int(), num_messages_after: z.int() })
  .meta({ id: "CompactionResponse" });
