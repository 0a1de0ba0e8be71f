/** Folders of files, and which agents may look into them. */
import { sql } from "kysely";
import { MemoirError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { EmbeddingConfig } from "../model-config.ts";
import { createCodec, json, plain } from "./codec.ts";
import { type Entity, getByIds, insertEntities } from "./entity.ts";
import { groupRows } from "./grouping.ts";
import type { Scope } from "./scope.ts";
import { isUniqueViolation } from "./violations.ts";

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

export const getFolders = (scope: Scope, ids: readonly string[]): Promise<Folder[]> =>
  getByIds(scope, folderEntity, ids);

export async function insertFolder(scope: Scope, folder: Folder): Promise<void> {
  try {
    await insertEntities(scope, folderEntity, [folder]);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new MemoirError("conflict", `a folder named "${folder.name}" exists already`, {
      details: { entity: "folder", field: "name" },
      cause: error,
    });
  }
}

export async function replaceAgentFolders(scope: Scope, agentId: string, folderIds: readonly string[]): Promise<void> {
  await scope.delete("agent_folder").where("agent_id", "=", agentId).execute();
  await attachFolders(scope, agentId, folderIds);
}

export async function attachFolders(scope: Scope, agentId: string, folderIds: readonly string[]): Promise<void> {
  await scope.insertAll(
    "agent_folder",
    [...new Set(folderIds)].map((id) => ({ agent_id: agentId, folder_id: id, attached_at: scope.now() })),
  );
}

export async function loadAgentFolders(scope: Scope, agentIds: readonly string[]): Promise<Map<string, Folder[]>> {
  if (agentIds.length === 0) return new Map();
  const rows = await scope
    .select("folder")
    .innerJoin("agent_folder", "agent_folder.folder_id", "folder.id")
    .selectAll("folder")
    .select("agent_folder.agent_id")
    .where("agent_folder.agent_id", "in", agentIds)
    .orderBy("agent_folder.attached_at")
    .orderBy(sql.ref("folder.id"))
    .execute();
  return groupRows(rows, (row) => row.agent_id, folderEntity.codec.decode);
}
