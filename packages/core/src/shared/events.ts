/** The events of a run, in order. This log is the only run state; everything else is derived from it. */
import type { ContentPart, ToolCall, ToolReturn, Usage } from "./content.ts";
import type { ErrorCode } from "./errors.ts";
import type { PromptSnapshot } from "./prompt-snapshot.ts";

export const stopReasons = [
  "end_turn",
  "error",
  "llm_api_error",
  "invalid_llm_response",
  "invalid_tool_call",
  "max_steps",
  "max_tokens_exceeded",
  "no_tool_call",
  "tool_rule",
  "cancelled",
  "insufficient_credits",
  "requires_approval",
  "context_window_overflow_in_system_prompt",
] as const;

export type StopReason = (typeof stopReasons)[number];

/**
 * `size`: the next request would exceed the window; `overflow`: the provider rejected the request; `request`: a client
 * asked for it.
 */
export type CompactionTrigger = "size" | "overflow" | "request";

export interface RunFailure {
  /** `internal`: a bug, whose details are only in the log. */
  readonly code: ErrorCode | "internal";
  readonly message: string;
}

export type ReplyPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** A tool call begins; its arguments follow. */
  | {
      readonly type: "call";
      readonly callId: string;
      readonly name: string;
      /** The call will wait for an approval or a client. */
      readonly isAsked?: true;
    }
  | { readonly type: "arguments"; readonly callId: string; readonly text: string };

/** Cost of the model calls that wrote summaries. */
export interface SummaryUsage {
  readonly calls: number;
  readonly usage: Usage;
}

export type RunEvent =
  | {
      readonly type: "model-reply";
      readonly stepId: string;
      /** Ids for the messages of the step, fixed here so that a crash before the step closes does not change them. */
      readonly messageId: string;
      readonly resultsMessageId: string;
      readonly content: readonly ContentPart[];
      readonly toolCalls: readonly ToolCall[];
      readonly isCut: boolean;
      readonly usage: Usage;
      /** Duration of the provider call in nanoseconds. */
      readonly modelNs: number;
      /** The prompt of the step; absent in logs of older versions. */
      readonly sight?: PromptSnapshot;
    }
  /** Deltas of a reply, for streaming clients; the complete reply follows. */
  | {
      readonly type: "delta";
      readonly stepId: string;
      readonly messageId: string;
      readonly pieces: readonly ReplyPiece[];
    }
  /** The run continues a step that another run left open for approval; the reply belongs to that run. */
  | {
      readonly type: "resumed";
      readonly approvalId: string;
      readonly stepId: string;
      readonly messageId: string;
      readonly resultsMessageId: string;
      /** With the arguments to execute. */
      readonly toolCalls: readonly ToolCall[];
      /** Calls with a result from outside, which do not execute. */
      readonly answered: readonly string[];
      /** Calls whose arguments were edited. */
      readonly edited: readonly string[];
      readonly called: readonly string[];
      readonly lastOutput?: string;
    }
  /** Written before the side effect of a tool that runs outside the transaction. */
  | { readonly type: "tool-start"; readonly callId: string }
  /** A running tool is about to call another tool that a rule counts. */
  | { readonly type: "inner-call"; readonly callId: string; readonly name: string }
  | {
      readonly type: "tool-result";
      readonly callId: string;
      readonly result: ToolReturn;
      /** The call was rejected by a rule or by an approver and did not run. */
      readonly isViolation: boolean;
      /** The arguments prefilled by a rule do not fit the tool, so a retry by the model cannot help. */
      readonly isMisfit?: boolean;
      /** Duration in nanoseconds of a tool that ran outside the transaction. */
      readonly toolNs?: number;
    }
  /** All calls of the reply have results, and the messages of the step are in the context. */
  | { readonly type: "step-end"; readonly continues: boolean; readonly reason: StopReason | null }
  /** Messages left the context and were replaced by a summary. */
  | {
      readonly type: "compaction";
      readonly trigger: CompactionTrigger;
      readonly summaryMessageId: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly contextWindow: number;
      readonly messagesBefore: number;
      readonly messagesAfter: number;
      /** Absent if no model was called, and in logs of older versions. */
      readonly summaries?: SummaryUsage;
    }
  /** The agent was warned that its context is filling up. */
  | { readonly type: "memory-pressure"; readonly messageId: string; readonly tokens: number }
  | {
      readonly type: "run-end";
      readonly reason: StopReason;
      readonly failure?: RunFailure;
      /** Cost of a summary that was generated but not stored. */
      readonly summaries?: SummaryUsage;
    };

/** An event with its sequence number in the run's log. */
export type LoggedEvent = RunEvent & { readonly seq: number };

/** The final status for a stop reason. */
export function statusOfReason(reason: StopReason): "completed" | "failed" | "cancelled" {
  switch (reason) {
    case "end_turn":
    case "tool_rule":
    case "max_steps":
    case "requires_approval":
      return "completed";
    case "cancelled":
      return "cancelled";
    default:
      return "failed";
  }
}
