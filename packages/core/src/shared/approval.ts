/** Pending approvals of a conversation and their answers. */
import { createHash } from "node:crypto";
import type { ToolCall } from "./content.ts";
import type { JsonObject } from "./json.ts";

/** The state needed to continue the step after the run that requested the approval has ended. */
export interface ApprovalQuestion {
  readonly stepId: string;
  /** Id of the reply; the approval request has the id before it. */
  readonly messageId: string;
  readonly resultsMessageId: string;
  /** All calls of the reply, including calls that need no approval. */
  readonly toolCalls: readonly ToolCall[];
  readonly asked: readonly AskedCall[];
  /** Tools called before the reply, for the tool rules. */
  readonly called: readonly string[];
  readonly lastOutput?: string;
  /** Ids of the messages that the run was answering. */
  readonly inputIds: readonly string[];
}

export interface AskedCall {
  readonly callId: string;
  /** The client executes the call; otherwise a person approves it. */
  readonly isClient: boolean;
  /** Hash of name and arguments, so that an answer applies to exactly the call that was shown. */
  readonly hash: string;
}

export type ApprovalAnswer = {
  readonly callId: string;
  /** Hash of the call that was shown; an answer with another hash is rejected. */
  readonly hash?: string;
} & (
  | {
      readonly type: "approve";
      /** JSON text that replaces the model's arguments. */
      readonly arguments?: string;
    }
  | { readonly type: "deny"; readonly reason: string | null }
  | {
      readonly type: "return";
      readonly status: "success" | "error";
      readonly output: string;
      readonly stdout?: readonly string[];
      readonly stderr?: readonly string[];
    }
);

export function hashCall({ name, arguments: args }: Pick<ToolCall, "name" | "arguments">): string {
  return createHash("sha256")
    .update(JSON.stringify([name, args]))
    .digest("hex");
}

/** The answers as stored in the conversation, in the format of agent files. */
export function recordAnswers(answers: readonly ApprovalAnswer[]): JsonObject[] {
  return answers.map((answer): JsonObject => {
    const id = { tool_call_id: answer.callId };
    if (answer.type !== "return") {
      const reason = answer.type === "deny" ? answer.reason : null;
      return { type: "approval", ...id, approve: answer.type === "approve", reason };
    }
    const { output, status, stdout, stderr } = answer;
    return { type: "tool", ...id, tool_return: output, status, stdout: stdout ?? null, stderr: stderr ?? null };
  });
}
