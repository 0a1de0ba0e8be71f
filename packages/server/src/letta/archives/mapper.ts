/** Archives between core and wire. */
import type { Actor, Archive, NewArchive } from "@memoir/core";
import { fromEmbeddingConfig, toEmbeddingConfigWire } from "../models/mapper.ts";
import { toWireTime } from "../shared/time.ts";
import type { ArchiveWire, CreateArchiveWire } from "./schema.ts";

export function toArchiveWire(archive: Archive, { orgId }: Actor): ArchiveWire {
  return {
    created_by_id: archive.createdBy,
    last_updated_by_id: archive.updatedBy,
    created_at: toWireTime(archive.createdAt),
    updated_at: toWireTime(archive.updatedAt),
    name: archive.name,
    description: archive.description,
    organization_id: orgId,
    vector_db_provider: "native",
    embedding_config: archive.embedding && toEmbeddingConfigWire(archive.embedding),
    metadata: archive.metadata,
    id: archive.id,
  };
}

export function fromCreateArchive(wire: CreateArchiveWire): NewArchive {
  return {
    name: wire.name,
    description: wire.description,
    embedding: wire.embedding,
    embeddingConfig: wire.embedding_config && fromEmbeddingConfig(wire.embedding_config),
  };
}
