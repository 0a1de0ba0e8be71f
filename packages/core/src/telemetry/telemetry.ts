/**
 * What is told of the work while it goes on: spans and figures, never what was said. Rooms are handed this; where nobody
 * has registered an SDK of OpenTelemetry it is `noTelemetry`, which only calls what it is given.
 */
import type { Context } from "@opentelemetry/api";
import type { StopReason } from "../shared/events.ts";
import type { ModelConfig } from "../shared/model-config.ts";
import type { ModelOutcome } from "./gen-ai.ts";

/** Where a piece of work came from. */
export type Origin = Context;

export interface Telemetry {
  readonly isOn: boolean;
  /** A run was accepted: where it came from, for whoever works on it later. */
  acceptRun(messages: number): Origin | undefined;
  /** The same work, which belongs where it was made also when someone else calls it. */
  bind<W extends (...input: never[]) => unknown>(work: W): W;
  openRun(run: RunFacts, origin: Origin | undefined): RunSpans;
  openModelCall(config: ModelConfig): ModelSpan;
  /** One try of a tool. What it throws is noted and thrown on. */
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

/** How far a run has come. */
export interface Reached {
  /** Steps closed so far. */
  readonly steps: number;
  readonly open: { readonly reply: { readonly stepId: string } } | undefined;
  /** It has taken up the step that another run left open. */
  readonly isResumed: boolean;
  readonly ended: StopReason | undefined;
}

export interface RunSpans {
  within<R>(work: () => R): R;
  /** Part of a step: of the one under way, or of one that begins here. */
  inStep<R>(before: Reached, work: () => R): R;
  /** Closes the step that is done. `stepId` is that of the call made last. */
  reach(state: Reached, stepId: string | undefined): void;
  /** With no error: it was cancelled. */
  fail(error: unknown): void;
  end(): void;
}

export interface ModelSpan {
  /** The first piece is there. */
  begin(): void;
  end(outcome: ModelOutcome): void;
}

const silentRun: RunSpans = {
  within: (work) => work(),
  inStep: (_before, work) => work(),
  reach() {},
  fail() {},
  end() {},
};

const silentCall: ModelSpan = { begin() {}, end() {} };

export const noTelemetry: Telemetry = {
  isOn: false,
  acceptRun: () => undefined,
  bind: (work) => work,
  openRun: () => silentRun,
  openModelCall: () => silentCall,
  runTool: (_tool, _callId, work) => work(),
};
