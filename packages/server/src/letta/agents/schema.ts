/** Agents on the wire. */
import { type AgentKind, agentKinds, type JsonObject, stopReasons } from "@memoir/core";
import { z } from "zod";
import { BlockWire, CreateBlockWire } from "../blocks/schema.ts";
import { FileBlockWire } from "../folders/file-block.ts";
import { SourceWire } from "../folders/schema.ts";
import { GroupWire } from "../groups/schema.ts";
import { IdentityWire } from "../identities/schema.ts";
import { MessageWire } from "../messages/schema.ts";
import {
  CompactionSettingsInput,
  CompactionSettingsWire,
  EmbeddingConfigInput,
  EmbeddingConfigWire,
  LlmConfigInput,
  LlmConfigWire,
  ModelSettingsInput,
  ModelSettingsWire,
  ResponseFormatWire,
} from "../models/schema.ts";
import { optional, WireObject, wireInteger, wireList, wireName, wireRecord, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryEnum, queryList, queryText, queryTexts } from "../shared/query.ts";
import { WireTime } from "../shared/time.ts";
import { ToolPermissionsInput, ToolPermissionsWire } from "../tools/permissions-schema.ts";
import { ToolRuleWire, ToolWire } from "../tools/schema.ts";

export const AgentTypeWire: z.ZodType<AgentKind> = z.enum(agentKinds);

export interface MemoryWire {
  agent_type: string;
  git_enabled: boolean;
  blocks: BlockWire[];
  file_blocks: FileBlockWire[];
  prompt_template: string;
}

export const MemoryWire: z.ZodType<MemoryWire> = z
  .strictObject({
    agent_type: z.string(),
    git_enabled: z.boolean(),
    blocks: z.array(BlockWire),
    file_blocks: z.array(FileBlockWire),
    prompt_template: z.string(),
  })
  .meta({ id: "Memory" });

export interface AgentSecretWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string | null;
  updated_at: string | null;
  id: string;
  key: string;
  value: string;
  description: string | null;
  organization_id: string;
  value_enc: string | null;
  agent_id: string;
}

export const AgentSecretWire: z.ZodType<AgentSecretWire> = z
  .strictObject({
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    id: z.string(),
    key: z.string(),
    value: z.string(),
    description: z.string().nullable(),
    organization_id: z.string(),
    value_enc: z.string().nullable(),
    agent_id: z.string(),
  })
  .meta({ id: "AgentEnvironmentVariable" });

export interface AgentWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string | null;
  updated_at: string | null;
  id: string;
  name: string;
  tool_rules: ToolRuleWire[] | null;
  message_ids: string[] | null;
  system: string;
  agent_type: AgentKind;
  llm_config: LlmConfigWire;
  embedding_config: EmbeddingConfigWire | null;
  model: string | null;
  embedding: string | null;
  model_settings: ModelSettingsWire | null;
  compaction_settings: CompactionSettingsWire | null;
  response_format: ResponseFormatWire | null;
  description: string | null;
  metadata: JsonObject | null;
  memory: MemoryWire;
  blocks: BlockWire[];
  tools: ToolWire[];
  sources: SourceWire[];
  tags: string[];
  tool_exec_environment_variables: AgentSecretWire[];
  secrets: AgentSecretWire[];
  project_id: string | null;
  template_id: string | null;
  base_template_id: string | null;
  deployment_id: string | null;
  entity_id: string | null;
  identity_ids: string[];
  identities: IdentityWire[];
  pending_approval: MessageWire | null;
  message_buffer_autoclear: boolean;
  enable_sleeptime: boolean | null;
  multi_agent_group: GroupWire | null;
  managed_group: GroupWire | null;
  last_run_completion: string | null;
  last_run_duration_ms: number | null;
  last_stop_reason: string | null;
  timezone: string | null;
  max_files_open: number | null;
  per_file_view_window_char_limit: number | null;
  hidden: boolean | null;
  /** Our own; only there where some are set. */
  tool_permissions?: ToolPermissionsWire;
}

export const AgentWire: z.ZodType<AgentWire> = z
  .strictObject({
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    id: z.string(),
    name: z.string(),
    tool_rules: z.array(ToolRuleWire).nullable(),
    message_ids: z.array(z.string()).nullable(),
    system: z.string(),
    agent_type: AgentTypeWire,
    llm_config: LlmConfigWire,
    embedding_config: EmbeddingConfigWire.nullable(),
    model: z.string().nullable(),
    embedding: z.string().nullable(),
    model_settings: ModelSettingsWire.nullable(),
    compaction_settings: CompactionSettingsWire.nullable(),
    response_format: ResponseFormatWire.nullable(),
    description: z.string().nullable(),
    metadata: WireObject.nullable(),
    memory: MemoryWire,
    blocks: z.array(BlockWire),
    tools: z.array(ToolWire),
    sources: z.array(SourceWire),
    tags: z.array(z.string()),
    tool_exec_environment_variables: z.array(AgentSecretWire),
    secrets: z.array(AgentSecretWire),
    project_id: z.string().nullable(),
    template_id: z.string().nullable(),
    base_template_id: z.string().nullable(),
    deployment_id: z.string().nullable(),
    entity_id: z.string().nullable(),
    identity_ids: z.array(z.string()),
    identities: z.array(IdentityWire),
    pending_approval: MessageWire.nullable(),
    message_buffer_autoclear: z.boolean(),
    enable_sleeptime: z.boolean().nullable(),
    multi_agent_group: GroupWire.nullable(),
    managed_group: GroupWire.nullable(),
    last_run_completion: z.string().nullable(),
    last_run_duration_ms: z.int().nullable(),
    last_stop_reason: z.enum(stopReasons).nullable(),
    timezone: z.string().nullable(),
    max_files_open: z.int().nullable(),
    per_file_view_window_char_limit: z.int().nullable(),
    hidden: z.boolean().nullable(),
    tool_permissions: ToolPermissionsWire.optional(),
  })
  .meta({ id: "AgentState" });

export interface InitialMessageWire {
  role: "user" | "system" | "assistant";
  content: string | { type: "text"; text: string }[];
  name?: string | null;
  otid?: string | null;
  sender_id?: string | null;
}

export const InitialMessageWire: z.ZodType<InitialMessageWire> = z.object({
  role: z.enum(["user", "system", "assistant"]),
  content: z.union([wireText, wireList(z.object({ type: z.literal("text"), text: wireText }))]),
  name: wireName.nullish(),
  otid: wireName.nullish(),
  sender_id: wireName.nullish(),
});

/** What creating and updating have in common. */
export interface AgentFieldsWire {
  name?: string;
  description?: string;
  metadata?: JsonObject;
  system?: string;
  tool_ids?: string[];
  block_ids?: string[];
  source_ids?: string[];
  folder_ids?: string[];
  identity_ids?: string[];
  tags?: string[];
  tool_rules?: ToolRuleWire[];
  tool_permissions?: ToolPermissionsInput;
  model?: string;
  llm_config?: LlmConfigInput;
  model_settings?: ModelSettingsWire;
  embedding?: string;
  embedding_config?: EmbeddingConfigInput;
  compaction_settings?: CompactionSettingsInput;
  context_window_limit?: number;
  max_tokens?: number | null;
  reasoning?: boolean;
  parallel_tool_calls?: boolean;
  response_format?: ResponseFormatWire;
  secrets?: Record<string, string>;
  tool_exec_environment_variables?: Record<string, string>;
  message_buffer_autoclear?: boolean;
  enable_sleeptime?: boolean;
  timezone?: string;
  max_files_open?: number;
  per_file_view_window_char_limit?: number;
  hidden?: boolean;
  project_id?: string;
  template_id?: string;
  base_template_id?: string;
}

const texts = optional(wireList(wireName));
const secrets = optional(wireRecord(wireName, wireText));
const handle = wireName.regex(/\//, "must have the form provider/model, for example openai/text-embedding-3-small");

const fieldsShape = {
  name: optional(wireName),
  description: optional(wireText),
  metadata: optional(WireObject),
  system: optional(wireText),
  tool_ids: texts,
  block_ids: texts,
  source_ids: texts,
  folder_ids: texts,
  identity_ids: texts,
  tags: optional(wireList(wireName)),
  tool_rules: optional(wireList(ToolRuleWire)),
  tool_permissions: optional(ToolPermissionsInput),
  model: optional(wireName),
  llm_config: optional(LlmConfigInput),
  model_settings: optional(ModelSettingsInput),
  embedding: optional(handle),
  embedding_config: optional(EmbeddingConfigInput),
  compaction_settings: optional(CompactionSettingsInput),
  context_window_limit: optional(wireInteger),
  max_tokens: wireInteger.min(1).nullish(),
  reasoning: optional(z.boolean()),
  parallel_tool_calls: optional(z.boolean()),
  response_format: optional(ResponseFormatWire),
  secrets,
  tool_exec_environment_variables: secrets,
  message_buffer_autoclear: optional(z.boolean()),
  enable_sleeptime: optional(z.boolean()),
  timezone: optional(wireName),
  max_files_open: optional(wireInteger),
  per_file_view_window_char_limit: optional(wireInteger),
  hidden: optional(z.boolean()),
  project_id: optional(wireName),
  template_id: optional(wireName),
  base_template_id: optional(wireName),
};

export interface AgentCreateQuery {
  /** Our own: the model is asked for a word first. */
  check_model?: boolean;
}

export const AgentCreateQuery: z.ZodType<AgentCreateQuery> = z.object({ check_model: queryBoolean });

export interface CreateAgentWire extends AgentFieldsWire {
  agent_type?: AgentKind;
  memory_blocks?: CreateBlockWire[];
  tools?: string[];
  include_base_tools?: boolean;
  include_multi_agent_tools?: boolean;
  include_base_tool_rules?: boolean;
  include_default_source?: boolean;
  embedding_chunk_size?: number;
  max_reasoning_tokens?: number;
  enable_reasoner?: boolean;
  initial_message_sequence?: InitialMessageWire[];
}

export const createAgentShape = {
  ...fieldsShape,
  agent_type: optional(AgentTypeWire),
  memory_blocks: optional(wireList(CreateBlockWire)),
  tools: texts,
  include_base_tools: optional(z.boolean()),
  include_multi_agent_tools: optional(z.boolean()),
  include_base_tool_rules: optional(z.boolean()),
  include_default_source: optional(z.boolean()),
  embedding_chunk_size: optional(wireInteger.min(1)),
  max_reasoning_tokens: optional(wireInteger.min(0)),
  enable_reasoner: optional(z.boolean()),
  initial_message_sequence: optional(wireList(InitialMessageWire)),
};

export const CreateAgentWire: z.ZodType<CreateAgentWire> = z
  .object(createAgentShape)
  .meta({ id: "CreateAgentRequest" });

export interface UpdateAgentWire extends AgentFieldsWire {
  message_ids?: string[];
  last_run_completion?: string;
  last_run_duration_ms?: number;
  last_stop_reason?: string;
}

export const UpdateAgentWire: z.ZodType<UpdateAgentWire> = z
  .object({
    ...fieldsShape,
    message_ids: texts,
    last_run_completion: optional(WireTime),
    last_run_duration_ms: optional(wireInteger.min(0)),
    last_stop_reason: optional(z.enum(stopReasons)),
  })
  .meta({ id: "UpdateAgent" });

const includeNames = [
  "agent.blocks",
  "agent.identities",
  "agent.managed_group",
  "agent.pending_approval",
  "agent.secrets",
  "agent.sources",
  "agent.tags",
  "agent.tools",
] as const;

export interface AgentRetrieveQuery {
  include?: (typeof includeNames)[number][];
  include_relationships?: string[];
}

export type AgentIncludeQuery = AgentRetrieveQuery & PageQuery;

const includeShape = { include: queryList(z.enum(includeNames)), include_relationships: queryTexts };

export const AgentRetrieveQuery: z.ZodType<AgentRetrieveQuery> = z.object(includeShape);
export const AgentIncludeQuery: z.ZodType<AgentIncludeQuery> = z.object({ ...pageShape, ...includeShape });

export interface AgentFilterQuery {
  name?: string;
  query_text?: string;
  tags?: string[];
  match_all_tags?: boolean;
  identity_id?: string;
  identifier_keys?: string[];
  project_id?: string;
  template_id?: string;
  base_template_id?: string;
  last_stop_reason?: string;
  created_by_id?: string;
  show_hidden_agents?: boolean;
}

const filterShape = {
  name: queryText,
  query_text: queryText,
  tags: queryTexts,
  match_all_tags: queryBoolean,
  identity_id: queryText,
  identifier_keys: queryTexts,
  project_id: queryText,
  template_id: queryText,
  base_template_id: queryText,
  last_stop_reason: queryEnum(...stopReasons),
  created_by_id: queryText,
  show_hidden_agents: queryBoolean,
};

export const AgentFilterQuery: z.ZodType<AgentFilterQuery> = z.object(filterShape);

const orders = ["created_at", "updated_at", "last_run_completion"] as const;

export interface AgentListQuery extends AgentFilterQuery, AgentIncludeQuery {
  order_by?: (typeof orders)[number];
  sort_by?: string;
}

export const AgentListQuery: z.ZodType<AgentListQuery> = z.object({
  ...filterShape,
  ...pageShape,
  ...includeShape,
  order_by: queryEnum(...orders),
  sort_by: queryText,
});

export interface AgentParams {
  agent_id: string;
}

export const AgentParams: z.ZodType<AgentParams> = z.object({ agent_id: idSchema("agent") });

export interface AgentBlockParams extends AgentParams {
  block_id: string;
}

export const AgentBlockParams: z.ZodType<AgentBlockParams> = z.object({
  agent_id: idSchema("agent"),
  block_id: idSchema("block"),
});

export interface AgentLabelParams extends AgentParams {
  block_label: string;
}

export const AgentLabelParams: z.ZodType<AgentLabelParams> = z.object({
  agent_id: idSchema("agent"),
  block_label: wireName,
});

export interface AgentIdentityParams extends AgentParams {
  identity_id: string;
}

/** The identity's id is checked later, as an argument. */
export const AgentIdentityParams: z.ZodType<AgentIdentityParams> = z.object({
  agent_id: idSchema("agent"),
  identity_id: wireName,
});

export interface DeletedWire {
  message: string;
}

export const DeletedWire: z.ZodType<DeletedWire> = z.strictObject({ message: z.string() });
