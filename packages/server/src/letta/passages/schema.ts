/** Passages on the wire, and searches for them. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { EmbeddingConfigWire } from "../models/schema.ts";
import { optional, WireObject, wireInteger, wireList, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryEnum, queryInteger, queryText, queryTexts } from "../shared/query.ts";
import { WireTime } from "../shared/time.ts";

export interface PassageWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string | null;
  updated_at: string | null;
  is_deleted: boolean;
  organization_id: string;
  archive_id: string | null;
  source_id: string | null;
  file_id: string | null;
  file_name: string | null;
  metadata: JsonObject | null;
  tags: string[] | null;
  id: string;
  text: string;
  embedding: number[] | null;
  embedding_config: EmbeddingConfigWire | null;
}

export const PassageWire: z.ZodType<PassageWire> = z
  .strictObject({
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    is_deleted: z.boolean(),
    organization_id: z.string(),
    archive_id: z.string().nullable(),
    source_id: z.string().nullable(),
    file_id: z.string().nullable(),
    file_name: z.string().nullable(),
    metadata: WireObject.nullable(),
    tags: z.array(z.string()).nullable(),
    id: z.string(),
    text: z.string(),
    embedding: z.array(z.number()).nullable(),
    embedding_config: EmbeddingConfigWire.nullable(),
  })
  .meta({ id: "Passage" });

export interface CreateAgentPassageWire {
  text: string;
  tags?: string[];
  created_at?: string;
}

const agentPassageShape = {
  text: wireText,
  tags: optional(wireList(wireName)),
  created_at: optional(WireTime),
};

export const CreateAgentPassageWire: z.ZodType<CreateAgentPassageWire> = z
  .object(agentPassageShape)
  .meta({ id: "CreateArchivalMemory" });

export interface CreatePassageWire extends CreateAgentPassageWire {
  metadata?: JsonObject;
}

export const CreatePassageWire: z.ZodType<CreatePassageWire> = z
  .object({ ...agentPassageShape, metadata: optional(WireObject) })
  .meta({ id: "PassageCreateRequest" });

export interface CreatePassagesWire {
  passages: CreatePassageWire[];
}

export const CreatePassagesWire: z.ZodType<CreatePassagesWire> = z
  .object({ passages: wireList(CreatePassageWire) })
  .meta({ id: "PassageBatchCreateRequest" });

export interface PassageSearchWire {
  query?: string;
  agent_id?: string;
  archive_id?: string;
  tags?: string[];
  tag_match_mode?: "any" | "all";
  limit?: number;
  start_date?: string;
  end_date?: string;
}

export const PassageSearchWire: z.ZodType<PassageSearchWire> = z
  .object({
    query: optional(wireText),
    agent_id: optional(wireName),
    archive_id: optional(wireName),
    tags: optional(wireList(wireName)),
    tag_match_mode: z.enum(["any", "all"]).optional(),
    limit: wireInteger.min(1).max(100).optional(),
    start_date: optional(WireTime),
    end_date: optional(WireTime),
  })
  .meta({ id: "PassageSearchRequest" });

export interface PassageHitWire {
  passage: PassageWire;
  score: number;
  metadata: JsonObject;
}

export const PassageHitWire: z.ZodType<PassageHitWire> = z
  .strictObject({ passage: PassageWire, score: z.number(), metadata: WireObject })
  .meta({ id: "PassageSearchResult" });

export interface AgentPassageSearchQuery {
  query: string;
  tags?: string[];
  tag_match_mode?: "any" | "all";
  top_k?: number;
  start_datetime?: string;
  end_datetime?: string;
}

export const AgentPassageSearchQuery: z.ZodType<AgentPassageSearchQuery> = z.object({
  query: z.preprocess((value) => (Array.isArray(value) ? value.at(-1) : value), wireText),
  tags: queryTexts,
  tag_match_mode: queryEnum("any", "all"),
  top_k: queryInteger(1),
  start_datetime: queryText,
  end_datetime: queryText,
});

export interface FoundPassagesWire {
  results: { id: string; timestamp: string; content: string; tags: string[] }[];
  count: number;
}

export const FoundPassagesWire: z.ZodType<FoundPassagesWire> = z
  .strictObject({
    results: z.array(
      z.strictObject({ id: z.string(), timestamp: z.string(), content: z.string(), tags: z.array(z.string()) }),
    ),
    count: z.int(),
  })
  .meta({ id: "ArchivalMemorySearchResponse" });

export interface AgentPassageListQuery extends PageQuery {
  search?: string;
}

export const AgentPassageListQuery: z.ZodType<AgentPassageListQuery> = z.object({
  ...pageShape,
  search: queryText,
});

export interface ArchivePassageParams {
  archive_id: string;
  passage_id: string;
}

export const ArchivePassageParams: z.ZodType<ArchivePassageParams> = z.object({
  archive_id: idSchema("archive"),
  passage_id: idSchema("passage"),
});

export interface AgentPassageParams {
  agent_id: string;
  memory_id: string;
}

export const AgentPassageParams: z.ZodType<AgentPassageParams> = z.object({
  agent_id: idSchema("agent"),
  memory_id: wireName,
});
