/**
 * Tells listeners in this process what was committed to a run's log. The log itself is the truth; this is the doorbell.
 * Runs that were accepted here are also kept in memory for a while, so that their callers need not read back what has
 * just been written.
 */
import type { MemoirError } from "../errors.ts";
import { type LoggedEvent, statusOfReason } from "../events.ts";
import type { Message } from "../store/messages.ts";
import type { Run } from "../store/runs.ts";
import type { Origin } from "../telemetry/telemetry.ts";

/** Without events nothing more will be told here; with an error the run stays open and the listener should not wait. */
type Listener = (events: readonly LoggedEvent[] | undefined, error?: MemoirError) => void;

/** Everything a run has produced, from its first event on. */
export interface RunRecord {
  readonly orgId: string;
  run: Run;
  readonly events: LoggedEvent[];
  readonly messages: Message[];
  origin: Origin | undefined;
}

export interface RunBus {
  /** Starts a record for a run that begins now. */
  open(orgId: string, run: Run, origin?: Origin): void;
  /** Where the run came from, if that was here; it is told once. */
  takeOrigin(runId: string): Origin | undefined;
  /** Only to the organization it belongs to. */
  find(orgId: string, runId: string): RunRecord | undefined;
  publish(runId: string, events: readonly LoggedEvent[], messages: readonly Message[]): void;
  /** Someone else works on the run now: what is known here is no longer all. */
  drop(runId: string): void;
  /** Tells listeners that the run cannot go on for now. */
  interrupt(runId: string, error: MemoirError): void;
  /** Answers how to stop listening. */
  subscribe(runId: string, listener: Listener): () => void;
  /** Lets every listener go. */
  close(): void;
}

const mostRecords = 1_000;

export function createRunBus(): RunBus {
  const listeners = new Map<string, Set<Listener>>();
  const records = new Map<string, RunRecord>();
  return {
    open(orgId, run, origin) {
      records.set(run.id, { orgId, run, events: [], messages: [], origin });
      if (records.size > mostRecords) forgetEnded(records);
    },
    takeOrigin(runId) {
      const record = records.get(runId);
      const origin = record?.origin;
      if (record) record.origin = undefined;
      return origin;
    },
    find(orgId, runId) {
      const record = records.get(runId);
      return record?.orgId === orgId ? record : undefined;
    },
    publish(runId, events, messages) {
      const record = records.get(runId);
      if (record) extend(record, events, messages);
      if (record && record.run.endedAt !== null && isLarge(record)) records.delete(runId);
      for (const listener of listeners.get(runId) ?? []) listener(events);
    },
    drop: (runId) => void records.delete(runId),
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

const mostCharacters = 100_000;

/** Reading it back costs less than keeping a thousand of its kind. */
function isLarge({ run, messages }: RunRecord): boolean {
  const said = [...run.request.input, ...messages].flatMap(({ content }) => content ?? []);
  const texts = [
    ...said.map((part) => ("text" in part ? part.text : "")),
    ...messages.flatMap(({ toolCalls }) => (toolCalls ?? []).map((call) => call.arguments)),
    ...messages.flatMap(({ toolReturns }) => (toolReturns ?? []).map(({ output }) => output)),
    // What a client's tool returned stands here at its full length.
    JSON.stringify(run.request.approval ?? null),
  ];
  return texts.reduce((sum, { length }) => sum + length, 0) > mostCharacters;
}

function extend(record: RunRecord, events: readonly LoggedEvent[], messages: readonly Message[]): void {
  record.events.push(...events);
  record.messages.push(...messages);
  const end = events.find((event) => event.type === "run-end");
  if (!end) return;
  const status = statusOfReason(end.reason);
  record.run = { ...record.run, status, stopReason: end.reason, endedAt: record.run.updatedAt };
}

/** The older half of those that have ended; open ones are still needed. */
function forgetEnded(records: Map<string, RunRecord>): void {
  const ended = [...records].filter(([, { run }]) => run.endedAt !== null);
  for (const [id] of ended.slice(0, Math.ceil(ended.length / 2))) records.delete(id);
}
