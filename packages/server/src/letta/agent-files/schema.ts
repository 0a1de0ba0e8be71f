/** Agent files as they are written, and what is asked when one is made or taken in. */
import { type AgentKind, agentKinds, type JsonObject } from "@memoir/core";
import { z } from "zod";
import type { Upload } from "../../form.ts";
import { CompactionSettingsWire, EmbeddingConfigWire, LlmConfigWire, ResponseFormatWire } from "../models/schema.ts";
import { optional, WireObject, wireName } from "../shared/fields.ts";
import { queryBoolean, queryInteger, queryText } from "../shared/query.ts";
import { ToolRuleWire, ToolWire } from "../tools/schema.ts";

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

const AgentOfFileWire: z.ZodType<AgentOfFileWire> = z.strictObject({
  name: z.string(),
  memory_blocks: nothing,
  tools: nothing,
  tool_ids: texts,
  source_ids: texts,
  folder_ids: none,
  block_ids: texts,
  tool_rules: z.array(ToolRuleWire),
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

export interface BlockOfFileWire {
  value: string;
  limit: number;
  project_id: null;
  template_name: string | null;
  is_template: boolean;
  template_id: null;
  base_template_id: null;
  deployment_id: null;
  entity_id: null;
  preserve_on_migration: boolean | null;
  label: string;
  read_only: boolean;
  description: string | null;
  metadata: JsonObject;
  hidden: boolean | null;
  tags: string[] | null;
  id: string;
}

const BlockOfFileWire: z.ZodType<BlockOfFileWire> = z.strictObject({
  value: z.string(),
  limit: z.int(),
  project_id: none,
  template_name: text,
  is_template: z.boolean(),
  template_id: none,
  base_template_id: none,
  deployment_id: none,
  entity_id: none,
  preserve_on_migration: flag,
  label: z.string(),
  read_only: z.boolean(),
  description: text,
  metadata: WireObject,
  hidden: flag,
  tags: texts.nullable(),
  id: z.string(),
});

export interface SourceOfFileWire {
  name: string;
  description: string | null;
  instructions: string | null;
  metadata: JsonObject | null;
  embedding: null;
  embedding_chunk_size: null;
  embedding_config: EmbeddingConfigWire | null;
  id: string;
}

export interface FileOfFileWire {
  source_id: string;
  file_name: string;
  original_file_name: string | null;
  file_path: null;
  file_type: string | null;
  file_size: number | null;
  file_creation_date: string | null;
  file_last_modified_date: string | null;
  processing_status: string;
  error_message: string | null;
  total_chunks: number | null;
  chunks_embedded: number | null;
  content: string | null;
  id: string;
}

const SourceOfFileWire: z.ZodType<SourceOfFileWire> = z.strictObject({
  name: z.string(),
  description: text,
  instructions: text,
  metadata: WireObject.nullable(),
  embedding: none,
  embedding_chunk_size: none,
  embedding_config: EmbeddingConfigWire.nullable(),
  id: z.string(),
});

const FileOfFileWire: z.ZodType<FileOfFileWire> = z.strictObject({
  source_id: z.string(),
  file_name: z.string(),
  original_file_name: text,
  file_path: none,
  file_type: text,
  file_size: count,
  file_creation_date: text,
  file_last_modified_date: text,
  processing_status: z.string(),
  error_message: text,
  total_chunks: count,
  chunks_embedded: count,
  content: text,
  id: z.string(),
});

export type ManagerWire =
  | { manager_type: "round_robin"; max_turns: number | null }
  | { manager_type: "supervisor"; manager_agent_id: string | null }
  | {
      manager_type: "dynamic";
      manager_agent_id: string | null;
      termination_token: string | null;
      max_turns: number | null;
    }
  | { manager_type: "sleeptime"; manager_agent_id: string | null; sleeptime_agent_frequency: number | null }
  | {
      manager_type: "voice_sleeptime";
      manager_agent_id: string | null;
      max_message_buffer_length: number | null;
      min_message_buffer_length: number | null;
    };

const managed = { manager_agent_id: text };

const ManagerWire: z.ZodType<ManagerWire> = z.discriminatedUnion("manager_type", [
  z.strictObject({ manager_type: z.literal("round_robin"), max_turns: count }),
  z.strictObject({ manager_type: z.literal("supervisor"), ...managed }),
  z.strictObject({ manager_type: z.literal("dynamic"), ...managed, termination_token: text, max_turns: count }),
  z.strictObject({ manager_type: z.literal("sleeptime"), ...managed, sleeptime_agent_frequency: count }),
  z.strictObject({
    manager_type: z.literal("voice_sleeptime"),
    ...managed,
    max_message_buffer_length: count,
    min_message_buffer_length: count,
  }),
]);

export interface GroupOfFileWire {
  agent_ids: string[];
  description: string;
  manager_config: ManagerWire;
  project_id: null;
  shared_block_ids: string[];
  hidden: boolean | null;
  id: string;
}

const GroupOfFileWire: z.ZodType<GroupOfFileWire> = z.strictObject({
  agent_ids: texts,
  description: z.string(),
  manager_config: ManagerWire,
  project_id: none,
  shared_block_ids: texts,
  hidden: flag,
  id: z.string(),
});

export interface ServerOfFileWire {
  id: string;
  server_type: string;
  server_name: string;
  server_url: string | null;
  stdio_config: JsonObject | null;
  metadata_: JsonObject | null;
}

const ServerOfFileWire: z.ZodType<ServerOfFileWire> = z.strictObject({
  id: z.string(),
  server_type: z.string(),
  server_name: z.string(),
  server_url: text,
  stdio_config: WireObject.nullable(),
  metadata_: WireObject.nullable(),
});

export interface SkillWire {
  name: string;
  files?: Record<string, string> | null;
  source_url?: string | null;
}

const skillShape = {
  name: wireName.min(1),
  files: z.record(z.string(), z.string()).nullish(),
  source_url: z.string().nullish(),
};

/** One of the two says what the skill is. */
export const SkillWire: z.ZodType<SkillWire> = z
  .object(skillShape)
  .refine(({ files, source_url }) => files != null || source_url != null, {
    error: "a skill needs files or a source_url",
    path: ["files"],
  })
  .refine(({ files }) => files == null || "SKILL.md" in files, {
    error: "the files of a skill must hold SKILL.md",
    path: ["files"],
  })
  .meta({ id: "SkillSchema" });

export interface AgentFileWire {
  agents: AgentOfFileWire[];
  groups: GroupOfFileWire[];
  blocks: BlockOfFileWire[];
  files: FileOfFileWire[];
  sources: SourceOfFileWire[];
  tools: ToolWire[];
  mcp_servers: ServerOfFileWire[];
  skills: SkillWire[];
  metadata: Record<string, string>;
  created_at: string;
}

export const AgentFileWire: z.ZodType<AgentFileWire> = z
  .strictObject({
    agents: z.array(AgentOfFileWire),
    groups: z.array(GroupOfFileWire),
    blocks: z.array(BlockOfFileWire),
    files: z.array(FileOfFileWire),
    sources: z.array(SourceOfFileWire),
    tools: z.array(ToolWire),
    mcp_servers: z.array(ServerOfFileWire),
    skills: z.array(z.strictObject(skillShape)),
    metadata: z.record(z.string(), z.string()),
    created_at: z.string(),
  })
  .meta({ id: "AgentFileSchema" });

export interface ExportQuery {
  conversation_id?: string;
  scrub_messages?: boolean;
  use_legacy_format?: boolean;
  max_steps?: number;
}

export const ExportQuery: z.ZodType<ExportQuery> = z.object({
  conversation_id: queryText,
  scrub_messages: queryBoolean,
  use_legacy_format: queryBoolean,
  max_steps: queryInteger(),
});

export interface ExportAgentWire {
  skills?: SkillWire[];
  conversation_id?: string;
  scrub_messages?: boolean;
}

export const ExportAgentWire: z.ZodType<ExportAgentWire> = z
  .object({
    skills: optional(z.array(SkillWire)),
    conversation_id: optional(z.string()),
    scrub_messages: optional(z.boolean()),
  })
  .meta({ id: "ExportAgentRequest" });

export interface ImportForm {
  /** A form may hold the file's text as it is, without naming a file. */
  file: string | Upload;
  override_existing_tools?: boolean;
  strip_messages?: boolean;
  append_copy_suffix?: boolean;
  secrets?: string;
  env_vars_json?: string;
  name?: string;
  override_name?: string;
  embedding?: string;
  override_embedding_handle?: string;
  model?: string;
  override_model_handle?: string;
  project_id?: string;
}

const isUpload = (value: unknown): value is string | Upload =>
  typeof value === "string" || (typeof value === "object" && value !== null && "bytes" in value);

const UploadField = z
  .custom<string | Upload>(isUpload, { error: "Field required: the agent file, as a file of the form" })
  .meta({ type: "string", format: "binary" });

/** An empty field says nothing. */
const formText: z.ZodType<string | undefined> = z.preprocess(
  (value) => (value === "" ? undefined : value),
  z.string().optional(),
);

export const ImportForm: z.ZodType<ImportForm> = z
  .object({
    file: UploadField,
    override_existing_tools: queryBoolean,
    strip_messages: queryBoolean,
    append_copy_suffix: queryBoolean,
    secrets: formText,
    env_vars_json: formText,
    name: formText,
    override_name: formText,
    embedding: formText,
    override_embedding_handle: formText,
    model: formText,
    override_model_handle: formText,
    project_id: formText,
  })
  .meta({ id: "Body_import_agent" });

export interface ImportedWire {
  agent_ids: string[];
  /** Our own: what is not as it stands in the file. */
  notes?: string[];
}

export const ImportedWire: z.ZodType<ImportedWire> = z
  .strictObject({ agent_ids: texts, notes: texts.optional() })
  .meta({ id: "ImportedAgentsResponse" });
