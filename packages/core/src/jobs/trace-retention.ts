/** Deletes traces that are past their time: at the start and every hour, few at a time, between other things. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { listOrgsWithOldTraces } from "../store/system.ts";
import { deleteOldTraces } from "../store/traces.ts";

export interface TraceRetention {
  stop(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMicros = 24 * hourMs * 1_000;
const atOnce = 100;
const pauseMs = 20;

/** `days` may be 0: then all that are left from another time go. */
export function startTraceRetention(store: Store, log: Log, days: number, everyMs = hourMs): TraceRetention {
  const stopping = new AbortController();
  let work: Promise<void> = Promise.resolve();
  const sweep = () => {
    work = work
      .then(() => deletePast(store, days, stopping.signal))
      .catch((error: unknown) => {
        log.warn({ err: error }, "old traces could not be deleted; it is tried again in an hour");
      });
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

async function deletePast(store: Store, days: number, signal: AbortSignal): Promise<void> {
  const before = store.now() - days * dayMicros;
  for (;;) {
    const orgIds = signal.aborted ? [] : await listOrgsWithOldTraces(store, before);
    if (orgIds.length === 0) return;
    for (const orgId of orgIds) {
      while (!signal.aborted) {
        const count = await store.write(orgId, (scope) => deleteOldTraces(scope, before, atOnce));
        if (count < atOnce) break;
        await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {});
      }
    }
  }
}
