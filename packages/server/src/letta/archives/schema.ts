/** Archives on the wire. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { EmbeddingConfigInput, EmbeddingConfigWire } from "../models/schema.ts";
import { optional, WireObject, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryText } from "../shared/query.ts";

export interface ArchiveWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string;
  updated_at: string | null;
  name: string;
  description: string | null;
  organization_id: string;
  vector_db_provider: "native";
  embedding_config: EmbeddingConfigWire | null;
  metadata: JsonObject | null;
  id: string;
}

export const ArchiveWire: z.ZodType<ArchiveWire> = z
  .strictObject({
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string().nullable(),
    name: z.string(),
    description: z.string().nullable(),
    organization_id: z.string(),
    vector_db_provider: z.literal("native"),
    embedding_config: EmbeddingConfigWire.nullable(),
    metadata: WireObject.nullable(),
    id: z.string(),
  })
  .meta({ id: "Archive" });

export interface CreateArchiveWire {
  name: string;
  embedding?: string;
  embedding_config?: EmbeddingConfigInput;
  description?: string;
}

export const CreateArchiveWire: z.ZodType<CreateArchiveWire> = z
  .object({
    name: wireName,
    embedding: optional(wireName),
    embedding_config: optional(EmbeddingConfigInput),
    description: optional(wireText),
  })
  .meta({ id: "ArchiveCreateRequest" });

export interface ArchiveUpdateWire {
  name?: string;
  description?: string;
}

export const ArchiveUpdateWire: z.ZodType<ArchiveUpdateWire> = z
  .object({ name: optional(wireName), description: optional(wireText) })
  .meta({ id: "ArchiveUpdateRequest" });

export interface ArchiveListQuery extends PageQuery {
  name?: string;
  agent_id?: string;
}

export const ArchiveListQuery: z.ZodType<ArchiveListQuery> = z.object({
  ...pageShape,
  name: queryText,
  agent_id: queryText,
});

export interface ArchiveParams {
  archive_id: string;
}

export const ArchiveParams: z.ZodType<ArchiveParams> = z.object({ archive_id: idSchema("archive") });

export interface AgentArchiveParams extends ArchiveParams {
  agent_id: string;
}

/** The archive's id is checked later, as an argument. */
export const AgentArchiveParams: z.ZodType<AgentArchiveParams> = z.object({
  agent_id: idSchema("agent"),
  archive_id: wireName,
});
