/** What agents hold, in agent files, as it is written. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { EmbeddingConfigWire } from "../models/schema.ts";
import { WireObject } from "../shared/fields.ts";

const text = z.string().nullable();
const texts = z.array(z.string());
const flag = z.boolean().nullable();
const count = z.int().nullable();
const none = z.null();

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

export const BlockOfFileWire: z.ZodType<BlockOfFileWire> = z.strictObject({
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

export const SourceOfFileWire: z.ZodType<SourceOfFileWire> = z.strictObject({
  name: z.string(),
  description: text,
  instructions: text,
  metadata: WireObject.nullable(),
  embedding: none,
  embedding_chunk_size: none,
  embedding_config: EmbeddingConfigWire.nullable(),
  id: z.string(),
});

export const FileOfFileWire: z.ZodType<FileOfFileWire> = z.strictObject({
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

export const GroupOfFileWire: z.ZodType<GroupOfFileWire> = z.strictObject({
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

export const ServerOfFileWire: z.ZodType<ServerOfFileWire> = z.strictObject({
  id: z.string(),
  server_type: z.string(),
  server_name: z.string(),
  server_url: text,
  stdio_config: WireObject.nullable(),
  metadata_: WireObject.nullable(),
});
