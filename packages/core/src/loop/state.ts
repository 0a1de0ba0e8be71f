/** A run as the fold of its log. `apply` takes in what happened, `decide` says what to do next; neither does anything. */
import type { ToolCall, ToolReturn, Usage } from "../shared/content.ts";
import type { RunEvent, StopReason, SummaryUsage } from "../shared/events.ts";
import type { RunRequest } from "../store/runs/runs.ts";
import type { CallHistory } from "../tools/rules.ts";

export interface OpenStep {
  readonly reply: Extract<RunEvent, { type: "model-reply" }>;
  readonly results: ReadonlyMap<string, ToolReturn>;
  readonly violations: ReadonlySet<string>;
  /** Outside calls that may have had their effect. */
  readonly begun: ReadonlySet<string>;
  /** What had been called when the model replied: rules look at this, not at the reply's own calls. */
  readonly history: CallHistory;
  readonly hasMisfit: boolean;
  /** Set where another run made the step and left it open to be answered. */
  readonly resumed?: Pick<Extract<RunEvent, { type: "resumed" }>, "answered" | "edited">;
  /** The slowest outside call. */
  readonly toolNs: number | null;
}

export interface RunState extends CallHistory {
  /** Steps closed so far. */
  readonly steps: number;
  /** The step whose calls are not all answered yet. */
  readonly open: OpenStep | undefined;
  /** The last closed step asked for another. */
  readonly continues: boolean;
  /** Why not, if it did not. */
  readonly reason: StopReason | null;
  /** Events applied: the length of the log. */
  readonly length: number;
  /** Of its steps and of the calls that wrote summaries. */
  readonly usage: Usage;
  /** Model calls that wrote summaries; they do not count towards `maxSteps`. */
  readonly summaryCalls: number;
  /** How much the last model call read and wrote together. */
  readonly contextTokens: number | null;
  /** Compactions since the last reply. */
  readonly compactions: number;
  /** The answers that the run began with are taken in. */
  readonly isResumed: boolean;
  readonly ended: StopReason | undefined;
}

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  cachedTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

export const initialState: RunState = {
  called: [],
  lastOutput: undefined,
  steps: 0,
  open: undefined,
  continues: true,
  reason: null,
  length: 0,
  usage: noUsage,
  summaryCalls: 0,
  contextTokens: null,
  compactions: 0,
  isResumed: false,
  ended: undefined,
};

export function apply(previous: RunState, event: RunEvent): RunState {
  const state = { ...previous, length: previous.length + 1 };
  switch (event.type) {
    case "model-reply":
      return {
        ...state,
        open: openStep(event, state),
        usage: addUsage(state.usage, event.usage),
        contextTokens: event.usage.totalTokens,
        compactions: 0,
      };
    case "resumed": {
      const { stepId, messageId, resultsMessageId, toolCalls, called, lastOutput } = event;
      const reply = { type: "model-reply", stepId, messageId, resultsMessageId, toolCalls, ...otherRunsReply } as const;
      const history = { called, lastOutput };
      return { ...state, ...history, isResumed: true, open: { ...openStep(reply, history), resumed: event } };
    }
    case "tool-start":
      return withOpen(state, (open) => ({ ...open, begun: new Set(open.begun).add(event.callId) }));
    case "inner-call":
      return { ...state, called: [...state.called, event.name] };
    case "tool-result": {
      const next = withOpen(state, (open) => ({
        ...open,
        results: new Map(open.results).set(event.callId, event.result),
        violations: event.isViolation ? new Set(open.violations).add(event.callId) : open.violations,
        hasMisfit: open.hasMisfit || event.isMisfit === true,
        toolNs: event.toolNs === undefined ? open.toolNs : Math.max(open.toolNs ?? 0, event.toolNs),
      }));
      if (event.isViolation) return next;
      return { ...next, called: [...state.called, event.result.name], lastOutput: event.result.output };
    }
    case "step-end":
      return {
        ...state,
        open: undefined,
        // The other run has counted it.
        steps: state.open?.resumed ? state.steps : state.steps + 1,
        continues: event.continues,
        reason: event.reason,
      };
    case "compaction":
      return {
        ...withSummaries(state, event.summaries),
        compactions: state.compactions + 1,
        contextTokens: event.tokensAfter,
      };
    case "memory-pressure":
    case "delta":
      return state;
    case "run-end":
      return { ...withSummaries(state, event.summaries), ended: event.reason };
  }
}

function withSummaries(state: RunState, summaries: SummaryUsage | undefined): RunState {
  if (!summaries) return state;
  const { calls, usage } = summaries;
  return { ...state, usage: addUsage(state.usage, usage), summaryCalls: state.summaryCalls + calls };
}

/** What it said is in the conversation already, and paid for. */
const otherRunsReply = { content: [], isCut: false, usage: noUsage, modelNs: 0 } as const;

function openStep(reply: OpenStep["reply"], { called, lastOutput }: CallHistory): OpenStep {
  return {
    reply,
    results: new Map(),
    violations: new Set(),
    begun: new Set(),
    history: { called, lastOutput },
    hasMisfit: false,
    toolNs: null,
  };
}

function withOpen(state: RunState, change: (open: OpenStep) => OpenStep): RunState {
  return state.open ? { ...state, open: change(state.open) } : state;
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
    totalTokens: left.totalTokens + right.totalTokens,
    cachedTokens: addKnown(left.cachedTokens, right.cachedTokens),
    cacheWriteTokens: addKnown(left.cacheWriteTokens, right.cacheWriteTokens),
    reasoningTokens: addKnown(left.reasoningTokens, right.reasoningTokens),
  };
}

function addKnown(left: number | null, right: number | null): number | null {
  return left === null ? right : right === null ? left : left + right;
}

/** Calls of the open step that have no result yet, in the order they were made. */
export function pendingCalls({ reply, results }: OpenStep): ToolCall[] {
  return reply.toolCalls.filter(({ id }) => !results.has(id));
}

/** What a run is for: an answer in so many steps, or a shorter context. */
export type Task = Pick<RunRequest, "maxSteps" | "compaction" | "approval">;

export type Action =
  | { readonly type: "call-model" }
  | { readonly type: "compact" }
  | { readonly type: "resume" }
  | { readonly type: "run-tools" }
  | { readonly type: "close-step" }
  | { readonly type: "end"; readonly reason: StopReason }
  | { readonly type: "none" };

export function decide(state: RunState, { maxSteps, compaction, approval }: Task): Action {
  if (state.ended) return { type: "none" };
  if (compaction) return state.compactions > 0 ? { type: "end", reason: "end_turn" } : { type: "compact" };
  if (approval && !state.isResumed) return { type: "resume" };
  if (state.open) {
    return { type: pendingCalls(state.open).length > 0 ? "run-tools" : "close-step" };
  }
  if (!state.continues) return { type: "end", reason: state.reason ?? "end_turn" };
  if (state.steps >= maxSteps) return { type: "end", reason: "max_steps" };
  return { type: "call-model" };
}
