/** Records of runs that were accepted in this process: ended ones are kept up to a number and a size in all. */
import type { LoggedEvent } from "../shared/events.ts";
import type { Message } from "../store/conversations/messages.ts";
import type { Run, RunEnd } from "../store/runs/runs.ts";
import type { Origin } from "../telemetry/telemetry.ts";
import { estimateBytes } from "./memory-size.ts";

/** Everything a run has produced, from its first event on. */
export interface RunRecord {
  readonly orgId: string;
  run: Run;
  readonly events: LoggedEvent[];
  readonly messages: Message[];
  origin: Origin | undefined;
}

export interface RunRecords {
  open(orgId: string, run: Run, origin?: Origin): void;
  find(runId: string): RunRecord | undefined;
  /** `end` is there when the run's last commit is among the events. */
  extend(runId: string, events: readonly LoggedEvent[], messages: readonly Message[], end?: RunEnd): void;
  drop(runId: string): void;
}

const maxEnded = 1_000;
const maxEndedBytes = 16 * 2 ** 20;
/** Reading a longer one back costs less than keeping hundreds of its size. */
const maxRecordBytes = 200_000;

export function createRunRecords(): RunRecords {
  const records = new Map<string, RunRecord>();
  /** Bytes of ended records, in the order in which they ended. */
  const ended = new Map<string, number>();
  let endedBytes = 0;

  const forgetSize = (runId: string) => {
    endedBytes -= ended.get(runId) ?? 0;
    ended.delete(runId);
  };
  const drop = (runId: string) => {
    forgetSize(runId);
    records.delete(runId);
  };
  const keepEnded = (record: RunRecord) => {
    const bytes = estimateBytes([record.run, record.events, record.messages]);
    forgetSize(record.run.id);
    if (bytes > maxRecordBytes) return drop(record.run.id);
    ended.set(record.run.id, bytes);
    endedBytes += bytes;
    for (const oldest of ended.keys()) {
      if (ended.size <= maxEnded && endedBytes <= maxEndedBytes) return;
      drop(oldest);
    }
  };
  return {
    open(orgId, run, origin) {
      drop(run.id);
      records.set(run.id, { orgId, run, events: [], messages: [], origin });
    },
    find: (runId) => records.get(runId),
    extend(runId, events, messages, end) {
      const record = records.get(runId);
      if (!record) return;
      record.events.push(...events);
      record.messages.push(...messages);
      if (end) record.run = { ...record.run, ...end };
      if (record.run.endedAt !== null) keepEnded(record);
    },
    drop,
  };
}
