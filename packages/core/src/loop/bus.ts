/** Tells listeners in this process what was committed to a run's log. The log itself is the truth; this is the doorbell. */
import type { LoggedEvent } from "../events.ts";

/** Undefined: nothing more will be told here. */
type Listener = (events: readonly LoggedEvent[] | undefined) => void;

export interface RunBus {
  publish(runId: string, events: readonly LoggedEvent[]): void;
  /** Answers how to stop listening. */
  subscribe(runId: string, listener: Listener): () => void;
  /** Lets every listener go. */
  close(): void;
}

export function createRunBus(): RunBus {
  const listeners = new Map<string, Set<Listener>>();
  return {
    close() {
      for (const listener of [...listeners.values()].flatMap((all) => [...all])) listener(undefined);
    },
    publish(runId, events) {
      for (const listener of listeners.get(runId) ?? []) listener(events);
    },
    subscribe(runId, listener) {
      const all = listeners.get(runId) ?? new Set();
      listeners.set(runId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(runId);
      };
    },
  };
}
