/** Passages and searches for them between core and wire. */
import type { Actor, NewPassage, Passage, PassageHit, PassageQuery, PassageSearchRequest } from "@memoir/core";
import { toEmbeddingConfigWire } from "../models/mapper.ts";
import { pageSize } from "../shared/paging.ts";
import { fromWireTime, toWireTime } from "../shared/time.ts";
import type {
  AgentPassageSearchQuery,
  CreatePassageWire,
  FoundPassagesWire,
  PassageHitWire,
  PassageSearchWire,
  PassageWire,
} from "./schema.ts";

export function toPassageWire(passage: Passage, { orgId }: Actor): PassageWire {
  return {
    created_by_id: passage.createdBy,
    last_updated_by_id: passage.updatedBy,
    created_at: toWireTime(passage.createdAt),
    updated_at: toWireTime(passage.updatedAt),
    is_deleted: false,
    organization_id: orgId,
    archive_id: passage.archiveId,
    source_id: passage.folderId,
    file_id: passage.fileId,
    file_name: null,
    metadata: passage.metadata,
    tags: passage.tags && [...passage.tags],
    id: passage.id,
    text: passage.text,
    embedding: null,
    embedding_config: passage.embedding && toEmbeddingConfigWire(passage.embedding),
  };
}

export function fromCreatePassage(wire: CreatePassageWire): NewPassage {
  return {
    text: wire.text,
    tags: wire.tags,
    metadata: wire.metadata,
    createdAt: wire.created_at === undefined ? undefined : fromWireTime(wire.created_at),
  };
}

/** What a search without a limit answers. */
const defaultHits = 5;

export function fromAgentSearch(query: AgentPassageSearchQuery): PassageQuery {
  return {
    query: query.query,
    tags: query.tags,
    matchAllTags: query.tag_match_mode === "all",
    limit: pageSize(query.top_k ?? defaultHits),
    start: dateArgument("start_datetime", query.start_datetime),
    end: dateArgument("end_datetime", query.end_datetime),
  };
}

export function fromPassageSearch(wire: PassageSearchWire): PassageSearchRequest {
  return {
    query: wire.query,
    agentId: wire.agent_id,
    archiveId: wire.archive_id,
    tags: wire.tags,
    matchAllTags: wire.tag_match_mode === "all",
    limit: wire.limit ?? 50,
    start: dateArgument("start_date", wire.start_date),
    end: dateArgument("end_date", wire.end_date),
  };
}

function dateArgument(name: string, text: string | undefined) {
  return text === undefined ? undefined : { name, text };
}

export function toFoundPassagesWire(hits: readonly PassageHit[]): FoundPassagesWire {
  const results = hits.map(({ passage, timestamp }) => ({
    id: passage.id,
    timestamp,
    content: passage.text,
    tags: [...(passage.tags ?? [])],
  }));
  return { results, count: results.length };
}

/** Where nothing was asked for, nothing was ranked. */
export function toPassageHitWire({ passage, score, wordRank }: PassageHit, actor: Actor): PassageHitWire {
  const ranks = { combined_score: score, vector_rank: null, fts_rank: wordRank };
  return { passage: toPassageWire(passage, actor), score, metadata: wordRank === null ? {} : ranks };
}
