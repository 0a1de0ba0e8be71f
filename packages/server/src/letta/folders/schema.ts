/** Folders and their files on the wire, where the older word for a folder is "source". */
import { type FileStatus, fileStates, type JsonObject } from "@memoir/core";
import { z } from "zod";
import { EmbeddingConfigWire } from "../models/schema.ts";
import { optional, WireObject, wireInteger, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryEnum, queryText } from "../shared/query.ts";

export interface FolderWire {
  id: string;
  name: string;
  description: string | null;
  instructions: string | null;
  metadata: JsonObject | null;
  embedding_config: EmbeddingConfigWire;
  organization_id: string;
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string | null;
  updated_at: string | null;
}

export interface SourceWire extends FolderWire {
  vector_db_provider: "native";
}

const folderShape = {
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  instructions: z.string().nullable(),
  metadata: WireObject.nullable(),
  embedding_config: EmbeddingConfigWire,
  organization_id: z.string(),
  created_by_id: z.string().nullable(),
  last_updated_by_id: z.string().nullable(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
};

export const FolderWire: z.ZodType<FolderWire> = z.strictObject(folderShape).meta({ id: "Folder" });

export const SourceWire: z.ZodType<SourceWire> = z
  .strictObject({ ...folderShape, vector_db_provider: z.literal("native") })
  .meta({ id: "Source" });

export interface FolderUpdateWire {
  name?: string;
  description?: string;
  instructions?: string;
  metadata?: JsonObject;
  embedding_config?: EmbeddingConfigWire;
}

const updateShape = {
  name: optional(wireName),
  description: optional(wireText),
  instructions: optional(wireText),
  metadata: optional(WireObject),
  embedding_config: optional(EmbeddingConfigWire),
};

export const FolderUpdateWire: z.ZodType<FolderUpdateWire> = z.strictObject(updateShape).meta({ id: "SourceUpdate" });

export interface CreateFolderWire extends FolderUpdateWire {
  name: string;
  embedding?: string;
  embedding_chunk_size?: number;
}

export const CreateFolderWire: z.ZodType<CreateFolderWire> = z
  .strictObject({
    ...updateShape,
    name: wireName,
    embedding: optional(wireName),
    embedding_chunk_size: optional(wireInteger.min(1)),
  })
  .meta({ id: "SourceCreate" });

export interface FileWire {
  source_id: string;
  file_name: string | null;
  original_file_name: string | null;
  file_path: string | null;
  file_type: string | null;
  file_size: number | null;
  file_creation_date: string | null;
  file_last_modified_date: string | null;
  processing_status: FileStatus;
  error_message: string | null;
  total_chunks: number | null;
  chunks_embedded: number | null;
  content: string | null;
  id: string;
  organization_id: string;
  created_at: string | null;
  updated_at: string | null;
}

export const FileWire: z.ZodType<FileWire> = z
  .strictObject({
    source_id: z.string(),
    file_name: z.string().nullable(),
    original_file_name: z.string().nullable(),
    file_path: z.string().nullable(),
    file_type: z.string().nullable(),
    file_size: z.int().nullable(),
    file_creation_date: z.string().nullable(),
    file_last_modified_date: z.string().nullable(),
    processing_status: z.enum(fileStates),
    error_message: z.string().nullable(),
    total_chunks: z.int().nullable(),
    chunks_embedded: z.int().nullable(),
    content: z.string().nullable(),
    id: z.string(),
    organization_id: z.string(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
  })
  .meta({ id: "FileMetadata" });

export interface FolderStatsWire {
  total_sources: number;
  total_files: number;
  total_size: number;
  sources: {
    source_id: string;
    source_name: string;
    file_count: number;
    total_size: number;
    files: { file_id: string; file_name: string; file_size: number | null }[];
  }[];
}

const FileStats = z.strictObject({ file_id: z.string(), file_name: z.string(), file_size: z.int().nullable() });

export const FolderStatsWire: z.ZodType<FolderStatsWire> = z
  .strictObject({
    total_sources: z.int(),
    total_files: z.int(),
    total_size: z.int(),
    sources: z.array(
      z.strictObject({
        source_id: z.string(),
        source_name: z.string(),
        file_count: z.int(),
        total_size: z.int(),
        files: z.array(FileStats),
      }),
    ),
  })
  .meta({ id: "OrganizationSourcesStats" });

export interface FolderStatsQuery {
  include_detailed_per_source_metadata?: boolean;
}

export const FolderStatsQuery: z.ZodType<FolderStatsQuery> = z.object({
  include_detailed_per_source_metadata: queryBoolean,
});

export interface FolderListQuery extends PageQuery {
  name?: string;
}

export const FolderListQuery: z.ZodType<FolderListQuery> = z.object({ ...pageShape, name: queryText });

export interface FileContentQuery {
  include_content?: boolean;
}

export const FileContentQuery: z.ZodType<FileContentQuery> = z.object({ include_content: queryBoolean });

export interface FileListQuery extends PageQuery, FileContentQuery {
  check_status_updates?: boolean;
}

export const FileListQuery: z.ZodType<FileListQuery> = z.object({
  ...pageShape,
  include_content: queryBoolean,
  check_status_updates: queryBoolean,
});

export const duplicateHandlings = ["skip", "error", "suffix", "replace"] as const;

export interface UploadQuery {
  duplicate_handling?: (typeof duplicateHandlings)[number];
  name?: string;
}

export const UploadQuery: z.ZodType<UploadQuery> = z.object({
  duplicate_handling: queryEnum(...duplicateHandlings),
  name: queryText,
});

/** The two families of paths name the same id differently. */
export type FolderParam = "folder_id" | "source_id";

/** A params schema for each family, where `Other` names the further ids of the path. */
export type FolderParams<Other extends string = never> = {
  readonly [P in FolderParam]: z.ZodType<Record<P | Other, string>>;
};

const id = idSchema("source");
const file_id = idSchema("file");

const ofFolder: FolderParams = { folder_id: z.object({ folder_id: id }), source_id: z.object({ source_id: id }) };
const ofFile: FolderParams<"file_id"> = {
  folder_id: z.object({ folder_id: id, file_id }),
  source_id: z.object({ source_id: id, file_id }),
};

export const folderParams = <P extends FolderParam>(param: P): z.ZodType<Record<P, string>> => ofFolder[param];

export const folderFileParams = <P extends FolderParam>(param: P): z.ZodType<Record<P | "file_id", string>> =>
  ofFile[param];
