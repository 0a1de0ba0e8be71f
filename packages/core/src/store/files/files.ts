/** Files of folders: metadata and extracted text. */
import { sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import { createCodec, plain } from "../engine/codec.ts";
import { deleteById, type Entity, getById, insertEntities } from "../engine/entity.ts";
import { isInList } from "../engine/in-list.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export const fileStates = ["pending", "parsing", "embedding", "completed", "error"] as const;

export type FileStatus = (typeof fileStates)[number];

export interface FileRecord {
  readonly id: string;
  readonly folderId: string;
  /** Prefixed with the folder's name and a slash, as in prompts. */
  readonly name: string;
  readonly originalName: string | null;
  readonly mediaType: string | null;
  readonly size: number | null;
  readonly status: FileStatus;
  readonly error: string | null;
  readonly totalChunks: number | null;
  readonly chunksEmbedded: number | null;
  readonly contentHash: string | null;
  readonly sourceCreatedAt: string | null;
  readonly sourceUpdatedAt: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const fileEntity: Entity<FileRecord, "file"> = {
  table: "file",
  name: "file",
  codec: createCodec<FileRecord>("file", {
    id: plain("id"),
    folderId: plain("folder_id"),
    name: plain("name"),
    originalName: plain("original_name"),
    mediaType: plain("media_type"),
    size: plain("size"),
    status: plain("status"),
    error: plain("error"),
    totalChunks: plain("total_chunks"),
    chunksEmbedded: plain("chunks_embedded"),
    contentHash: plain("content_hash"),
    sourceCreatedAt: plain("source_created_at"),
    sourceUpdatedAt: plain("source_updated_at"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

/** Throws for a file of another folder. */
export async function getFileOfFolder(scope: Scope, folderId: string, id: string): Promise<FileRecord> {
  const file = await getById(scope, fileEntity, id);
  if (file.folderId !== folderId) throw notFound("file", id);
  return file;
}

export const listFiles = (scope: Scope, folderId: string, page: PageRequest): Promise<FileRecord[]> =>
  listPage(scope, fileEntity, scope.select("file").where("file.folder_id", "=", folderId), page);

export async function insertFile(scope: Scope, file: FileRecord, text: string | null): Promise<void> {
  await insertEntities(scope, fileEntity, [file]);
  if (text !== null) await scope.insert("file_content", { file_id: file.id, body: text }).execute();
}

/** Cascades to its text, passages and links. */
export const deleteFile = (scope: Scope, id: string): Promise<void> => deleteById(scope, fileEntity, id);

/** File names are prefixed with the folder's name, so they change with it. */
export async function renameFiles(scope: Scope, folderId: string, before: string, after: string): Promise<void> {
  const prefix = `${before}/`;
  const length = [...prefix].length;
  await scope
    .update("file")
    .set({ name: sql<string>`cast(${`${after}/`} as text) || substr(name, ${sql.lit(length + 1)})` })
    .where("folder_id", "=", folderId)
    .where(sql`substr(name, 1, ${sql.lit(length)})`, "=", prefix)
    .execute();
}

/** Texts by file id; files without text are omitted. */
export async function loadFileTexts(scope: Scope, fileIds: readonly string[]): Promise<Map<string, string>> {
  if (fileIds.length === 0) return new Map();
  const rows = await scope
    .select("file_content")
    .select(["file_id", "body"])
    .where(isInList(scope, "file_id", fileIds))
    .execute();
  return new Map(rows.map((row) => [row.file_id, row.body]));
}

export interface FolderTotals {
  readonly folders: number;
  readonly files: number;
  readonly bytes: number;
}

/** Totals over all folders of the organization. */
export async function countFileTotals(scope: Scope): Promise<FolderTotals> {
  const { folders } = await scope
    .select("folder")
    .select(sql<number>`count(*)`.as("folders"))
    .executeTakeFirstOrThrow();
  const { files, bytes } = await scope
    .select("file")
    .select([sql<number>`count(*)`.as("files"), sql<number>`coalesce(sum(size), 0)`.as("bytes")])
    .executeTakeFirstOrThrow();
  return { folders: Number(folders), files: Number(files), bytes: Number(bytes) };
}

export interface FolderFiles {
  readonly id: string;
  readonly name: string;
  readonly files: readonly { readonly id: string; readonly name: string; readonly size: number | null }[];
}

/** Every folder with its files, oldest first. */
export async function listFolderFiles(scope: Scope): Promise<FolderFiles[]> {
  const folders = await scope.select("folder").select(["id", "name"]).orderBy("created_at").orderBy("id").execute();
  const files = await scope
    .select("file")
    .select(["id", "folder_id", "name", "size"])
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const byFolder = Map.groupBy(files, (file) => file.folder_id);
  return folders.map(({ id, name }) => ({
    id,
    name,
    files: (byFolder.get(id) ?? []).map((file) => ({ id: file.id, name: file.name, size: file.size })),
  }));
}
