/** Memory blocks: labelled text in prompts that agents can edit. */
import { type SelectQueryBuilder, sql } from "kysely";
import { MemoirError, notFound } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { selectLinked } from "../agents/identities.ts";
import { selectTagged } from "../agents/tags.ts";
import { createCodec, flag, json, plain } from "../engine/codec.ts";
import { isUniqueViolation } from "../engine/constraint-errors.ts";
import {
  deleteById,
  type Entity,
  findById,
  getById,
  getByIds,
  insertEntities,
  StaleWriteError,
  updateById,
} from "../engine/entity.ts";
import { countRows, listPage, type PageRequest } from "../engine/paging.ts";
import type { Tables } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";
import { type BlockCause, recordBlockVersion } from "./block-versions.ts";

export interface Block {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly charLimit: number;
  readonly description: string | null;
  readonly metadata: JsonObject;
  readonly readOnly: boolean;
  readonly hidden: boolean | null;
  readonly isTemplate: boolean;
  readonly templateName: string | null;
  readonly templateId: string | null;
  readonly baseTemplateId: string | null;
  readonly deploymentId: string | null;
  readonly entityId: string | null;
  readonly preserveOnMigration: boolean | null;
  readonly projectId: string | null;
  /** Incremented with each write, for optimistic locking. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const blockEntity: Entity<Block, "block"> = {
  table: "block",
  name: "block",
  codec: createCodec<Block>("block", {
    id: plain("id"),
    label: plain("label"),
    value: plain("value"),
    charLimit: plain("char_limit"),
    description: plain("description"),
    metadata: json("metadata"),
    readOnly: flag("read_only"),
    hidden: flag("hidden"),
    isTemplate: flag("is_template"),
    templateName: plain("template_name"),
    templateId: plain("template_id"),
    baseTemplateId: plain("base_template_id"),
    deploymentId: plain("deployment_id"),
    entityId: plain("entity_id"),
    preserveOnMigration: flag("preserve_on_migration"),
    projectId: plain("project_id"),
    version: plain("version"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getBlock = (scope: Scope, id: string): Promise<Block> => getById(scope, blockEntity, id);
export const findBlock = (scope: Scope, id: string): Promise<Block | undefined> => findById(scope, blockEntity, id);
export const getBlocks = (scope: Scope, ids: readonly string[]): Promise<Block[]> => getByIds(scope, blockEntity, ids);
export const deleteBlock = (scope: Scope, id: string): Promise<void> => deleteById(scope, blockEntity, id);

export async function insertBlocks(scope: Scope, blocks: readonly Block[], cause: BlockCause): Promise<void> {
  await insertEntities(scope, blockEntity, blocks);
  await recordBlockVersion(
    scope,
    blocks.map((block) => ({ block })),
    cause,
  );
}

export type NewBlock = Pick<Block, "label" | "value"> &
  Partial<Omit<Block, "id" | "version" | "createdAt" | "updatedAt" | "createdBy" | "updatedBy">>;

export const defaultCharLimit = 100_000;

/** A block with defaults for all optional fields. */
export function newBlock(scope: Scope, input: NewBlock, { userId }: BlockCause): Block {
  const at = scope.now();
  return {
    id: scope.newId("block"),
    label: input.label,
    value: input.value,
    charLimit: input.charLimit ?? defaultCharLimit,
    description: input.description ?? null,
    metadata: input.metadata ?? {},
    readOnly: input.readOnly ?? false,
    hidden: input.hidden ?? null,
    isTemplate: input.isTemplate ?? false,
    templateName: input.templateName ?? null,
    templateId: input.templateId ?? null,
    baseTemplateId: input.baseTemplateId ?? null,
    deploymentId: input.deploymentId ?? null,
    entityId: input.entityId ?? null,
    preserveOnMigration: input.preserveOnMigration ?? false,
    projectId: input.projectId ?? null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    createdBy: userId,
    updatedBy: userId,
  };
}

export type BlockChanges = Partial<
  Omit<Block, "id" | "version" | "createdAt" | "updatedAt" | "createdBy" | "updatedBy">
>;

/**
 * Saves the changes, or throws if the block was written after `seen` was read, because shared blocks have several
 * writers. A new label is propagated to all agents and conversations that hold the block.
 */
export async function writeBlock(scope: Scope, seen: Block, changes: BlockChanges, cause: BlockCause): Promise<Block> {
  const block: Block = {
    ...seen,
    ...changes,
    version: seen.version + 1,
    updatedAt: scope.now(),
    updatedBy: cause.userId ?? seen.updatedBy,
  };
  const { numUpdatedRows } = await scope
    .update("block")
    .set(blockEntity.codec.encode(block))
    .where("id", "=", seen.id)
    .where("version", "=", seen.version)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) {
    if (!(await findBlock(scope, seen.id))) throw notFound("block", seen.id);
    throw new StaleWriteError("block", seen.id);
  }
  if (block.label !== seen.label) await renameLinks(scope, block);
  await recordBlockVersion(scope, [{ block, before: seen.value }], cause);
  return block;
}

/** Increments the version for a change outside the row, such as its tags, and serializes such changes. */
export async function touchBlock(scope: Scope, seen: Block, { userId }: BlockCause): Promise<Block> {
  const changes = { updatedAt: scope.now(), updatedBy: userId ?? seen.updatedBy };
  await updateById(scope, blockEntity, seen.id, changes);
  return { ...seen, ...changes };
}

async function renameLinks(scope: Scope, { id, label }: Block): Promise<void> {
  try {
    await scope.update("agent_block").set({ label }).where("block_id", "=", id).execute();
    await scope.update("conversation_block").set({ label }).where("block_id", "=", id).execute();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new MemoirError("conflict", `an agent that holds this block already has one labelled "${label}"`, {
      details: { entity: "block", id, field: "label" },
      cause: error,
    });
  }
}

export interface BlockFilter {
  readonly label?: string;
  readonly labels?: readonly string[];
  readonly name?: string;
  readonly isTemplate?: boolean;
  readonly projectId?: string;
  readonly identityId?: string;
  readonly identifierKeys?: readonly string[];
  readonly tags?: readonly string[];
  readonly matchAllTags?: boolean;
  readonly labelSearch?: string;
  readonly descriptionSearch?: string;
  readonly valueSearch?: string;
  readonly agentCountAbove?: number;
  readonly agentCountBelow?: number;
  readonly agentCounts?: readonly number[];
  readonly showHidden?: boolean;
}

export async function listBlocks(scope: Scope, filter: BlockFilter, page: PageRequest): Promise<Block[]> {
  return await listPage(scope, blockEntity, filterBlocks(scope, filter), page);
}

export async function countBlocks(scope: Scope, filter: BlockFilter = {}): Promise<number> {
  return await countRows(filterBlocks(scope, filter));
}

type BlockQuery = SelectQueryBuilder<Tables, "block", object>;

function filterBlocks(scope: Scope, filter: BlockFilter): BlockQuery {
  let query = scope.select("block");
  if (!filter.showHidden) query = query.where((eb) => eb.or([eb("hidden", "is", null), eb("hidden", "=", 0)]));
  if (filter.label !== undefined) query = query.where("label", "=", filter.label);
  if (filter.labels) query = query.where("label", "in", filter.labels);
  if (filter.name !== undefined) query = query.where("template_name", "=", filter.name);
  if (filter.isTemplate !== undefined) query = query.where("is_template", "=", filter.isTemplate ? 1 : 0);
  if (filter.projectId !== undefined) query = query.where("project_id", "=", filter.projectId);
  if (filter.labelSearch) query = whereContains(scope, query, "label", filter.labelSearch);
  if (filter.descriptionSearch) query = whereContains(scope, query, "description", filter.descriptionSearch);
  if (filter.valueSearch) query = whereContains(scope, query, "value", filter.valueSearch);
  query = whereTags(scope, query, filter);
  query = whereIdentity(scope, query, filter);
  return whereAgentCount(scope, query, filter);
}

function whereContains(
  scope: Scope,
  query: BlockQuery,
  column: "label" | "description" | "value",
  text: string,
): BlockQuery {
  return query.where(scope.flavor.contains(sql.ref(`block.${column}`), text));
}

function whereTags(scope: Scope, query: BlockQuery, filter: BlockFilter): BlockQuery {
  if (!filter.tags?.length) return query;
  return query.where("block.id", "in", selectTagged(scope, "block", filter.tags, filter.matchAllTags ?? false));
}

function whereIdentity(scope: Scope, query: BlockQuery, filter: BlockFilter): BlockQuery {
  const { identityId, identifierKeys } = filter;
  if (identityId === undefined && identifierKeys === undefined) return query;
  return query.where("block.id", "in", selectLinked(scope, "block", { id: identityId, keys: identifierKeys }));
}

function whereAgentCount(scope: Scope, query: BlockQuery, filter: BlockFilter): BlockQuery {
  const agents = scope
    .select("agent_block")
    .select(sql<number>`count(*)`.as("count"))
    .where(sql.ref("agent_block.block_id"), "=", sql.ref("block.id"));
  const { agentCountAbove, agentCountBelow, agentCounts } = filter;
  if (agentCountAbove !== undefined) query = query.where(agents, ">", agentCountAbove);
  if (agentCountBelow !== undefined) query = query.where(agents, "<", agentCountBelow);
  if (agentCounts?.length) query = query.where(agents, "in", [...agentCounts]);
  return query;
}
