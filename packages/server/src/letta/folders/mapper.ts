/** Folders from core to wire. */
import type { Folder } from "@memoir/core";
import { toEmbeddingConfigWire } from "../models/mapper.ts";
import { toWireTime } from "../shared/time.ts";
import type { SourceWire } from "./schema.ts";

export function toSourceWire(folder: Folder, orgId: string): SourceWire {
  return {
    id: folder.id,
    name: folder.name,
    description: folder.description,
    instructions: folder.instructions,
    metadata: folder.metadata,
    embedding_config: toEmbeddingConfigWire(folder.embedding),
    vector_db_provider: "native",
    organization_id: orgId,
    created_by_id: folder.createdBy,
    last_updated_by_id: folder.updatedBy,
    created_at: toWireTime(folder.createdAt),
    updated_at: toWireTime(folder.updatedAt),
  };
}
