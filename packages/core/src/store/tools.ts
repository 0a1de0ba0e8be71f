/** Tools, and which agents hold them. Names are unique within an organization. */
import { sql } from "kysely";
import type { JsonObject } from "../json.ts";
import { createCodec, flag, json, plain } from "./codec.ts";
import { type Entity, getByIds, updateById } from "./entity.ts";
import { groupRows } from "./grouping.ts";
import type { NewRow, Scope } from "./scope.ts";

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

export const getTools = (scope: Scope, ids: readonly string[]): Promise<Tool[]> => getByIds(scope, toolEntity, ids);

/** Those whose names are taken are left out: another program may be adding the same at this moment. */
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

export async function findToolsByName(scope: Scope, names: readonly string[]): Promise<Tool[]> {
  if (names.length === 0) return [];
  const rows = await scope
    .select("tool")
    .selectAll("tool")
    .where("name", "in", [...new Set(names)])
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

export async function detachAllTools(scope: Scope, agentId: string): Promise<void> {
  await scope.delete("agent_tool").where("agent_id", "=", agentId).execute();
}

/** In the order of their names, so that what the model is offered does not depend on history. */
export async function loadAgentTools(scope: Scope, agentIds: readonly string[]): Promise<Map<string, Tool[]>> {
  if (agentIds.length === 0) return new Map();
  const rows = await scope
    .select("tool")
    .innerJoin("agent_tool", "agent_tool.tool_id", "tool.id")
    .selectAll("tool")
    .select("agent_tool.agent_id")
    .where("agent_tool.agent_id", "in", agentIds)
    .orderBy(scope.flavor.bytewise(sql.ref("tool.name")))
    .execute();
  return groupRows(rows, (row) => row.agent_id, toolEntity.codec.decode);
}
