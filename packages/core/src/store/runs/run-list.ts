/** Lists runs with filters. */
import { type SelectQueryBuilder, sql } from "kysely";
import type { StopReason } from "../../shared/events.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Tables } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";
import { findRun, listOpenRuns, type Run, type RunStatus, runEntity } from "./runs.ts";

export interface RunFilter {
  readonly id?: string;
  /** Any of these agents. */
  readonly agentIds?: readonly string[];
  readonly statuses?: readonly RunStatus[];
  readonly isBackground?: boolean;
  readonly stopReason?: StopReason;
  /** One conversation, or the default conversations of all agents. */
  readonly conversation?: { readonly id: string } | "default";
  /** Queued or active. */
  readonly isOpen?: boolean;
  readonly projectId?: string;
  readonly baseTemplateId?: string;
  /** Timestamps; both ends are inclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly steps?: { readonly comparison: "=" | ">=" | "<="; readonly count: number };
  /** Runs that called any of these tools. */
  readonly toolNames?: readonly string[];
  readonly duration?: { readonly comparison: ">" | "<" | "="; readonly ns: number };
  /** Only runs at or above this percentile of duration, 0 to 100, among those that match the other filters. */
  readonly durationPercentile?: number;
}

export type RunOrder = "created_at" | "duration_ns";

export async function listRuns(
  scope: Scope,
  filter: RunFilter,
  page: PageRequest,
  orderBy: RunOrder = "created_at",
): Promise<Run[]> {
  let query = filterRuns(scope, filter);
  if (filter.durationPercentile !== undefined) {
    const least = await findPercentile(scope, filter, filter.durationPercentile);
    if (least === undefined) return [];
    query = query.where("run.duration_ns", ">=", least);
  }
  const isByAge = orderBy === "created_at";
  return await listPage(scope, runEntity, query, page, {
    orderBy: isByAge ? creationOrder(filter) : orderBy,
    isNullable: !isByAge,
  });
}

/** Within a conversation `seq` is the order of creation and has an index. */
function creationOrder({ conversation, isOpen, agentIds }: RunFilter) {
  // Open runs are few: the unary plus keeps SQLite from scanning all runs of the agent in order.
  if (isOpen && agentIds) return sql<number>`+run.created_at`;
  return typeof conversation === "object" ? "seq" : "created_at";
}

type Query = SelectQueryBuilder<Tables, "run", object>;

function filterRuns(scope: Scope, filter: RunFilter): Query {
  let query = scope.select("run");
  if (filter.id !== undefined) query = query.where("run.id", "=", filter.id);
  if (filter.agentIds) query = filterByAgents(scope, query, filter.agentIds, filter.isOpen ?? false);
  if (filter.statuses) query = query.where("run.status", "in", filter.statuses.length > 0 ? filter.statuses : [""]);
  if (filter.isBackground !== undefined) query = query.where("run.is_background", "=", filter.isBackground ? 1 : 0);
  if (filter.stopReason !== undefined) query = query.where("run.stop_reason", "=", filter.stopReason);
  if (filter.isOpen) query = query.where("run.ended_at", "is", null);
  if (filter.since !== undefined) query = query.where("run.created_at", ">=", filter.since);
  if (filter.until !== undefined) query = query.where("run.created_at", "<=", filter.until);
  if (filter.duration) query = query.where("run.duration_ns", filter.duration.comparison, filter.duration.ns);
  const { conversation } = filter;
  if (conversation === "default") query = query.where("run.conversation_id", "in", selectDefaults(scope));
  else if (conversation) query = query.where("run.conversation_id", "=", conversation.id);
  const { projectId, baseTemplateId } = filter;
  if (projectId !== undefined) query = query.where("run.agent_id", "in", selectAgents(scope, "project_id", projectId));
  if (baseTemplateId !== undefined) {
    query = query.where("run.agent_id", "in", selectAgents(scope, "base_template_id", baseTemplateId));
  }
  return filterByWork(scope, query, filter);
}

/** Open runs have an index by conversation. */
function filterByAgents(scope: Scope, query: Query, agentIds: readonly string[], isOpen: boolean): Query {
  const ids = agentIds.length > 0 ? agentIds : [""];
  if (!isOpen) return query.where("run.agent_id", "in", ids);
  const own = scope.select("conversation").select("conversation.id").where("conversation.agent_id", "in", ids);
  return query.where("run.conversation_id", "in", own);
}

/** Filters by steps and tool calls. */
function filterByWork(scope: Scope, input: Query, { steps, toolNames }: RunFilter): Query {
  let query = input;
  if (steps) {
    const counted = scope
      .select("step")
      .select(sql`count(*)`.as("count"))
      .whereRef("step.run_id", "=", "run.id" as never);
    query = query.where(sql<number>`(${counted})`, steps.comparison, steps.count);
  }
  if (toolNames) {
    // Matches calls as stored; quotes inside arguments are escaped and cannot match.
    const texts = toolNames.map((name) => `"name":${JSON.stringify(name)}`);
    const calls = sql.ref("message.tool_calls");
    const calling = scope
      .select("message")
      .select("message.run_id")
      .whereRef("message.run_id", "=", "run.id" as never)
      .where((eb) => eb.or(texts.map((text) => sql<boolean>`replace(${calls}, ${text}, '') <> ${calls}`)));
    query = query.where((eb) => eb.exists(calling));
  }
  return query;
}

function selectDefaults(scope: Scope) {
  return scope.select("conversation").select("conversation.id").where("conversation.is_default", "=", 1);
}

function selectAgents(scope: Scope, column: "project_id" | "base_template_id", value: string) {
  return scope.select("agent").select("agent.id").where(`agent.${column}`, "=", value);
}

/** Undefined if no matching run has ended. */
async function findPercentile(scope: Scope, filter: RunFilter, percentile: number): Promise<number | undefined> {
  const ended = filterRuns(scope, filter).where("run.duration_ns", "is not", null);
  const { count } = await ended.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
  const place = Math.min(Number(count) - 1, Math.floor((Number(count) * percentile) / 100));
  if (place < 0) return undefined;
  const row = await ended
    .select("run.duration_ns as ns")
    .orderBy("run.duration_ns")
    .offset(place)
    .limit(1)
    .executeTakeFirst();
  return row?.ns ?? undefined;
}

/** The run that the newest message with this otid started, or a queued run that it will start. */
export async function findRunByOtid(scope: Scope, conversationId: string, otid: string): Promise<Run | undefined> {
  const row = await scope
    .select("message")
    .select("run_id")
    .where("conversation_id", "=", conversationId)
    .where("otid", "=", otid)
    .where("run_id", "is not", null)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row?.run_id) return await findRun(scope, row.run_id);
  const open = await listOpenRuns(scope, conversationId);
  return open.find(({ request }) => request.input.some((input) => input.otid === otid));
}
