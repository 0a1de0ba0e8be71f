/** Folders of files and the agents they are attached to. */
import { type SelectQueryBuilder, sql } from "kysely";
import { MemoirError, notFound } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { isUniqueViolation } from "../engine/constraint-errors.ts";
import { deleteById, type Entity, getById, getByIds, insertEntities, updateById } from "../engine/entity.ts";
import { groupRows } from "../engine/grouping.ts";
import { isInList } from "../engine/in-list.ts";
import { countRows, listPage, type PageRequest } from "../engine/paging.ts";
import type { Tables } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";

export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly metadata: JsonObject | null;
  readonly embedding: EmbeddingConfig;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const folderEntity: Entity<Folder, "folder"> = {
  table: "folder",
  name: "folder",
  codec: createCodec<Folder>("folder", {
    id: plain("id"),
    name: plain("name"),
    description: plain("description"),
    instructions: plain("instructions"),
    metadata: json("metadata"),
    embedding: json("embedding_config"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export interface FolderFilter {
  readonly name?: string;
  readonly agentId?: string;
}

export const getFolder = (scope: Scope, id: string): Promise<Folder> => getById(scope, folderEntity, id);

export const getFolders = (scope: Scope, ids: readonly string[]): Promise<Folder[]> =>
  getByIds(scope, folderEntity, ids);

export async function getFolderByName(scope: Scope, name: string): Promise<Folder> {
  const row = await scope.select("folder").selectAll("folder").where("name", "=", name).executeTakeFirst();
  if (!row) throw notFound("folder", name);
  return folderEntity.codec.decode(row);
}

export const listFolders = (scope: Scope, filter: FolderFilter, page: PageRequest): Promise<Folder[]> =>
  listPage(scope, folderEntity, filterFolders(scope, filter), page);

export const countFolders = (scope: Scope): Promise<number> => countRows(filterFolders(scope, {}));

function filterFolders(scope: Scope, { name, agentId }: FolderFilter): SelectQueryBuilder<Tables, "folder", object> {
  let query = scope.select("folder");
  if (name !== undefined) query = query.where("folder.name", "=", name);
  if (agentId !== undefined) {
    const attached = scope.select("agent_folder").select("folder_id").where("agent_id", "=", agentId);
    query = query.where("folder.id", "in", attached);
  }
  return query;
}

export const insertFolder = (scope: Scope, folder: Folder): Promise<void> =>
  guardName(folder.name, () => insertEntities(scope, folderEntity, [folder]));

export const updateFolder = (scope: Scope, id: string, changes: Partial<Folder>): Promise<void> =>
  guardName(changes.name, () => updateById(scope, folderEntity, id, changes));

/** Cascades to its files, their passages and links. */
export const deleteFolder = (scope: Scope, id: string): Promise<void> => deleteById(scope, folderEntity, id);

async function guardName(name: string | undefined, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new MemoirError("conflict", `a folder named "${name}" exists already`, {
      details: { entity: "folder", field: "name" },
      cause: error,
    });
  }
}

/** Idempotent: folders that are already attached stay as they are. */
export async function attachFolders(scope: Scope, agentId: string, folderIds: readonly string[]): Promise<void> {
  if (folderIds.length === 0) return;
  const rows = [...new Set(folderIds)].map((id) => ({ agent_id: agentId, folder_id: id, attached_at: scope.now() }));
  await scope
    .insert("agent_folder", rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function detachFolder(scope: Scope, agentId: string, folderId: string): Promise<void> {
  await scope.delete("agent_folder").where("agent_id", "=", agentId).where("folder_id", "=", folderId).execute();
}

/** Detaches tools from the agents whose only folder is this one. */
export async function detachToolsWithFolder(scope: Scope, folderId: string, toolIds: readonly string[]): Promise<void> {
  if (toolIds.length === 0) return;
  const holders = scope.select("agent_folder").select("agent_id");
  await scope
    .delete("agent_tool")
    .where("tool_id", "in", toolIds)
    .where("agent_id", "in", holders.where("folder_id", "=", folderId))
    .where("agent_id", "not in", holders.where("folder_id", "<>", folderId))
    .execute();
}

const holderEntity: Entity<{ readonly id: string }, "agent"> = {
  table: "agent",
  name: "agent",
  codec: createCodec<{ readonly id: string }>("agent", { id: plain("id") }),
};

/** The agents that a folder is attached to. */
export async function listFolderAgentIds(scope: Scope, folderId: string, page: PageRequest): Promise<string[]> {
  const holders = scope.select("agent_folder").select("agent_id").where("folder_id", "=", folderId);
  const agents = await listPage(scope, holderEntity, scope.select("agent").where("agent.id", "in", holders), page);
  return agents.map(({ id }) => id);
}

export async function loadAgentFolders(scope: Scope, agentIds: readonly string[]): Promise<Map<string, Folder[]>> {
  if (agentIds.length === 0) return new Map();
  const rows = await scope
    .select("folder")
    .innerJoin("agent_folder", "agent_folder.folder_id", "folder.id")
    .selectAll("folder")
    .select("agent_folder.agent_id")
    .where(isInList(scope, "agent_folder.agent_id", agentIds))
    .orderBy("agent_folder.attached_at")
    .orderBy(sql.ref("folder.id"))
    .execute();
  return groupRows(rows, (row) => row.agent_id, folderEntity.codec.decode);
}
