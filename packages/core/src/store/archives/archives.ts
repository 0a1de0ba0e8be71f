/** Archives hold passages. An agent has at most one archive, and an archive may be attached to many agents. */
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import type { Agent } from "../agents/agents.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import {
  deleteById,
  type Entity,
  findById,
  getById,
  insertEntities,
  StaleWriteError,
  updateById,
} from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export interface Archive {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly embedding: EmbeddingConfig | null;
  readonly metadata: JsonObject | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const archiveEntity: Entity<Archive, "archive"> = {
  table: "archive",
  name: "archive",
  codec: createCodec<Archive>("archive", {
    id: plain("id"),
    name: plain("name"),
    description: plain("description"),
    embedding: json("embedding_config"),
    metadata: json("metadata"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getArchive = (scope: Scope, id: string): Promise<Archive> => getById(scope, archiveEntity, id);
export const findArchive = (scope: Scope, id: string): Promise<Archive | undefined> =>
  findById(scope, archiveEntity, id);
export const insertArchive = (scope: Scope, archive: Archive): Promise<void> =>
  insertEntities(scope, archiveEntity, [archive]);
export const updateArchive = (scope: Scope, id: string, changes: Partial<Archive>): Promise<void> =>
  updateById(scope, archiveEntity, id, changes);

/** Cascades to its passages; the attached agents stay. */
export const deleteArchive = (scope: Scope, id: string): Promise<void> => deleteById(scope, archiveEntity, id);

export interface ArchiveFilter {
  readonly name?: string;
  readonly agentId?: string;
}

export async function listArchives(scope: Scope, filter: ArchiveFilter, page: PageRequest): Promise<Archive[]> {
  let query = scope.select("archive");
  if (filter.name !== undefined) query = query.where("name", "=", filter.name);
  if (filter.agentId !== undefined) {
    const held = scope.select("agent_archive").select("archive_id").where("agent_id", "=", filter.agentId);
    query = query.where("archive.id", "in", held);
  }
  return await listPage(scope, archiveEntity, query, page);
}

/** Idempotent for the same archive; rejects a second one. */
export async function attachArchive(scope: Scope, agentId: string, archiveId: string): Promise<void> {
  const { numInsertedOrUpdatedRows } = await scope
    .insert("agent_archive", { agent_id: agentId, archive_id: archiveId, is_owner: 0, created_at: scope.now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return;
  const held = await findAgentArchive(scope, agentId);
  if (held?.id === archiveId) return;
  throw new MemoirError(
    "conflict",
    `agent "${agentId}" already has the archive "${held?.id}": detach that one first, an agent has one archive`,
    { details: { entity: "archive", id: archiveId, field: "archive_id" } },
  );
}

export async function detachArchive(scope: Scope, agentId: string, archiveId: string): Promise<void> {
  await scope.delete("agent_archive").where("agent_id", "=", agentId).where("archive_id", "=", archiveId).execute();
}

export async function findAgentArchive(scope: Scope, agentId: string): Promise<Archive | undefined> {
  const row = await scope
    .select("archive")
    .innerJoin("agent_archive", "agent_archive.archive_id", "archive.id")
    .selectAll("archive")
    .where("agent_archive.agent_id", "=", agentId)
    .executeTakeFirst();
  return row && archiveEntity.codec.decode(row);
}

/**
 * The agent's archive, created on first use; of two concurrent creations, the later uses the archive of the earlier.
 */
export async function ensureAgentArchive(
  scope: Scope,
  agent: Pick<Agent, "id" | "name" | "embedding">,
  userId: string | null,
): Promise<Archive> {
  const existing = await findAgentArchive(scope, agent.id);
  if (existing) return existing;
  const archive = newDefaultArchive(scope, agent, userId);
  await insertArchive(scope, archive);
  const { numInsertedOrUpdatedRows } = await scope
    .insert("agent_archive", {
      agent_id: agent.id,
      archive_id: archive.id,
      is_owner: 1,
      created_at: archive.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return archive;
  await deleteById(scope, archiveEntity, archive.id);
  const winner = await findAgentArchive(scope, agent.id);
  // The archive was detached meanwhile: retry the transaction.
  if (!winner) throw new StaleWriteError("archive", archive.id);
  return winner;
}

function newDefaultArchive(
  scope: Scope,
  { name, embedding }: Pick<Agent, "name" | "embedding">,
  userId: string | null,
): Archive {
  const at = scope.now();
  return {
    id: scope.newId("archive"),
    name: `${name}'s Archive`,
    description: "What this agent filed for later. Made by itself when the first note was filed.",
    embedding,
    metadata: null,
    createdAt: at,
    updatedAt: at,
    createdBy: userId,
    updatedBy: userId,
  };
}
