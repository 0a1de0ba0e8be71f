/** Traces: compressed requests to providers and their responses, kept for a few days. */
import { createCodec, json, plain } from "../engine/codec.ts";
import { type Entity, insertEntities } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";

/** `exchange`: HTTP bytes. `request`: the input of a model that is not called over HTTP. */
export type TraceKind = "exchange" | "request";

export interface TraceDetail {
  /** The call of the step itself, or one that summarized its context. */
  readonly purpose: "step" | "summary";
  readonly provider: string | null;
  readonly model: string;
  /** Without credentials; null if not called over HTTP. */
  readonly url: string | null;
  readonly status: number | null;
  /** Microseconds. */
  readonly startedAt: number;
  readonly firstByteMs: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
  /** The stored response is truncated. */
  readonly isCut: boolean;
}

export interface StoredTrace {
  readonly id: string;
  readonly stepId: string | null;
  readonly runId: string | null;
  readonly agentId: string | null;
  readonly kind: TraceKind;
  readonly detail: TraceDetail;
  /** Both compressed. */
  readonly request: Uint8Array;
  readonly response: Uint8Array | null;
  readonly createdBy: string | null;
  readonly createdAt: number;
}

const bytes = <V extends Uint8Array | null>(column: string) => ({
  column,
  decode: (stored: unknown) => stored as V,
  encode: (value: V) => value,
});

const traceEntity: Entity<StoredTrace, "trace"> = {
  table: "trace",
  name: "trace",
  codec: createCodec<StoredTrace>("trace", {
    id: plain("id"),
    stepId: plain("step_id"),
    runId: plain("run_id"),
    agentId: plain("agent_id"),
    kind: plain("kind"),
    detail: json("detail"),
    request: bytes("request"),
    response: bytes("response"),
    createdBy: plain("created_by"),
    createdAt: plain("created_at"),
  }),
};

export const insertTraces = (scope: Scope, traces: readonly StoredTrace[]): Promise<void> =>
  insertEntities(scope, traceEntity, traces);

/** Of these steps, oldest first. */
export async function listStepTraces(scope: Scope, stepIds: readonly string[], limit = 1_000): Promise<StoredTrace[]> {
  if (stepIds.length === 0) return [];
  const rows = await scope
    .select("trace")
    .selectAll("trace")
    .where("step_id", "in", stepIds)
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => traceEntity.codec.decode(row));
}

/** Deletes up to `limit` of the oldest and returns the number. */
export async function deleteOldTraces(scope: Scope, before: number, limit: number): Promise<number> {
  const old = scope.select("trace").select("trace.id").where("created_at", "<", before);
  const { numDeletedRows } = await scope
    .delete("trace")
    .where("id", "in", old.orderBy("created_at").limit(limit))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
