/** The append-only event log of a run. */
import type { LoggedEvent, RunEvent } from "../../shared/events.ts";
import type { Scope } from "../engine/scope.ts";
import type { Run } from "./runs.ts";

/** Appends events after the first `after`; the caller has fenced the run. */
export async function appendEvents(
  scope: Scope,
  run: Pick<Run, "id" | "epoch">,
  after: number,
  events: readonly RunEvent[],
): Promise<LoggedEvent[]> {
  const at = scope.now();
  const logged = events.map((event, index) => ({ ...event, seq: after + index + 1 }));
  await scope.insertAll(
    "run_event",
    logged.map(({ seq, type, ...payload }) => ({
      run_id: run.id,
      seq,
      epoch: run.epoch,
      type,
      payload: JSON.stringify(payload),
      created_at: at,
    })),
  );
  return logged;
}

/** All events, or the first `limit`. */
export async function listEvents(scope: Scope, runId: string, after = 0, limit?: number): Promise<LoggedEvent[]> {
  const query = scope
    .select("run_event")
    .select(["seq", "type", "payload"])
    .where("run_id", "=", runId)
    .where("seq", ">", after)
    .orderBy("seq");
  const rows = await (limit === undefined ? query : query.limit(limit)).execute();
  return rows.map(({ seq, type, payload }) => ({ ...JSON.parse(payload), type, seq }) as LoggedEvent);
}

/** Only of ended runs, because the length of an open run's log determines its next sequence number. */
export async function deleteOldDeltas(scope: Scope, before: number, limit: number): Promise<number> {
  const rows = await scope
    .select("run_event")
    .innerJoin("run", "run.id", "run_event.run_id")
    .select(["run_event.run_id", "run_event.seq"])
    .where("run_event.type", "=", "delta")
    .where("run_event.created_at", "<", before)
    .where("run.ended_at", "<", before)
    .orderBy("run_event.created_at")
    .limit(limit)
    .execute();
  for (const { run_id, seq } of rows) {
    await scope.delete("run_event").where("run_id", "=", run_id).where("seq", "=", seq).execute();
  }
  return rows.length;
}
