/**
 * Deletes expired traces, deltas and idempotency keys at start and every hour, in small batches so that other writes
 * are not delayed.
 */
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

/** A kind of rows with its retention period. */
interface RetentionRule {
  readonly retentionMs: number;
  listOrgs(store: Store, before: number): Promise<string[]>;
  /** Resolves to the number of deleted rows. */
  deleteBatch(scope: Scope, before: number, max: number): Promise<number>;
}

const listOrgsOf =
  (table: Parameters<typeof listOrgsWithOld>[1]): RetentionRule["listOrgs"] =>
  (store, before) =>
    listOrgsWithOld(store, table, before);

const hourMs = 3_600_000;
const batchSize = 100;
const pauseMs = 20;

/** Deltas are only needed to resume a stream; the complete replies are stored elsewhere. */
const deltas: RetentionRule = {
  retentionMs: 3 * hourMs,
  listOrgs: listOrgsWithOldDeltas,
  deleteBatch: deleteOldDeltas,
};

/** Idempotency keys live for 30 days, longer than any client retries. */
const tokens: RetentionRule = {
  retentionMs: 30 * 24 * hourMs,
  listOrgs: listOrgsOf("idempotency_key"),
  deleteBatch: deleteOldTokens,
};

/** A `traceDays` of 0 deletes all traces that an earlier configuration stored. */
export function startRetention(store: Store, log: Log, traceDays: number, everyMs = hourMs): Retention {
  const traces: RetentionRule = {
    retentionMs: traceDays * 24 * hourMs,
    listOrgs: listOrgsOf("trace"),
    deleteBatch: deleteOldTraces,
  };
  const stopping = new AbortController();
  let work: Promise<void> = Promise.resolve();
  const sweep = () => {
    for (const rule of [traces, deltas, tokens]) {
      work = work
        .then(() => deleteExpired(store, rule, stopping.signal))
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

async function deleteExpired(
  store: Store,
  { retentionMs, listOrgs, deleteBatch }: RetentionRule,
  signal: AbortSignal,
): Promise<void> {
  const before = store.now() - retentionMs * 1_000;
  for (;;) {
    const orgIds = signal.aborted ? [] : await listOrgs(store, before);
    if (orgIds.length === 0) return;
    for (const orgId of orgIds) {
      while (!signal.aborted) {
        const count = await store.write(orgId, (scope) => deleteBatch(scope, before, batchSize));
        if (count < batchSize) break;
        await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {});
      }
    }
  }
}
