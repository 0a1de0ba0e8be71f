/** How a run ends that cannot go on. */
import type { ToolCall } from "../shared/content.ts";
import { MemoirError } from "../shared/errors.ts";
import type { RunEvent, RunFailure, StopReason } from "../shared/events.ts";
import type { StepEnd } from "../shared/step-end.ts";
import { getAgent } from "../store/agents/agents.ts";
import type { Message } from "../store/conversations/messages.ts";
import type { Scope } from "../store/engine/scope.ts";
import { appendEvents, listEvents } from "../store/runs/run-log.ts";
import { fenceEnd, LostRunError } from "../store/runs/runs.ts";
import { insertStep } from "../store/runs/steps.ts";
import { resumeEvents } from "./approvals/apply-approval.ts";
import { type StepOwner, stepOf, writeMessages } from "./close-step.ts";
import { type CallRecord, type Drive, keepStopReason } from "./commit.ts";
import { insertSummarySteps, summariesOf } from "./model-call/summary-steps.ts";
import { apply, initialState, noUsage, pendingCalls, type RunState } from "./state.ts";
import { tellFailedStep, tellSummarySteps } from "./step-ends.ts";
import { enterInput } from "./take-run.ts";
import { failCall } from "./tool-calls/call-results.ts";
import { writeRun } from "./write-run.ts";

/**
 * A failure, or with no error a cancellation: the run ends, what was said and done stays said and done, and the next
 * message finds everything in order.
 */
export async function failRun(drive: Drive, error: unknown): Promise<void> {
  const { loop, orgId, run, stopping, summaryCalls = [] } = drive;
  const failure = error === undefined ? undefined : describeFailure(error);
  const reason: StopReason = error === undefined ? "cancelled" : reasonOf(error);
  if (failure && !(error instanceof MemoirError)) loop.log.error({ err: error, runId: run.id }, "a run failed");
  try {
    // A cancelled run is ended as well, so its own signal does not count.
    const ended = await writeRun({ loop, orgId, run, signal: stopping }, async (scope) => {
      const logged = await listEvents(scope, run.id);
      const written = logged.reduce<RunState>(apply, initialState);
      if (written.ended) return undefined;
      // What it was to go on with is closed too, and what came along is kept.
      const resumed = run.request.approval && !written.isResumed ? resumeEvents(run) : [];
      const state = resumed.reduce<RunState>(apply, written);
      const agent = await getAgent(scope, run.agentId);
      // Needs nothing that could have been the cause of the failure.
      const owner = { run, agent, model: agent.model };
      const left = await closeOpenStep(scope, owner, state, reason);
      await insertSummarySteps(scope, owner, summaryCalls);
      const step = await writeFailedStep(scope, owner, left.state, drive.call, reason, failure);
      const event = {
        type: "run-end",
        reason,
        ...(failure ? { failure } : {}),
        ...summariesOf(summaryCalls),
      } satisfies RunEvent;
      const events: RunEvent[] = [...resumed, ...left.events, event];
      await keepStopReason(scope, agent, events);
      const end = await fenceEnd(scope, run, event);
      const appended = await appendEvents(scope, run, written.length, events);
      return { written, step, events: appended, messages: left.messages, end };
    });
    loop.bus.publish(run.id, ended?.events ?? [], ended?.messages ?? [], ended?.end);
    if (!ended) return;
    tellSummarySteps(drive, summaryCalls);
    tellFailedStep(drive, ended.written, ended.events, ended.step);
  } catch (second) {
    // Anything else leaves the run open: it is driven again, from its log.
    if (!(second instanceof LostRunError)) throw second;
  }
}

interface Left {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly messages: readonly Message[];
}

/** A reply whose calls were under way stays in the conversation: some of them may have had their effect. */
async function closeOpenStep(scope: Scope, owner: StepOwner, before: RunState, reason: StopReason): Promise<Left> {
  const { open } = before;
  if (!open) return { state: before, events: [], messages: [] };
  const events = pendingCalls(open).map((call) =>
    failCall(call, unfinishedText(call, open.begun.has(call.id), reason)),
  );
  const state = events.reduce(apply, before);
  const messages = state.open ? await writeMessages(scope, owner, state.open, false, null) : [];
  const closing = [...events, { type: "step-end", continues: false, reason } as const];
  if (!open.resumed) return { state, events: closing, messages };
  await enterInput(scope, owner.run, false);
  return { state: { ...state, open: undefined }, events: closing, messages };
}

function unfinishedText({ name }: ToolCall, hasBegun: boolean, reason: StopReason): string {
  const cause = reason === "cancelled" ? "The run was cancelled" : "The run failed";
  if (!hasBegun) return `${cause} before ${name} was run.`;
  return `${cause} while ${name} was running. It may have had its effect.`;
}

async function writeFailedStep(
  scope: Scope,
  owner: StepOwner,
  { steps, open }: RunState,
  call: CallRecord | undefined,
  reason: StopReason,
  failure: RunFailure | undefined,
): Promise<Pick<StepEnd, "id" | "status">> {
  const asked = call?.steps === steps ? call : undefined;
  const stepId = asked?.stepId ?? (steps === 0 ? owner.run.request.firstStepId : scope.newId("step"));
  const failed = { stepId, usage: noUsage, modelNs: 0, ...(asked?.sight ? { sight: asked.sight } : {}) };
  const status = reason === "cancelled" ? "cancelled" : "failed";
  const step = stepOf(scope, owner, open?.reply ?? failed);
  await insertStep(scope, {
    ...step,
    toolNs: open?.toolNs ?? null,
    status,
    stopReason: reason,
    errorType: failure?.code ?? null,
    errorData: failure ? { message: failure.message } : null,
  });
  return { id: step.id, status };
}

function describeFailure(error: unknown): RunFailure {
  if (error instanceof MemoirError) return { code: error.code, message: error.message };
  return { code: "internal", message: "An unknown error occurred" };
}

function reasonOf(error: unknown): StopReason {
  if (!(error instanceof MemoirError)) return "error";
  if (error.code === "llm-system-prompt-exceeded") return "context_window_overflow_in_system_prompt";
  if (error.code === "llm-insufficient-credits") return "insufficient_credits";
  return error.code.startsWith("llm-") ? "llm_api_error" : "error";
}
