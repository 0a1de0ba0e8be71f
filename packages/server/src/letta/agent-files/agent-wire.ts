/** Agents and their messages in agent files, as they are written. */
import { type AgentKind, agentKinds, type JsonObject } from "@memoir/core";
import { z } from "zod";
import { CompactionSettingsWire, EmbeddingConfigWire, LlmConfigWire, ResponseFormatWire } from "../models/schema.ts";
import { WireObject } from "../shared/fields.ts";
import { ToolPermissionsWire } from "../tools/permissions-schema.ts";
import { ToolRuleWire } from "../tools/schema.ts";

const text = z.string().nullable();
const texts = z.array(z.string());
const flag = z.boolean().nullable();
const count = z.int().nullable();
const none = z.null();
const off = z.literal(false);
const nothing = z.array(z.never());

export interface MessageFileWire {
  type: "message";
  otid: string;
  group_id: null;
  role: string;
  content: JsonObject[];
  name: string | null;
  sender_id: null;
  batch_item_id: null;
  id: string;
  model: string | null;
  agent_id: string;
  tool_calls:
    | { id: string; function: { arguments: string; name: string }; type: "function"; signature?: string }[]
    | null;
  tool_call_id: string | null;
  tool_returns: {
    tool_call_id: string;
    status: "success" | "error";
    stdout: string[] | null;
    stderr: string[] | null;
    func_response: string;
  }[];
  created_at: string;
  approve: null;
  approval_request_id: null;
  denial_reason: null;
  approvals: JsonObject[];
}

const MessageFileWire: z.ZodType<MessageFileWire> = z.strictObject({
  type: z.literal("message"),
  otid: z.string(),
  group_id: none,
  role: z.enum(["assistant", "user", "tool", "system", "approval", "summary"]),
  content: z.array(WireObject),
  name: text,
  sender_id: none,
  batch_item_id: none,
  id: z.string(),
  model: text,
  agent_id: z.string(),
  tool_calls: z
    .array(
      z.strictObject({
        id: z.string(),
        function: z.strictObject({ arguments: z.string(), name: z.string() }),
        type: z.literal("function"),
        signature: z.string().optional(),
      }),
    )
    .nullable(),
  tool_call_id: text,
  tool_returns: z.array(
    z.strictObject({
      tool_call_id: z.string(),
      status: z.enum(["success", "error"]),
      stdout: texts.nullable(),
      stderr: texts.nullable(),
      func_response: z.string(),
    }),
  ),
  created_at: z.string(),
  approve: none,
  approval_request_id: none,
  denial_reason: none,
  approvals: z.array(WireObject),
});

export interface FileLinkWire {
  agent_id: string;
  file_id: string;
  source_id: string;
  file_name: string;
  is_open: boolean;
  visible_content: string | null;
  last_accessed_at: string | null;
  start_line: null;
  end_line: null;
  id: string;
}

const FileLinkWire: z.ZodType<FileLinkWire> = z.strictObject({
  agent_id: z.string(),
  file_id: z.string(),
  source_id: z.string(),
  file_name: z.string(),
  is_open: z.boolean(),
  visible_content: text,
  last_accessed_at: text,
  start_line: none,
  end_line: none,
  id: z.string(),
});

export interface AgentOfFileWire {
  name: string;
  memory_blocks: never[];
  tools: never[];
  tool_ids: string[];
  source_ids: string[];
  folder_ids: null;
  block_ids: string[];
  tool_rules: ToolRuleWire[];
  /** Our own; only there where some are set. */
  tool_permissions?: ToolPermissionsWire;
  tags: string[];
  system: string;
  agent_type: AgentKind;
  initial_message_sequence: null;
  include_base_tools: false;
  include_multi_agent_tools: false;
  include_base_tool_rules: false;
  include_default_source: false;
  description: string | null;
  metadata: JsonObject | null;
  llm_config: LlmConfigWire | null;
  embedding_config: EmbeddingConfigWire | null;
  model: null;
  embedding: null;
  model_settings: null;
  compaction_settings: CompactionSettingsWire | null;
  context_window_limit: null;
  embedding_chunk_size: null;
  max_tokens: null;
  max_reasoning_tokens: null;
  enable_reasoner: false;
  reasoning: null;
  from_template: null;
  template: false;
  project: null;
  tool_exec_environment_variables: Record<string, string>;
  secrets: Record<string, string> | null;
  memory_variables: null;
  project_id: null;
  template_id: null;
  base_template_id: null;
  identity_ids: null;
  message_buffer_autoclear: boolean;
  enable_sleeptime: false;
  response_format: ResponseFormatWire | null;
  timezone: string;
  max_files_open: number | null;
  per_file_view_window_char_limit: number | null;
  hidden: boolean | null;
  parallel_tool_calls: null;
  id: string;
  in_context_message_ids: string[];
  messages: MessageFileWire[];
  files_agents: FileLinkWire[];
  group_ids: string[];
}

export const AgentOfFileWire: z.ZodType<AgentOfFileWire> = z.strictObject({
  name: z.string(),
  memory_blocks: nothing,
  tools: nothing,
  tool_ids: texts,
  source_ids: texts,
  folder_ids: none,
  block_ids: texts,
  tool_rules: z.array(ToolRuleWire),
  tool_permissions: ToolPermissionsWire.optional(),
  tags: texts,
  system: z.string(),
  agent_type: z.enum(agentKinds),
  initial_message_sequence: none,
  include_base_tools: off,
  include_multi_agent_tools: off,
  include_base_tool_rules: off,
  include_default_source: off,
  description: text,
  metadata: WireObject.nullable(),
  llm_config: LlmConfigWire.nullable(),
  embedding_config: EmbeddingConfigWire.nullable(),
  model: none,
  embedding: none,
  model_settings: none,
  compaction_settings: CompactionSettingsWire.nullable(),
  context_window_limit: none,
  embedding_chunk_size: none,
  max_tokens: none,
  max_reasoning_tokens: none,
  enable_reasoner: off,
  reasoning: none,
  from_template: none,
  template: off,
  project: none,
  tool_exec_environment_variables: z.record(z.string(), z.literal("")),
  secrets: z.record(z.string(), z.literal("")).nullable(),
  memory_variables: none,
  project_id: none,
  template_id: none,
  base_template_id: none,
  identity_ids: none,
  message_buffer_autoclear: z.boolean(),
  enable_sleeptime: off,
  response_format: ResponseFormatWire.nullable(),
  timezone: z.string(),
  max_files_open: count,
  per_file_view_window_char_limit: count,
  hidden: flag,
  parallel_tool_calls: none,
  id: z.string(),
  in_context_message_ids: texts,
  messages: z.array(MessageFileWire),
  files_agents: z.array(FileLinkWire),
  group_ids: texts,
});
