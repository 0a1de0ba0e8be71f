/** Folders and their files between core and wire. */
import {
  type Actor,
  type FileView,
  type Folder,
  type FolderPassage,
  type FolderStats,
  type FolderUpdate,
  type NewFolder,
  omitUndefined,
} from "@memoir/core";
import { fromEmbeddingConfig, toEmbeddingConfigWire } from "../models/mapper.ts";
import { toPassageWire } from "../passages/mapper.ts";
import type { PassageWire } from "../passages/schema.ts";
import { toWireTime } from "../shared/time.ts";
import type {
  CreateFolderWire,
  FileWire,
  FolderStatsWire,
  FolderUpdateWire,
  FolderWire,
  SourceWire,
} from "./schema.ts";

export function toFolderWire(folder: Folder, orgId: string): FolderWire {
  return {
    id: folder.id,
    name: folder.name,
    description: folder.description,
    instructions: folder.instructions,
    metadata: folder.metadata,
    embedding_config: toEmbeddingConfigWire(folder.embedding),
    organization_id: orgId,
    created_by_id: folder.createdBy,
    last_updated_by_id: folder.updatedBy,
    created_at: toWireTime(folder.createdAt),
    updated_at: toWireTime(folder.updatedAt),
  };
}

export function toSourceWire(folder: Folder, orgId: string): SourceWire {
  return { ...toFolderWire(folder, orgId), vector_db_provider: "native" };
}

export function fromFolderUpdate(wire: FolderUpdateWire): FolderUpdate {
  return omitUndefined({
    name: wire.name,
    description: wire.description,
    instructions: wire.instructions,
    metadata: wire.metadata,
    embeddingConfig: wire.embedding_config && fromEmbeddingConfig(wire.embedding_config),
  });
}

export function fromCreateFolder(wire: CreateFolderWire): NewFolder {
  return {
    ...fromFolderUpdate(wire),
    name: wire.name,
    ...omitUndefined({ embedding: wire.embedding, embeddingChunkSize: wire.embedding_chunk_size }),
  };
}

/** Inside its folder a file goes without the folder's name. */
export function toFileWire({ file, folder, text }: FileView, orgId: string): FileWire {
  const prefix = `${folder.name}/`;
  return {
    source_id: file.folderId,
    file_name: file.name.startsWith(prefix) ? file.name.slice(prefix.length) : file.name,
    original_file_name: file.originalName,
    file_path: null,
    file_type: file.mediaType,
    file_size: file.size,
    file_creation_date: file.sourceCreatedAt,
    file_last_modified_date: file.sourceUpdatedAt,
    processing_status: file.status,
    error_message: file.error,
    total_chunks: file.totalChunks,
    chunks_embedded: file.chunksEmbedded,
    content: text,
    id: file.id,
    organization_id: orgId,
    created_at: toWireTime(file.createdAt),
    updated_at: toWireTime(file.updatedAt),
  };
}

export function toFolderStatsWire({ folders, files, bytes, details }: FolderStats): FolderStatsWire {
  return {
    total_sources: folders,
    total_files: files,
    total_size: bytes,
    sources: details.map((folder) => ({
      source_id: folder.id,
      source_name: folder.name,
      file_count: folder.files.length,
      total_size: folder.files.reduce((sum, { size }) => sum + (size ?? 0), 0),
      files: folder.files.map((file) => ({ file_id: file.id, file_name: file.name, file_size: file.size })),
    })),
  };
}

export function toFolderPassageWire(passage: FolderPassage, actor: Actor): PassageWire {
  return { ...toPassageWire(passage, actor), file_name: passage.fileName };
}
