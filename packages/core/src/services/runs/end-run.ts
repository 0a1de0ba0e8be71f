/** Ends a run from outside, at once: whoever works on it finds that it is no longer theirs and stops. */
import type { Loop } from "../../loop/loop.ts";
import type { LoggedEvent } from "../../shared/events.ts";
import { StaleWriteError } from "../../store/engine/entity.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { appendEvents, listEvents } from "../../store/runs/run-log.ts";
import { claimRun, fenceEnd, type Run, type RunEnd } from "../../store/runs/runs.ts";

export interface EndedRun {
  readonly run: Run;
  readonly events: readonly LoggedEvent[];
  readonly end: RunEnd;
}

/** The run as it was just read: if someone was faster, the transaction looks again. */
export async function endRun(scope: Scope, run: Run): Promise<EndedRun> {
  const claimed = await claimRun(scope, run);
  if (!claimed) throw new StaleWriteError("run", run.id);
  const log = await listEvents(scope, run.id);
  const event = { type: "run-end", reason: "cancelled" } as const;
  const end = await fenceEnd(scope, claimed, event);
  return { run: claimed, events: await appendEvents(scope, claimed, log.at(-1)?.seq ?? 0, [event]), end };
}

/** To those who wait for it, and to whoever works on it here. */
export function tellEnd(loop: Loop, { run, events, end }: EndedRun): void {
  loop.bus.publish(run.id, events, [], end);
  loop.active.get(run.id)?.abort();
}
