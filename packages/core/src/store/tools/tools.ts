/** Tools and the agents they are attached to; names are unique within an organization. */
import { type SelectQueryBuilder, sql } from "kysely";
import type { JsonObject } from "../../shared/json.ts";
import { createCodec, flag, json, plain } from "../engine/codec.ts";
import { deleteById, type Entity, getById, getByIds, updateById } from "../engine/entity.ts";
import { groupRows } from "../engine/grouping.ts";
import { isInList } from "../engine/in-list.ts";
import { countRows, listPage, type PageRequest } from "../engine/paging.ts";
import { prepare } from "../engine/prepared.ts";
import type { Tables } from "../engine/schema.ts";
import type { NewRow, Scope } from "../engine/scope.ts";

export interface Tool {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly description: string | null;
  readonly sourceKind: string | null;
  readonly source: string | null;
  readonly jsonSchema: JsonObject | null;
  readonly argsSchema: JsonObject | null;
  readonly tags: readonly string[];
  readonly returnCharLimit: number;
  readonly pipRequirements: readonly JsonObject[] | null;
  readonly npmRequirements: readonly JsonObject[] | null;
  readonly needsApproval: boolean | null;
  readonly isParallel: boolean | null;
  readonly metadata: JsonObject | null;
  readonly projectId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

/** Default limit of a tool's result in the context. */
export const defaultReturnChars = 50_000;

export const toolEntity: Entity<Tool, "tool"> = {
  table: "tool",
  name: "tool",
  codec: createCodec<Tool>("tool", {
    id: plain("id"),
    name: plain("name"),
    kind: plain("kind"),
    description: plain("description"),
    sourceKind: plain("source_kind"),
    source: plain("source"),
    jsonSchema: json("json_schema"),
    argsSchema: json("args_schema"),
    tags: json("tags"),
    returnCharLimit: plain("return_char_limit"),
    pipRequirements: json("pip_requirements"),
    npmRequirements: json("npm_requirements"),
    needsApproval: flag("needs_approval"),
    isParallel: flag("is_parallel"),
    metadata: json("metadata"),
    projectId: plain("project_id"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getTool = (scope: Scope, id: string): Promise<Tool> => getById(scope, toolEntity, id);
export const getTools = (scope: Scope, ids: readonly string[]): Promise<Tool[]> => getByIds(scope, toolEntity, ids);

/** Skips names that are taken, because another process may insert the same tools concurrently. */
export async function insertMissingTools(scope: Scope, tools: readonly Tool[]): Promise<void> {
  if (tools.length === 0) return;
  await scope
    .insert(
      "tool",
      tools.map((tool) => toolEntity.codec.encode(tool) as unknown as NewRow<"tool">),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export const updateTool = (scope: Scope, id: string, changes: Partial<Tool>): Promise<void> =>
  updateById(scope, toolEntity, id, changes);

/** Reads the tool and locks its row until the transaction ends. */
export async function lockTool(scope: Scope, id: string): Promise<Tool> {
  await updateTool(scope, id, { updatedAt: scope.now() });
  return await getTool(scope, id);
}

/** Detaches it from all agents. */
export const deleteTool = (scope: Scope, id: string): Promise<void> => deleteById(scope, toolEntity, id);

export interface ToolFilter {
  readonly name?: string;
  readonly names?: readonly string[];
  readonly ids?: readonly string[];
  /** Case-insensitive substring of the name. */
  readonly search?: string;
  readonly kinds?: readonly string[];
  readonly excludedKinds?: readonly string[];
  /** Tools of this project, and tools without a project. */
  readonly projectId?: string;
}

export async function listTools(scope: Scope, filter: ToolFilter, page: PageRequest): Promise<Tool[]> {
  return await listPage(scope, toolEntity, filterTools(scope, filter), page);
}

export async function countTools(scope: Scope, filter: ToolFilter): Promise<number> {
  return await countRows(filterTools(scope, filter));
}

function filterTools(scope: Scope, filter: ToolFilter): SelectQueryBuilder<Tables, "tool", object> {
  let query = scope.select("tool");
  if (filter.name !== undefined) query = query.where("name", "=", filter.name);
  // PostgreSQL rejects an empty list; the result is empty anyway.
  if ([filter.names, filter.ids, filter.kinds].some((list) => list?.length === 0)) {
    query = query.where(sql<boolean>`1 = 0`);
  }
  if (filter.names?.length) query = query.where("name", "in", filter.names);
  if (filter.ids?.length) query = query.where("tool.id", "in", filter.ids);
  if (filter.kinds?.length) query = query.where("kind", "in", filter.kinds);
  if (filter.excludedKinds?.length) query = query.where("kind", "not in", filter.excludedKinds);
  if (filter.search) {
    query = query.where(scope.flavor.contains(sql.ref("tool.name"), filter.search));
  }
  const { projectId } = filter;
  if (projectId === undefined) return query;
  return query.where((eb) => eb.or([eb("project_id", "is", null), eb("project_id", "=", projectId)]));
}

/** The searchable fields of tools, without source; newest first. */
export type ToolText = Pick<Tool, "id" | "name" | "description" | "tags">;

export async function listToolTexts(scope: Scope, filter: ToolFilter): Promise<ToolText[]> {
  const rows = await filterTools(scope, filter)
    .select(["tool.id", "tool.name", "tool.description", "tool.tags"])
    .orderBy("tool.created_at", "desc")
    .orderBy("tool.id", "desc")
    .execute();
  return rows.map(({ tags, ...row }) => ({ ...row, tags: JSON.parse(tags) }));
}

/** Tools whose source requires packages. */
export async function listToolsWithRequirements(scope: Scope): Promise<Tool[]> {
  const rows = await scope
    .select("tool")
    .selectAll("tool")
    .where((eb) => eb.or([eb("pip_requirements", "<>", "[]"), eb("npm_requirements", "<>", "[]")]))
    .where("source", "is not", null)
    .orderBy("tool.created_at")
    .orderBy("tool.id")
    .execute();
  return rows.map((row) => toolEntity.codec.decode(row));
}

/** Ids of the agents with this tool that have rules or permissions, in lock order. */
export async function listHolders(scope: Scope, toolId: string): Promise<string[]> {
  const held = scope.select("agent_tool").select("agent_id").where("tool_id", "=", toolId);
  const rows = await scope
    .select("agent")
    .select("agent.id")
    .where("agent.id", "in", held)
    .where((eb) => eb.or([eb("agent.tool_rules", "<>", "[]"), eb("agent.tool_permissions", "is not", null)]))
    .orderBy("agent.id")
    .execute();
  return rows.map(({ id }) => id);
}

/** A query over the agent's tools, for paging. */
export function selectAgentTools(scope: Scope, agentId: string) {
  const held = scope.select("agent_tool").select("tool_id").where("agent_id", "=", agentId);
  return scope.select("tool").where(sql.ref("tool.id"), "in", held);
}

export async function findToolsByName(scope: Scope, names: readonly string[]): Promise<Tool[]> {
  if (names.length === 0) return [];
  const rows = await scope
    .select("tool")
    .selectAll("tool")
    .where(isInList(scope, "tool.name", [...new Set(names)]))
    .execute();
  return rows.map((row) => toolEntity.codec.decode(row));
}

export async function attachTools(scope: Scope, agentId: string, toolIds: readonly string[]): Promise<void> {
  if (toolIds.length === 0) return;
  const rows = [...new Set(toolIds)].map((id) => ({ agent_id: agentId, tool_id: id, attached_at: scope.now() }));
  await scope
    .insert("agent_tool", rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function detachTools(scope: Scope, agentId: string, toolIds: readonly string[]): Promise<void> {
  if (toolIds.length === 0) return;
  await scope.delete("agent_tool").where("agent_id", "=", agentId).where("tool_id", "in", toolIds).execute();
}

export async function detachAllTools(scope: Scope, agentId: string): Promise<void> {
  await scope.delete("agent_tool").where("agent_id", "=", agentId).execute();
}

const readAgentTools = prepare((scope, { agentId }: { agentId: string }) =>
  scope
    .select("tool")
    .innerJoin("agent_tool", "agent_tool.tool_id", "tool.id")
    .selectAll("tool")
    .where("agent_tool.agent_id", "=", agentId)
    .orderBy(scope.flavor.bytewise(sql.ref("tool.name"))),
);

/** Sorted by name, so that the prompt does not depend on history. */
export async function listAgentTools(scope: Scope, agentId: string): Promise<Tool[]> {
  return (await readAgentTools(scope, { agentId })).map((row) => toolEntity.codec.decode(row));
}

/** Tools of several agents, by agent id. */
export async function loadAgentTools(scope: Scope, agentIds: readonly string[]): Promise<Map<string, Tool[]>> {
  if (agentIds.length === 0) return new Map();
  const rows = await scope
    .select("tool")
    .innerJoin("agent_tool", "agent_tool.tool_id", "tool.id")
    .selectAll("tool")
    .select("agent_tool.agent_id")
    .where(isInList(scope, "agent_tool.agent_id", agentIds))
    .orderBy(scope.flavor.bytewise(sql.ref("tool.name")))
    .execute();
  return groupRows(rows, (row) => row.agent_id, toolEntity.codec.decode);
}
