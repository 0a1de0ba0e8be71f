/** Agent files as they are read. Fields that are not known here are passed over: other versions write other ones. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { EmbeddingConfigInput } from "../models/schema.ts";
import { optional, WireObject, wireInteger, wireList, wireName } from "../shared/fields.ts";
import { type ToolType, toolTypes } from "../tools/schema.ts";
import { AgentInput } from "./agent-schema.ts";

const text = optional(z.string());
const texts = optional(wireList(z.string()));
const flag = optional(z.boolean());

export interface BlockInput {
  id: string;
  label: string;
  value?: string;
  limit?: number;
  description?: string;
  metadata?: JsonObject;
  read_only?: boolean;
  hidden?: boolean;
  is_template?: boolean;
  template_name?: string;
  preserve_on_migration?: boolean;
  tags?: string[];
}

const blockShape = {
  label: wireName,
  value: text,
  limit: optional(wireInteger.min(1)),
  description: text,
  metadata: optional(WireObject),
  read_only: flag,
  hidden: flag,
  is_template: flag,
  template_name: text,
  preserve_on_migration: flag,
  tags: optional(wireList(wireName)),
};

export interface ToolInput {
  id: string;
  name: string;
  tool_type?: ToolType;
  description?: string;
  source_type?: string;
  source_code?: string;
  json_schema?: JsonObject;
  args_json_schema?: JsonObject;
  tags?: string[];
  return_char_limit?: number;
  pip_requirements?: JsonObject[];
  npm_requirements?: JsonObject[];
  default_requires_approval?: boolean;
  enable_parallel_execution?: boolean;
  metadata_?: JsonObject;
}

const toolShape = {
  name: wireName.min(1),
  tool_type: optional(z.enum(toolTypes)),
  description: text,
  source_type: text,
  source_code: text,
  json_schema: optional(WireObject),
  args_json_schema: optional(WireObject),
  tags: texts,
  return_char_limit: optional(wireInteger.min(1)),
  pip_requirements: optional(z.array(WireObject)),
  npm_requirements: optional(z.array(WireObject)),
  default_requires_approval: flag,
  enable_parallel_execution: flag,
  metadata_: optional(WireObject),
};

export const BlockBody: z.ZodType<Omit<BlockInput, "id">> = z.object(blockShape);
export const ToolBody: z.ZodType<Omit<ToolInput, "id">> = z.object(toolShape);

export interface SourceInput {
  id: string;
  name: string;
  description?: string;
  instructions?: string;
  metadata?: JsonObject;
  embedding_config?: EmbeddingConfigInput;
}

const SourceInput = z.object({
  id: z.string(),
  name: wireName.min(1),
  description: text,
  instructions: text,
  metadata: optional(WireObject),
  embedding_config: optional(EmbeddingConfigInput),
});

export interface FileInput {
  id: string;
  source_id: string;
  file_name?: string;
  original_file_name?: string;
  file_type?: string;
  file_size?: number;
  file_creation_date?: string;
  file_last_modified_date?: string;
  content?: string;
}

const FileInput = z.object({
  id: z.string(),
  source_id: z.string(),
  file_name: optional(wireName),
  original_file_name: text,
  file_type: text,
  file_size: optional(wireInteger.min(0)),
  file_creation_date: text,
  file_last_modified_date: text,
  content: text,
});

const managerTypes = ["round_robin", "supervisor", "dynamic", "sleeptime", "voice_sleeptime"] as const;

export interface GroupInput {
  id: string;
  agent_ids: string[];
  description: string;
  manager_config?: {
    manager_type?: (typeof managerTypes)[number];
    manager_agent_id?: string;
    termination_token?: string;
    max_turns?: number;
    sleeptime_agent_frequency?: number;
    max_message_buffer_length?: number;
    min_message_buffer_length?: number;
  };
  shared_block_ids?: string[];
  hidden?: boolean;
}

const count = optional(wireInteger);

const GroupInput = z.object({
  id: z.string(),
  agent_ids: wireList(z.string()),
  description: z.string(),
  manager_config: optional(
    z.object({
      manager_type: optional(z.enum(managerTypes)),
      manager_agent_id: text,
      termination_token: text,
      max_turns: count,
      sleeptime_agent_frequency: count,
      max_message_buffer_length: count,
      min_message_buffer_length: count,
    }),
  ),
  shared_block_ids: texts,
  hidden: flag,
});

export interface ServerInput {
  id: string;
  server_type: "sse" | "stdio" | "streamable_http";
  server_name: string;
  server_url?: string;
  stdio_config?: { command?: string; args?: string[] };
  metadata_?: JsonObject;
}

const ServerInput = z.object({
  id: z.string(),
  server_type: z.enum(["sse", "stdio", "streamable_http"]),
  server_name: wireName.min(1),
  server_url: text,
  stdio_config: optional(z.object({ command: text, args: optional(z.array(z.string())) })),
  metadata_: optional(WireObject),
});

export interface AgentFileInput {
  agents: AgentInput[];
  groups: GroupInput[];
  blocks: BlockInput[];
  files: FileInput[];
  sources: SourceInput[];
  tools: ToolInput[];
  mcp_servers: ServerInput[];
}

export const AgentFileInput: z.ZodType<AgentFileInput> = z.object({
  agents: wireList(AgentInput),
  groups: wireList(GroupInput),
  blocks: wireList(z.object({ ...blockShape, id: z.string() })),
  files: wireList(FileInput),
  sources: wireList(SourceInput),
  tools: wireList(z.object({ ...toolShape, id: z.string() })),
  mcp_servers: wireList(ServerInput),
});
