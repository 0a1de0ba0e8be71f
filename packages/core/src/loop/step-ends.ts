/**
 * Tells that steps have ended, after the commit that ended them: whoever listens can neither fail a run nor hold it up. A
 * step that waits for an answer has not ended.
 */
import type { RunEvent } from "../shared/events.ts";
import type { StepEnd, StepListener } from "../shared/step-end.ts";
import type { Approval } from "../store/runs/approvals.ts";
import type { Run } from "../store/runs/runs.ts";
import type { Loop } from "./loop.ts";
import type { SummaryCall } from "./model-call/summary-steps.ts";
import { apply, type RunState } from "./state.ts";

interface Driven {
  readonly loop: Loop;
  readonly orgId: string;
  readonly run: Run;
}

/** Steps that these events closed. */
export function tellClosedSteps({ loop, orgId, run }: Driven, before: RunState, events: readonly RunEvent[]): void {
  if (!loop.onStep) return;
  for (const id of listClosed(before, events)) tell(loop, { ...placeOf(orgId, run), id, status: "success" });
}

export function tellSummarySteps({ loop, orgId, run }: Driven, calls: readonly Pick<SummaryCall, "stepId">[]): void {
  for (const { stepId } of calls) tell(loop, { ...placeOf(orgId, run), id: stepId, status: "success" });
}

/** The step that a run failed or was cancelled in, and before it the one that it had gone on with. */
export function tellFailedStep(
  { loop, orgId, run }: Driven,
  before: RunState,
  events: readonly RunEvent[],
  { id, status }: Pick<StepEnd, "id" | "status">,
): void {
  if (!loop.onStep) return;
  const place = placeOf(orgId, run);
  const others = listClosed(before, events).filter((closed) => closed !== id);
  for (const closed of others) tell(loop, { ...place, id: closed, status: "success" });
  tell(loop, { ...place, id, status });
}

/** What it had asked was given up: denied, as far as the step goes. */
export function tellGivenUp(loop: Loop, orgId: string, { agentId, conversationId, runId, question }: Approval): void {
  tell(loop, { id: question.stepId, orgId, agentId, conversationId, runId, status: "success" });
}

function placeOf(orgId: string, { id, agentId, conversationId }: Run) {
  return { orgId, agentId, conversationId, runId: id };
}

function listClosed(before: RunState, events: readonly RunEvent[]): string[] {
  const closed: string[] = [];
  let state = before;
  for (const event of events) {
    const isClosing = event.type === "step-end" && event.reason !== "requires_approval";
    if (isClosing && state.open) closed.push(state.open.reply.stepId);
    state = apply(state, event);
  }
  return closed;
}

function tell({ onStep, store, log }: Loop, step: Omit<StepEnd, "endedAt">): void {
  if (!onStep) return;
  call(onStep, { ...step, endedAt: store.now() }).catch((error: unknown) => {
    log.error({ err: error, stepId: step.id }, "whoever was told of the end of a step failed");
  });
}

async function call(listener: StepListener, step: StepEnd): Promise<void> {
  await listener(step);
}
