/** Links between agents and files of their folders: which are open, and which part is visible. */
import { sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import { createCodec, flag, plain } from "../engine/codec.ts";
import type { Entity } from "../engine/entity.ts";
import { isInList } from "../engine/in-list.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export interface FileLink {
  readonly id: string;
  readonly agentId: string;
  readonly fileId: string;
  readonly isOpen: boolean;
  /** The part last seen; kept when the file is closed by a client. */
  readonly visible: string | null;
  readonly startLine: number | null;
  readonly endLine: number | null;
  readonly lastAccessedAt: number | null;
  readonly createdAt: number;
}

const linkEntity: Entity<FileLink, "agent_file"> = {
  table: "agent_file",
  name: "file",
  codec: createCodec<FileLink>("agent_file", {
    id: plain("id"),
    agentId: plain("agent_id"),
    fileId: plain("file_id"),
    isOpen: flag("is_open"),
    visible: plain("visible"),
    startLine: plain("start_line"),
    endLine: plain("end_line"),
    lastAccessedAt: plain("last_accessed_at"),
    createdAt: plain("created_at"),
  }),
};

/** A link with the names of its file and folder. */
export interface NamedLink extends FileLink {
  readonly fileName: string;
  readonly folderId: string;
  readonly folderName: string;
}

export async function listFileLinks(
  scope: Scope,
  agentId: string,
  page: PageRequest,
  filter: { readonly isOpen?: boolean } = {},
): Promise<NamedLink[]> {
  let query = scope.select("agent_file").where("agent_file.agent_id", "=", agentId);
  if (filter.isOpen !== undefined) query = query.where("is_open", "=", filter.isOpen ? 1 : 0);
  return await withNames(scope, await listPage(scope, linkEntity, query, page));
}

/** All links by agent, open or closed, oldest file first. */
export async function loadFileLinks(scope: Scope, agentIds: readonly string[]): Promise<Map<string, NamedLink[]>> {
  if (agentIds.length === 0) return new Map();
  const rows = await scope
    .select("agent_file")
    .innerJoin("file", "file.id", "agent_file.file_id")
    .selectAll("agent_file")
    .where(isInList(scope, "agent_file.agent_id", agentIds))
    .orderBy("file.created_at")
    .orderBy("file.id")
    .execute();
  return Map.groupBy(await withNames(scope, rows.map(linkEntity.codec.decode)), ({ agentId }) => agentId);
}

async function withNames(scope: Scope, links: readonly FileLink[]): Promise<NamedLink[]> {
  if (links.length === 0) return [];
  const fileIds = links.map(({ fileId }) => fileId);
  const rows = await scope
    .select("file")
    .innerJoin("folder", "folder.id", "file.folder_id")
    .select(["file.id", "file.name as fileName", "folder.id as folderId", "folder.name as folderName"])
    .where(isInList(scope, "file.id", fileIds))
    .execute();
  const names = new Map(rows.map(({ id, ...row }) => [id, row]));
  return links.flatMap((link) => {
    const found = names.get(link.fileId);
    return found ? [{ ...link, ...found }] : [];
  });
}

/** The file must be in one of the agent's folders. */
export async function getFileLink(scope: Scope, agentId: string, fileId: string): Promise<FileLink> {
  const row = await scope
    .select("agent_file")
    .selectAll("agent_file")
    .where("agent_id", "=", agentId)
    .where("file_id", "=", fileId)
    .executeTakeFirst();
  if (!row) throw notFound("file", fileId);
  return linkEntity.codec.decode(row);
}

export interface OpenFile {
  readonly id: string;
  readonly fileId: string;
  readonly name: string;
  readonly lastAccessedAt: number;
}

/** Most recently used first. */
export async function listOpenFiles(scope: Scope, agentId: string): Promise<OpenFile[]> {
  const rows = await scope
    .select("agent_file")
    .innerJoin("file", "file.id", "agent_file.file_id")
    .select([
      "agent_file.id",
      "agent_file.file_id as fileId",
      "file.name",
      sql<number>`coalesce(agent_file.last_accessed_at, 0)`.as("lastAccessedAt"),
    ])
    .where("agent_file.agent_id", "=", agentId)
    .where("agent_file.is_open", "=", 1)
    .execute();
  return rows
    .map((row) => ({ ...row, lastAccessedAt: Number(row.lastAccessedAt) }))
    .sort((left, right) => right.lastAccessedAt - left.lastAccessedAt || (left.id < right.id ? 1 : -1));
}

/** Files of these folders without a link to the agent, oldest first. */
export async function listUnlinkedFiles(
  scope: Scope,
  agentId: string,
  folderIds: readonly string[],
): Promise<{ readonly id: string; readonly mediaType: string | null }[]> {
  if (folderIds.length === 0) return [];
  const linked = scope.select("agent_file").select("file_id").where("agent_id", "=", agentId);
  return await scope
    .select("file")
    .select(["file.id", "file.media_type as mediaType"])
    .where(isInList(scope, "file.folder_id", folderIds))
    .where("file.id", "not in", linked)
    .orderBy("file.created_at")
    .orderBy("file.id")
    .execute();
}

export async function insertFileLinks(
  scope: Scope,
  agentId: string,
  links: readonly { readonly fileId: string; readonly visible: string | null }[],
): Promise<void> {
  const at = scope.now();
  await scope.insertAll(
    "agent_file",
    links.map(({ fileId, visible }) => ({
      id: scope.newId("file_agent"),
      agent_id: agentId,
      file_id: fileId,
      is_open: visible === null ? 0 : 1,
      visible,
      start_line: null,
      end_line: null,
      last_accessed_at: at,
      created_at: at,
    })),
  );
}

export async function openLink(scope: Scope, id: string, visible: string): Promise<void> {
  await scope
    .update("agent_file")
    .set({ is_open: 1, visible, start_line: null, end_line: null, last_accessed_at: scope.now() })
    .where("id", "=", id)
    .execute();
}

/** Closes one link or all open ones; clears the visible part only if `forget` is set. */
export async function closeLinks(
  scope: Scope,
  ids: readonly string[],
  { forget = false }: { readonly forget?: boolean } = {},
): Promise<void> {
  if (ids.length === 0) return;
  await scope
    .update("agent_file")
    .set({ is_open: 0, ...(forget ? { visible: null, start_line: null, end_line: null } : {}) })
    .where(isInList(scope, "id", ids))
    .execute();
}

export async function deleteFileLinks(scope: Scope, agentId: string, folderId: string): Promise<void> {
  const files = scope.select("file").select("file.id").where("file.folder_id", "=", folderId);
  await scope.delete("agent_file").where("agent_id", "=", agentId).where("file_id", "in", files).execute();
}
