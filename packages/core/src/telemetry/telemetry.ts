/**
 * Spans and metrics of the work in progress, without message contents. Without an OpenTelemetry SDK it is
 * `noTelemetry`, which only calls its callbacks.
 */
import type { Context } from "@opentelemetry/api";
import type { StopReason } from "../shared/events.ts";
import type { ModelConfig } from "../shared/model-config.ts";
import type { ModelOutcome } from "./gen-ai.ts";

/** The trace context that a piece of work belongs to. */
export type Origin = Context;

export interface Telemetry {
  readonly isOn: boolean;
  /** Counts an accepted run and returns its context for the process that drives it. */
  acceptRun(messages: number): Origin | undefined;
  /** Binds `work` to the current context, for callbacks that run elsewhere. */
  bind<W extends (...input: never[]) => unknown>(work: W): W;
  openRun(run: RunFacts, origin: Origin | undefined): RunSpans;
  openModelCall(config: ModelConfig): ModelSpan;
  /** Wraps one attempt of a tool call; errors are recorded and rethrown. */
  runTool<R>(tool: ToolFacts, callId: string, work: () => Promise<R>, hasFailed?: (outcome: R) => boolean): Promise<R>;
}

export interface RunFacts {
  readonly id: string;
  readonly agentId: string;
  readonly conversationId: string;
}

export interface ToolFacts {
  readonly name: string;
  readonly kind: string;
}

/** Progress of a run. */
export interface RunProgress {
  /** Number of closed steps. */
  readonly steps: number;
  readonly open: { readonly reply: { readonly stepId: string } } | undefined;
  /** The run continues a step that another run left open. */
  readonly isResumed: boolean;
  readonly ended: StopReason | undefined;
}

export interface RunSpans {
  within<R>(work: () => R): R;
  /** Runs `work` inside the span of the current step, or of a new one. */
  inStep<R>(before: RunProgress, work: () => R): R;
  /** Ends the span of a closed step; `stepId` is the id of the last model call. */
  reach(state: RunProgress, stepId: string | undefined): void;
  /** An undefined `error` means that the run was cancelled. */
  fail(error: unknown): void;
  end(): void;
}

export interface ModelSpan {
  /** The first chunk has arrived. */
  begin(): void;
  end(outcome: ModelOutcome): void;
}

const noopRun: RunSpans = {
  within: (work) => work(),
  inStep: (_before, work) => work(),
  reach() {},
  fail() {},
  end() {},
};

const noopCall: ModelSpan = { begin() {}, end() {} };

export const noTelemetry: Telemetry = {
  isOn: false,
  acceptRun: () => undefined,
  bind: (work) => work,
  openRun: () => noopRun,
  openModelCall: () => noopCall,
  runTool: (_tool, _callId, work) => work(),
};
