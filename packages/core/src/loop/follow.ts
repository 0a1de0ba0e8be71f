/** A run's events from any point on: first what the log holds, then what is added to it, until the run ends. */
import { MemoirError } from "../errors.ts";
import type { LoggedEvent } from "../events.ts";
import { listEvents } from "../store/run-log.ts";
import { getRun } from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";
import type { RunBus } from "./bus.ts";

export async function* followRun(
  bus: RunBus,
  scope: Scope,
  runId: string,
  afterSeq = 0,
  signal?: AbortSignal,
): AsyncGenerator<LoggedEvent> {
  const record = bus.find(scope.orgId, runId);
  // Refuses a run that does not exist, or not here, before anything is listened to.
  if (!record) await getRun(scope, runId);
  const arrived: LoggedEvent[] = [];
  let isClosed = false;
  let ring: (() => void) | undefined;
  const wakeUp = () => ring?.();
  // Subscribed before the log is read, so that nothing falls between the two.
  const unsubscribe = bus.subscribe(runId, (events) => {
    if (events) arrived.push(...events);
    else isClosed = true;
    wakeUp();
  });
  signal?.addEventListener("abort", wakeUp);
  try {
    let last = afterSeq;
    let batch: readonly LoggedEvent[] = record?.events.slice() ?? (await listEvents(scope, runId, afterSeq));
    while (!signal?.aborted) {
      for (const event of batch) {
        if (event.seq <= last) continue;
        last = event.seq;
        yield event;
        if (event.type === "run-end") return;
      }
      if (isClosed) throw new MemoirError("unavailable", "the server is stopping; the run goes on when it is back");
      if (arrived.length === 0) {
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
      }
      batch = arrived.splice(0);
    }
  } finally {
    signal?.removeEventListener("abort", wakeUp);
    unsubscribe();
  }
}
