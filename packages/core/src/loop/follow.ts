/** A run's events from any point on: first what the log holds, then what is added to it, until the run ends. */
import { MemoirError } from "../shared/errors.ts";
import type { LoggedEvent } from "../shared/events.ts";
import type { Scope } from "../store/engine/scope.ts";
import { listEvents } from "../store/runs/run-log.ts";
import { getRun } from "../store/runs/runs.ts";
import { type Backlog, createBacklog } from "./backlog.ts";
import type { RunBus } from "./run-bus.ts";

/** The doorbell rings for what happens here; what happens elsewhere, or to the run itself, is looked up now and then. */
const pollMs = 2_000;
/** Events read from the log at once: each may hold 20 ms of a fast model's tokens. */
const pageSize = 32;

export async function* followRun(
  bus: RunBus,
  scope: Scope,
  runId: string,
  afterSeq = 0,
  signal?: AbortSignal,
): AsyncGenerator<LoggedEvent> {
  const backlog = createBacklog();
  // The record is not held in a variable: a stopped reader would keep all of its events in memory.
  const isRecorded = bus.find(scope.orgId, runId) !== undefined;
  // Refuses a run that does not exist, or not here, before anything is listened to.
  if (!isRecorded) await getRun(scope, runId);
  let isClosed = false;
  let interruption: MemoirError | undefined;
  let ring: (() => void) | undefined;
  const wakeUp = () => ring?.();
  const wait = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs).unref();
      ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  // Subscribed before the log is read, so that nothing falls between the two.
  const unsubscribe = bus.subscribe(runId, (events, error) => {
    interruption = error;
    if (events) backlog.add(events);
    else isClosed = true;
    wakeUp();
  });
  signal?.addEventListener("abort", wakeUp);
  try {
    let last = afterSeq;
    let batch: readonly LoggedEvent[] = [];
    if (isRecorded) backlog.add(bus.find(scope.orgId, runId)?.events ?? []);
    else backlog.drop();
    while (!signal?.aborted) {
      for (const event of batch) {
        if (event.seq <= last) continue;
        last = event.seq;
        yield event;
        if (event.type === "run-end") return;
      }
      if (isClosed) throw new MemoirError("unavailable", "the server is stopping; the run goes on when it is back");
      if (interruption) throw interruption;
      if (backlog.isEmpty && !backlog.hasDropped) await wait();
      batch = interruption || !backlog.isEmpty || isClosed ? backlog.take() : await readOn(backlog, scope, runId, last);
    }
  } finally {
    signal?.removeEventListener("abort", wakeUp);
    unsubscribe();
  }
}

async function readOn(backlog: Backlog, scope: Scope, runId: string, after: number): Promise<LoggedEvent[]> {
  backlog.resume();
  const events = await listEvents(scope, runId, after, pageSize);
  if (events.length === pageSize) backlog.drop();
  // Gone with its agent: nothing more will come.
  if (events.length === 0) await getRun(scope, runId);
  return events;
}
