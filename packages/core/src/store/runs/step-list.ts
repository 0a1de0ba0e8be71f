/** Lists steps, with feedback. */
import { type SelectQueryBuilder, sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { type Entity, getById } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Tables } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";
import { type Step, stepFields } from "./steps.ts";

export type Feedback = "positive" | "negative";

export interface ListedStep extends Omit<Step, "systemHash" | "toolsHash" | "requestHash" | "trail"> {
  readonly providerId: string | null;
  readonly feedback: Feedback | null;
  readonly tags: readonly string[] | null;
  readonly tid: string | null;
  readonly traceId: string | null;
}

const { systemHash: _system, toolsHash: _tools, requestHash: _request, trail: _trail, ...listedFields } = stepFields;

const listedEntity: Entity<ListedStep, "step"> = {
  table: "step",
  name: "step",
  codec: createCodec<ListedStep>("step", {
    ...listedFields,
    providerId: plain("provider_id"),
    feedback: plain("feedback"),
    tags: json("tags"),
    tid: plain("tid"),
    traceId: plain("trace_id"),
  }),
};

export const getListedStep = (scope: Scope, id: string): Promise<ListedStep> => getById(scope, listedEntity, id);

export interface StepFilter {
  readonly runId?: string;
  readonly agentId?: string;
  readonly model?: string;
  /** Any of these. */
  readonly traceIds?: readonly string[];
  readonly feedback?: Feedback;
  readonly hasFeedback?: boolean;
  /** Any of these. */
  readonly tags?: readonly string[];
  readonly projectId?: string;
  /** Timestamps; both ends are inclusive. */
  readonly since?: number;
  readonly until?: number;
}

/** By creation, ascending or descending. */
export function listSteps(scope: Scope, filter: StepFilter, page: PageRequest): Promise<ListedStep[]> {
  return listPage(scope, listedEntity, filterSteps(scope, filter), page, { orderBy: "seq" });
}

function filterSteps(scope: Scope, filter: StepFilter): SelectQueryBuilder<Tables, "step", object> {
  let query = scope.select("step");
  if (filter.runId !== undefined) query = query.where("step.run_id", "=", filter.runId);
  if (filter.agentId !== undefined) query = query.where("step.agent_id", "=", filter.agentId);
  if (filter.model !== undefined) query = query.where("step.model", "=", filter.model);
  if (filter.traceIds) query = query.where("step.trace_id", "in", filter.traceIds.length > 0 ? filter.traceIds : [""]);
  if (filter.feedback !== undefined) query = query.where("step.feedback", "=", filter.feedback);
  if (filter.hasFeedback !== undefined) {
    query = query.where("step.feedback", filter.hasFeedback ? "is not" : "is", null);
  }
  if (filter.projectId !== undefined) query = query.where("step.project_id", "=", filter.projectId);
  if (filter.since !== undefined) query = query.where("step.created_at", ">=", filter.since);
  if (filter.until !== undefined) query = query.where("step.created_at", "<=", filter.until);
  const { tags } = filter;
  if (tags?.length) {
    const stored = sql.ref("step.tags");
    // Unlike `like`, case-sensitive on both databases.
    const holds = (tag: string) => sql<boolean>`replace(${stored}, ${JSON.stringify(tag)}, '') <> ${stored}`;
    query = query.where((eb) => eb.or(tags.map(holds)));
  }
  return query;
}

export interface StepOpinion {
  readonly feedback: Feedback | null;
  /** Unchanged if absent. */
  readonly tags?: readonly string[];
}

export async function setStepOpinion(scope: Scope, id: string, { feedback, tags }: StepOpinion): Promise<void> {
  const { numUpdatedRows } = await scope
    .update("step")
    .set({ feedback, updated_at: scope.now(), ...(tags ? { tags: JSON.stringify(tags) } : {}) })
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound("step", id);
}

/** Stores the id by which an external program knows the step. */
export async function setStepTransaction(scope: Scope, id: string, tid: string): Promise<void> {
  const { numUpdatedRows } = await scope
    .update("step")
    .set({ tid, updated_at: scope.now() })
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound("step", id);
}
