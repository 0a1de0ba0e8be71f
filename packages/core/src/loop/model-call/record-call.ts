/** Takes down what a model is asked: hashes and places for the step's row, the bytes for its trace. */
import type { ModelReply, ModelRequest } from "../../model/model.ts";
import { type Asked, type Observation, observe } from "../../model/observe.ts";
import type { ContextRange, PromptSnapshot } from "../../shared/prompt-snapshot.ts";
import type { CallRecord, Drive } from "../commit.ts";
import type { RunState } from "../state.ts";
import type { Turn } from "../turn.ts";
import { layoutOf } from "./request.ts";
import { hashBytes, hashRequest } from "./request-text.ts";
import { type SummaryCall, toSummaryCall } from "./summary-steps.ts";
import { keepTraces } from "./trace-drafts.ts";

/** A request, and how far its messages had to be shortened for it. */
export interface Fitting {
  readonly request: ModelRequest;
  readonly squeezed?: ContextRange["squeezed"] | undefined;
  readonly without?: ContextRange["without"] | undefined;
}

/** Whatever becomes of the call, what the model was asked is kept. */
export async function recordStep(
  drive: Drive,
  turn: Turn,
  state: RunState,
  fitting: Fitting,
  work: (stepId: string) => Promise<ModelReply>,
): Promise<{ readonly reply: ModelReply; readonly record: CallRecord }> {
  const record = openRecord(drive, state);
  const observation: Observation = { asked: [] };
  try {
    return { reply: await observe(observation, () => work(record.stepId)), record };
  } finally {
    record.sight = describeSight(drive, turn, fitting, observation.asked.at(-1));
    keepTraces(drive, record.stepId, "step", observation.asked);
  }
}

/** Calls that write a summary are steps of their own; one without a reply is traced with the step that it is made for. */
export async function recordSummary<R>(drive: Drive, state: RunState, work: () => Promise<R>): Promise<R> {
  const { stepId } = openRecord(drive, state);
  const observation: Observation = { asked: [] };
  try {
    return await observe(observation, work);
  } finally {
    const calls: SummaryCall[] = [];
    for (const asked of observation.asked) {
      const call = toSummaryCall(drive.loop.store.newId("step"), asked);
      keepTraces(drive, call?.stepId ?? stepId, "summary", [asked]);
      if (call) calls.push(call);
    }
    drive.summaryCalls = [...(drive.summaryCalls ?? []), ...calls];
  }
}

/** All tries of a step are made under one id. */
function openRecord(drive: Drive, { steps }: RunState): CallRecord {
  const { loop, run, call } = drive;
  const stepId = steps === 0 ? run.request.firstStepId : loop.store.newId("step");
  const record = call?.steps === steps ? call : { stepId, steps };
  drive.call = record;
  return record;
}

function describeSight(
  { loop, orgId }: Drive,
  turn: Turn,
  { request, squeezed, without }: Fitting,
  asked: Asked | undefined,
): PromptSnapshot {
  // Another model may have stood in.
  const { system, tools, messages: _, ...settings } = asked?.request ?? request;
  const sent = asked?.exchanges.at(-1);
  const { conversation, agent, extent } = turn;
  return {
    systemHash: loop.traces.keepText(orgId, system),
    toolsHash: loop.traces.keepText(orgId, JSON.stringify(tools)),
    requestHash: sent ? hashBytes(sent.request) : hashRequest(asked?.request ?? request),
    trail: {
      form: sent ? "wire" : "request",
      settingsHash: loop.traces.keepText(orgId, JSON.stringify(settings)),
      summaryMessageId: conversation.summaryMessageId,
      entryWatermark: conversation.entryWatermark,
      entries: extent.entries,
      watermark: conversation.watermark,
      lastSeq: extent.lastSeq,
      added: turn.addedRows,
      timezone: agent.timezone,
      ...layoutOf(turn),
      ...(squeezed ? { squeezed } : {}),
      ...(without ? { without } : {}),
    },
  };
}
