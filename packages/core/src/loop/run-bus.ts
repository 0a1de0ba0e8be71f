/**
 * Tells listeners in this process what was committed to a run's log. The log itself is the truth; this is the doorbell.
 * Runs that were accepted here are also kept in memory for a while, so that their callers need not read back what has
 * just been written.
 */
import type { MemoirError } from "../shared/errors.ts";
import type { LoggedEvent } from "../shared/events.ts";
import type { Message } from "../store/conversations/messages.ts";
import type { Run, RunEnd } from "../store/runs/runs.ts";
import type { Origin } from "../telemetry/telemetry.ts";
import { createRunRecords, type RunRecord } from "./run-records.ts";

/** Without events nothing more will be told here; with an error the run stays open and the listener should not wait. */
type Listener = (events: readonly LoggedEvent[] | undefined, error?: MemoirError) => void;

export interface RunBus {
  /** Starts a record for a run that begins now. */
  open(orgId: string, run: Run, origin?: Origin): void;
  /** Where the run came from, if that was here; it is told once. */
  takeOrigin(runId: string): Origin | undefined;
  /** Only to the organization it belongs to. */
  find(orgId: string, runId: string): RunRecord | undefined;
  /** `end` is there when the run's last commit is among the events. */
  publish(runId: string, events: readonly LoggedEvent[], messages: readonly Message[], end?: RunEnd): void;
  /** Someone else works on the run now: what is known here is no longer all. */
  drop(runId: string): void;
  /** Tells listeners that the run cannot go on for now. */
  interrupt(runId: string, error: MemoirError): void;
  /** Answers how to stop listening. */
  subscribe(runId: string, listener: Listener): () => void;
  /** Lets every listener go. */
  close(): void;
}

export function createRunBus(): RunBus {
  const listeners = new Map<string, Set<Listener>>();
  const records = createRunRecords();
  return {
    open: records.open,
    takeOrigin(runId) {
      const record = records.find(runId);
      const origin = record?.origin;
      if (record) record.origin = undefined;
      return origin;
    },
    find(orgId, runId) {
      const record = records.find(runId);
      return record?.orgId === orgId ? record : undefined;
    },
    publish(runId, events, messages, end) {
      records.extend(runId, events, messages, end);
      for (const listener of listeners.get(runId) ?? []) listener(events);
    },
    drop: records.drop,
    interrupt(runId, error) {
      for (const listener of listeners.get(runId) ?? []) listener([], error);
    },
    subscribe(runId, listener) {
      const all = listeners.get(runId) ?? new Set();
      listeners.set(runId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(runId);
      };
    },
    close() {
      for (const listener of [...listeners.values()].flatMap((all) => [...all])) listener(undefined);
    },
  };
}
