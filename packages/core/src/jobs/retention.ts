/** Deletes what is past its time: at the start and every hour, few rows at a time, between other things. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../shared/log.ts";
import type { Scope } from "../store/engine/scope.ts";
import type { Store } from "../store/engine/store.ts";
import { deleteOldTokens } from "../store/runs/idempotency.ts";
import { deleteOldDeltas } from "../store/runs/run-log.ts";
import { deleteOldTraces } from "../store/runs/traces.ts";
import { listOrgsWithOld, listOrgsWithOldDeltas } from "../store/system.ts";

export interface Retention {
  stop(): Promise<void>;
}

/** Something that is kept for a while. */
interface Kept {
  readonly forMs: number;
  listOrgs(store: Store, before: number): Promise<string[]>;
  /** Answers how many it deleted. */
  deleteSome(scope: Scope, before: number, most: number): Promise<number>;
}

const oldIn =
  (table: Parameters<typeof listOrgsWithOld>[1]): Kept["listOrgs"] =>
  (store, before) =>
    listOrgsWithOld(store, table, before);

const hourMs = 3_600_000;
const atOnce = 100;
const pauseMs = 20;

/** Pieces of replies are for taking a stream up again; the replies themselves stay. */
const deltas: Kept = { forMs: 3 * hourMs, listOrgs: listOrgsWithOldDeltas, deleteSome: deleteOldDeltas };

/** Nobody makes the same request again after so long. */
const tokens: Kept = { forMs: 30 * 24 * hourMs, listOrgs: oldIn("idempotency_key"), deleteSome: deleteOldTokens };

/** `traceDays` may be 0: then all that are left from another time go. */
export function startRetention(store: Store, log: Log, traceDays: number, everyMs = hourMs): Retention {
  const traces: Kept = {
    forMs: traceDays * 24 * hourMs,
    listOrgs: oldIn("trace"),
    deleteSome: deleteOldTraces,
  };
  const stopping = new AbortController();
  let work: Promise<void> = Promise.resolve();
  const sweep = () => {
    for (const kept of [traces, deltas, tokens]) {
      work = work
        .then(() => deletePast(store, kept, stopping.signal))
        .catch((error: unknown) => {
          log.warn({ err: error }, "what is past its time could not be deleted; it is tried again in an hour");
        });
    }
  };
  const timer = setInterval(sweep, everyMs).unref();
  sweep();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await work;
    },
  };
}

async function deletePast(store: Store, { forMs, listOrgs, deleteSome }: Kept, signal: AbortSignal): Promise<void> {
  const before = store.now() - forMs * 1_000;
  for (;;) {
    const orgIds = signal.aborted ? [] : await listOrgs(store, before);
    if (orgIds.length === 0) return;
    for (const orgId of orgIds) {
      while (!signal.aborted) {
        const count = await store.write(orgId, (scope) => deleteSome(scope, before, atOnce));
        if (count < atOnce) break;
        await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {});
      }
    }
  }
}
