/** Agents in agent files as they are read. */
import type { AgentKind, JsonObject } from "@memoir/core";
import { z } from "zod";
import { AgentTypeWire } from "../agents/schema.ts";
import {
  CompactionSettingsInput,
  EmbeddingConfigInput,
  LlmConfigInput,
  ModelSettingsInput,
  type ModelSettingsWire,
  ResponseFormatWire,
} from "../models/schema.ts";
import { optional, WireObject, wireInteger, wireList, wireName } from "../shared/fields.ts";
import { WireTime } from "../shared/time.ts";
import { ToolPermissionsInput } from "../tools/permissions-schema.ts";
import { ToolRuleWire } from "../tools/schema.ts";
import { FileMessage } from "./message-schema.ts";

/** What agents of both formats have. */
export interface FileAgentBody {
  name: string;
  agent_type?: AgentKind;
  system?: string;
  description?: string;
  llm_config?: LlmConfigInput;
  embedding_config?: EmbeddingConfigInput;
  tool_rules?: ToolRuleWire[];
  tool_permissions?: ToolPermissionsInput;
  message_buffer_autoclear?: boolean;
  response_format?: ResponseFormatWire;
  timezone?: string;
  max_files_open?: number;
  per_file_view_window_char_limit?: number;
}

const text = optional(z.string());
const texts = optional(wireList(z.string()));
const secrets = optional(z.record(wireName, z.string()));
const flag = optional(z.boolean());

export const agentBodyShape = {
  name: wireName,
  agent_type: optional(AgentTypeWire),
  system: text,
  description: text,
  llm_config: optional(LlmConfigInput),
  embedding_config: optional(EmbeddingConfigInput),
  tool_rules: optional(wireList(ToolRuleWire)),
  tool_permissions: optional(ToolPermissionsInput),
  message_buffer_autoclear: flag,
  response_format: optional(ResponseFormatWire),
  timezone: text,
  max_files_open: optional(wireInteger),
  per_file_view_window_char_limit: optional(wireInteger),
};

export interface FileLinkInput {
  agent_id: string;
  file_id: string;
  source_id: string;
  is_open?: boolean;
  visible_content?: string;
  last_accessed_at?: string;
  start_line?: number;
  end_line?: number;
}

const FileLinkInput = z.object({
  agent_id: z.string(),
  file_id: z.string(),
  source_id: z.string(),
  is_open: flag,
  visible_content: text,
  last_accessed_at: optional(WireTime),
  start_line: optional(wireInteger),
  end_line: optional(wireInteger),
});

export interface AgentInput extends FileAgentBody {
  id: string;
  metadata?: JsonObject;
  tags?: string[];
  model?: string;
  embedding?: string;
  model_settings?: ModelSettingsWire;
  compaction_settings?: CompactionSettingsInput;
  tool_ids?: string[];
  block_ids?: string[];
  source_ids?: string[];
  folder_ids?: string[];
  group_ids?: string[];
  tool_exec_environment_variables?: Record<string, string>;
  secrets?: Record<string, string>;
  enable_sleeptime?: boolean;
  hidden?: boolean;
  in_context_message_ids?: string[];
  messages?: FileMessage[];
  files_agents?: FileLinkInput[];
}

export const AgentInput: z.ZodType<AgentInput> = z.object({
  ...agentBodyShape,
  id: z.string(),
  metadata: optional(WireObject),
  tags: optional(wireList(wireName)),
  model: text,
  embedding: text,
  model_settings: optional(ModelSettingsInput),
  compaction_settings: optional(CompactionSettingsInput),
  tool_ids: texts,
  block_ids: texts,
  source_ids: texts,
  folder_ids: texts,
  group_ids: texts,
  tool_exec_environment_variables: secrets,
  secrets,
  enable_sleeptime: flag,
  hidden: flag,
  in_context_message_ids: optional(z.array(z.string())),
  messages: optional(z.array(FileMessage)),
  files_agents: optional(wireList(FileLinkInput)),
});
