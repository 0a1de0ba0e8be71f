/** Agents and their settings; blocks, tools, tags and identities are linked from other tables. */
import { type SelectQueryBuilder, sql } from "kysely";
import type { AgentKind } from "../../shared/agent-kinds.ts";
import type { CompactionSettings } from "../../shared/compaction-settings.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { EmbeddingConfig, ModelConfig, ResponseFormat } from "../../shared/model-config.ts";
import type { ToolPermissions } from "../../shared/tool-permissions.ts";
import type { ToolRule } from "../../shared/tool-rules.ts";
import { createCodec, flag, json, plain } from "../engine/codec.ts";
import { deleteById, type Entity, findById, getById, getByIds, insertEntities, updateById } from "../engine/entity.ts";
import { countRows, listPage, type PageRequest } from "../engine/paging.ts";
import type { Tables } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";
import { selectLinked } from "./identities.ts";
import { selectTagged } from "./tags.ts";

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly kind: AgentKind;
  readonly description: string | null;
  /** The instructions, without memory. */
  readonly system: string;
  readonly metadata: JsonObject | null;
  readonly model: ModelConfig;
  readonly embedding: EmbeddingConfig | null;
  readonly compaction: CompactionSettings;
  readonly responseFormat: ResponseFormat | null;
  readonly toolRules: readonly ToolRule[];
  /** Null allows all attached tools. */
  readonly toolPermissions: ToolPermissions | null;
  readonly timezone: string;
  /** Clears the context after every request. */
  readonly autoclear: boolean;
  readonly sleeptime: boolean | null;
  readonly hidden: boolean | null;
  readonly maxFilesOpen: number;
  readonly fileViewChars: number;
  readonly lastRunAt: number | null;
  readonly lastRunMs: number | null;
  readonly lastStopReason: string | null;
  readonly projectId: string | null;
  readonly templateId: string | null;
  readonly baseTemplateId: string | null;
  readonly deploymentId: string | null;
  readonly entityId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const agentEntity: Entity<Agent, "agent"> = {
  table: "agent",
  name: "agent",
  codec: createCodec<Agent>("agent", {
    id: plain("id"),
    name: plain("name"),
    kind: plain("kind"),
    description: plain("description"),
    system: plain("system"),
    metadata: json("metadata"),
    model: json("model_config"),
    embedding: json("embedding_config"),
    compaction: json("compaction"),
    responseFormat: json("response_format"),
    toolRules: json("tool_rules"),
    toolPermissions: json("tool_permissions"),
    timezone: plain("timezone"),
    autoclear: flag("autoclear"),
    sleeptime: flag("sleeptime"),
    hidden: flag("hidden"),
    maxFilesOpen: plain("max_files_open"),
    fileViewChars: plain("file_view_chars"),
    lastRunAt: plain("last_run_at"),
    lastRunMs: plain("last_run_ms"),
    lastStopReason: plain("last_stop_reason"),
    projectId: plain("project_id"),
    templateId: plain("template_id"),
    baseTemplateId: plain("base_template_id"),
    deploymentId: plain("deployment_id"),
    entityId: plain("entity_id"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getAgent = (scope: Scope, id: string): Promise<Agent> => getById(scope, agentEntity, id);
export const findAgent = (scope: Scope, id: string): Promise<Agent | undefined> => findById(scope, agentEntity, id);
export const getAgents = (scope: Scope, ids: readonly string[]): Promise<Agent[]> => getByIds(scope, agentEntity, ids);
export const insertAgent = (scope: Scope, agent: Agent): Promise<void> => insertEntities(scope, agentEntity, [agent]);
export const updateAgent = (scope: Scope, id: string, changes: Partial<Agent>): Promise<void> =>
  updateById(scope, agentEntity, id, changes);

/** Reads the agent and locks its row until the transaction ends. */
export async function lockAgent(scope: Scope, id: string): Promise<Agent> {
  await updateAgent(scope, id, { updatedAt: scope.now() });
  return await getAgent(scope, id);
}

const batchSize = 500;

/** Kinds of the agents that exist, by id. */
export async function loadAgentKinds(scope: Scope, ids: readonly string[]): Promise<Map<string, AgentKind>> {
  const distinct = [...new Set(ids)];
  const kinds = new Map<string, AgentKind>();
  for (let start = 0; start < distinct.length; start += batchSize) {
    const some = distinct.slice(start, start + batchSize);
    const rows = await scope.select("agent").select(["id", "kind"]).where("id", "in", some).execute();
    for (const { id, kind } of rows) kinds.set(id, kind as AgentKind);
  }
  return kinds;
}

/** Cascades to messages, conversations, runs and links; blocks, tools, archives and folders stay. */
export const deleteAgent = (scope: Scope, id: string): Promise<void> => deleteById(scope, agentEntity, id);

export interface AgentFilter {
  readonly name?: string;
  /** Case-insensitive substring of the name. */
  readonly search?: string;
  readonly tags?: readonly string[];
  readonly matchAllTags?: boolean;
  readonly identityId?: string;
  readonly identifierKeys?: readonly string[];
  readonly projectId?: string;
  readonly templateId?: string;
  readonly baseTemplateId?: string;
  readonly lastStopReason?: string;
  readonly createdBy?: string;
  readonly blockId?: string;
  readonly archiveId?: string;
  readonly showHidden?: boolean;
}

export type AgentOrder = "created_at" | "updated_at" | "last_run_at";

export async function listAgents(
  scope: Scope,
  filter: AgentFilter,
  page: PageRequest,
  orderBy: AgentOrder = "created_at",
): Promise<Agent[]> {
  return await listPage(scope, agentEntity, filterAgents(scope, filter), page, {
    orderBy,
    isNullable: orderBy === "last_run_at",
    unknownCursor: "ignore",
  });
}

export async function countAgents(scope: Scope, filter: AgentFilter = {}): Promise<number> {
  return await countRows(filterAgents(scope, filter));
}

function filterAgents(scope: Scope, filter: AgentFilter): SelectQueryBuilder<Tables, "agent", object> {
  let query = scope.select("agent");
  if (!filter.showHidden) query = query.where((eb) => eb.or([eb("hidden", "is", null), eb("hidden", "=", 0)]));
  if (filter.name !== undefined) query = query.where("name", "=", filter.name);
  if (filter.search) {
    query = query.where(scope.flavor.contains(sql.ref("agent.name"), filter.search));
  }
  if (filter.projectId !== undefined) query = query.where("project_id", "=", filter.projectId);
  if (filter.templateId !== undefined) query = query.where("template_id", "=", filter.templateId);
  if (filter.baseTemplateId !== undefined) query = query.where("base_template_id", "=", filter.baseTemplateId);
  if (filter.lastStopReason !== undefined) query = query.where("last_stop_reason", "=", filter.lastStopReason);
  if (filter.createdBy !== undefined) query = query.where("created_by", "=", filter.createdBy);
  if (filter.tags?.length) {
    query = query.where("agent.id", "in", selectTagged(scope, "agent", filter.tags, filter.matchAllTags ?? false));
  }
  if (filter.identityId !== undefined || filter.identifierKeys !== undefined) {
    const identity = { id: filter.identityId, keys: filter.identifierKeys };
    query = query.where("agent.id", "in", selectLinked(scope, "agent", identity));
  }
  if (filter.blockId !== undefined) {
    const holders = scope.select("agent_block").select("agent_id").where("block_id", "=", filter.blockId);
    query = query.where("agent.id", "in", holders);
  }
  if (filter.archiveId !== undefined) {
    const holders = scope.select("agent_archive").select("agent_id").where("archive_id", "=", filter.archiveId);
    query = query.where("agent.id", "in", holders);
  }
  return query;
}
