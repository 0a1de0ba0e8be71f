/** What happens in a run, in order. The log of these is the only run state; everything else is derived from it. */
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

/** `size`: the next call would not have fitted; `overflow`: the provider said so; `request`: someone asked for it. */
export type CompactionTrigger = "size" | "overflow" | "request";

export interface RunFailure {
  /** `internal`: a mistake of ours, whose details are in the log only. */
  readonly code: ErrorCode | "internal";
  readonly message: string;
}

export type ReplyPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** A call begins; its arguments follow. */
  | {
      readonly type: "call";
      readonly callId: string;
      readonly name: string;
      /** It will wait for an answer from outside. */
      readonly isAsked?: true;
    }
  | { readonly type: "arguments"; readonly callId: string; readonly text: string };

/** What the model calls that wrote summaries cost. */
export interface SummaryUsage {
  readonly calls: number;
  readonly usage: Usage;
}

export type RunEvent =
  | {
      readonly type: "model-reply";
      readonly stepId: string;
      /** The ids its messages get when the step closes, also if that is after a crash. */
      readonly messageId: string;
      readonly resultsMessageId: string;
      readonly content: readonly ContentPart[];
      readonly toolCalls: readonly ToolCall[];
      readonly isCut: boolean;
      readonly usage: Usage;
      /** How long the provider took. */
      readonly modelNs: number;
      /** What the model saw, for the step's row; absent in logs of programs that did not keep it. */
      readonly sight?: PromptSnapshot;
    }
  /** Pieces of a reply as they arrived, for callers who watch it grow; the reply itself follows whole. */
  | {
      readonly type: "delta";
      readonly stepId: string;
      readonly messageId: string;
      readonly pieces: readonly ReplyPiece[];
    }
  /** The run goes on with a step that another one left open to be answered. The reply is that of the other run. */
  | {
      readonly type: "resumed";
      readonly approvalId: string;
      readonly stepId: string;
      readonly messageId: string;
      readonly resultsMessageId: string;
      /** With the arguments that they are to run with. */
      readonly toolCalls: readonly ToolCall[];
      /** Calls that were answered from outside and do not run here. */
      readonly answered: readonly string[];
      /** Calls whose arguments are not the model's own. */
      readonly edited: readonly string[];
      readonly called: readonly string[];
      readonly lastOutput?: string;
    }
  /** Written before the side effect of a tool that runs outside the commit. */
  | { readonly type: "tool-start"; readonly callId: string }
  /** A call under way is about to call another tool itself, one that a rule counts. */
  | { readonly type: "inner-call"; readonly callId: string; readonly name: string }
  | {
      readonly type: "tool-result";
      readonly callId: string;
      readonly result: ToolReturn;
      /** The call was refused, by a rule or by whoever was asked, and did not run. */
      readonly isViolation: boolean;
      /** What rules fill in does not fit the tool: no next try of the model could help. */
      readonly isMisfit?: boolean;
      /** How long the tool took, where it ran outside the commit. */
      readonly toolNs?: number;
    }
  /** All calls of the reply have their results, and the step's messages are in the context. */
  | { readonly type: "step-end"; readonly continues: boolean; readonly reason: StopReason | null }
  /** Messages left the context, and a summary stands in their place. */
  | {
      readonly type: "compaction";
      readonly trigger: CompactionTrigger;
      readonly summaryMessageId: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly contextWindow: number;
      readonly messagesBefore: number;
      readonly messagesAfter: number;
      /** Absent if no model was asked, and in logs of programs that did not record it. */
      readonly summaries?: SummaryUsage;
    }
  /** The agent was told that its context is filling up. */
  | { readonly type: "memory-pressure"; readonly messageId: string; readonly tokens: number }
  | {
      readonly type: "run-end";
      readonly reason: StopReason;
      readonly failure?: RunFailure;
      /** Of a summary that was paid for and not stored. */
      readonly summaries?: SummaryUsage;
    };

/** An event with its place in the run's log. */
export type LoggedEvent = RunEvent & { readonly seq: number };

/** How a run ends by its reason. */
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
