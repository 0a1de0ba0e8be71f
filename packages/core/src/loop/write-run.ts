/**
 * The writes of a run outlast faults of the database. The write itself is repeated, not what came before it: a reply that
 * was paid for stays in memory until it is stored.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MemoirError } from "../shared/errors.ts";
import { isUniqueViolation } from "../store/engine/constraint-errors.ts";
import { type DatabaseFault, findDatabaseFault } from "../store/engine/database-faults.ts";
import type { Scope } from "../store/engine/scope.ts";
import type { Run } from "../store/runs/runs.ts";
import type { Loop } from "./loop.ts";

/** A run being worked on, and what ends the waiting. */
interface Writing {
  readonly loop: Loop;
  readonly orgId: string;
  readonly run: Pick<Run, "id">;
  readonly signal: AbortSignal;
}

const firstPauseMs = 100;
const longestPauseMs = 10_000;

export async function writeRun<R>(
  { loop, orgId, run, signal }: Writing,
  work: (scope: Scope) => Promise<R>,
): Promise<R> {
  let fault: unknown;
  for (let failures = 0; ; failures++) {
    try {
      return await loop.store.write(orgId, work);
    } catch (error) {
      // A commit whose answer was lost had been made: what follows from it is in the log.
      if (fault !== undefined && isUniqueViolation(error)) throw fault;
      const kind = findDatabaseFault(error);
      if (kind === undefined) throw error;
      fault = error;
      loop.log.warn({ err: error, runId: run.id, fault: kind }, "a write of a run failed; it is tried again");
      interruptCallers(loop, run.id, kind);
      const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Faults that do not pass by themselves. */
const lasting: Partial<Record<DatabaseFault, string>> = {
  full: "There is no space left on the database's disk. The message is stored, and is answered when there is room again.",
  damaged:
    "The database is damaged, and the run cannot go on. Run memoir doctor, and restore a backup if it reports problems.",
  disk: "The database's files cannot be read or written. The message is stored, and is answered when they can be.",
};

/** Callers wait through faults that pass; of others they are told. The run itself stays open. */
export function interruptCallers({ bus }: Loop, runId: string, fault: DatabaseFault | undefined): void {
  const text = fault && lasting[fault];
  if (text !== undefined) bus.interrupt(runId, new MemoirError("unavailable", text));
}
