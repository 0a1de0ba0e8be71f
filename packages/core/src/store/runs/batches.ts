/** Batches: many messages at once, each with its own run. */
import { sql } from "kysely";
import type { JsonObject } from "../../shared/json.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { type Entity, insertEntities } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";

export interface BatchItem {
  readonly id: string;
  readonly jobId: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly request: JsonObject;
  readonly status: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const itemEntity: Entity<BatchItem, "batch_item"> = {
  table: "batch_item",
  name: "batch item",
  codec: createCodec<BatchItem>("batch_item", {
    id: plain("id"),
    jobId: plain("job_id"),
    agentId: plain("agent_id"),
    runId: plain("run_id"),
    request: json("request"),
    status: plain("status"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
  }),
};

export const insertBatchItems = (scope: Scope, items: readonly BatchItem[]): Promise<void> =>
  insertEntities(scope, itemEntity, items);

/** Runs of a batch that have not ended. */
export async function listOpenBatchRuns(scope: Scope, jobId: string): Promise<string[]> {
  const rows = await scope
    .select("batch_item")
    .innerJoin("run", "run.id", "batch_item.run_id")
    .select("run.id")
    .where("batch_item.job_id", "=", jobId)
    .where("run.ended_at", "is", null)
    .orderBy("run.seq")
    .execute();
  return rows.map(({ id }) => id);
}

/** When the last run of a batch ended; null if none has. */
export async function findBatchEnd(scope: Scope, jobId: string): Promise<number | null> {
  const row = await scope
    .select("batch_item")
    .innerJoin("run", "run.id", "batch_item.run_id")
    .select(sql<number | null>`max(run.ended_at)`.as("endedAt"))
    .where("batch_item.job_id", "=", jobId)
    .executeTakeFirst();
  return row?.endedAt ? Number(row.endedAt) : null;
}
