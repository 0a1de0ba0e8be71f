/**
 * The span of a run and, inside it, one span per step; the loop reports its progress and this file derives where steps
 * end.
 */
import { type Context, context, ROOT_CONTEXT, type Span, type Tracer, trace } from "@opentelemetry/api";
import type { Instruments } from "./instruments.ts";
import { cancelledCode, codeOf, errorLabel, noteError } from "./span-errors.ts";
import type { RunFacts, RunProgress, RunSpans } from "./telemetry.ts";

interface StepSpan {
  readonly span: Span;
  readonly place: Context;
  readonly startedAt: number;
  /** Number of closed steps when the span started. */
  readonly steps: number;
  readonly isResumed: boolean;
  isAnswered: boolean;
}

/** The run's span is a child of its `origin`, even if that span has ended. */
export function openRunSpans(
  tracer: Tracer,
  instruments: Instruments,
  run: RunFacts,
  origin: Context = ROOT_CONTEXT,
): RunSpans {
  const attributes = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.id": run.agentId,
    "gen_ai.conversation.id": run.conversationId,
    "memoir.run.id": run.id,
  };
  const span = tracer.startSpan("invoke_agent", { attributes }, origin);
  const place = trace.setSpan(origin, span);
  let step: StepSpan | undefined;
  let failure: string | undefined;

  function openStep({ steps, open, isResumed }: RunProgress): StepSpan {
    const opened = tracer.startSpan("step", { attributes: { "memoir.run.id": run.id } }, place);
    const startedAt = performance.now();
    const isAnswered = open !== undefined;
    return { span: opened, place: trace.setSpan(place, opened), startedAt, steps, isResumed, isAnswered };
  }

  function closeStep(): void {
    if (!step) return;
    noteError(step.span, failure);
    step.span.end();
    instruments.step.record((performance.now() - step.startedAt) / 1000, errorLabel(failure), step.place);
    step = undefined;
  }

  return {
    within: (work) => context.with(place, work),
    inStep(before, work) {
      step ??= openStep(before);
      return context.with(step.place, work);
    },
    reach({ steps, open, isResumed, ended }, stepId) {
      if (step) {
        const id = open?.reply.stepId ?? stepId;
        if (id !== undefined) step.span.setAttribute("memoir.step.id", id);
        const wasAnswered = step.isAnswered || isResumed !== step.isResumed;
        const isDone = steps > step.steps || (wasAnswered && !open) || ended !== undefined;
        step.isAnswered = open !== undefined;
        if (isDone) closeStep();
      }
      if (ended !== undefined) span.setAttribute("memoir.stop_reason", ended);
    },
    fail(error) {
      failure = error === undefined ? cancelledCode : codeOf(error);
      if (error === undefined) span.setAttribute("memoir.stop_reason", cancelledCode);
    },
    end() {
      closeStep();
      noteError(span, failure);
      span.end();
    },
  };
}
