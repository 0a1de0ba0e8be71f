/** What a conversation waits for, and how it is answered. */
import { createHash } from "node:crypto";
import type { ToolCall } from "./content.ts";
import type { JsonObject } from "./json.ts";

/** Everything that is needed to go on where the run that asked has stopped. */
export interface ApprovalQuestion {
  readonly stepId: string;
  /** Of the reply; the asking message has the id before it. */
  readonly messageId: string;
  readonly resultsMessageId: string;
  /** All calls of the reply, those that wait for nobody included. */
  readonly toolCalls: readonly ToolCall[];
  readonly asked: readonly AskedCall[];
  /** What had been called when the model replied, for the rules. */
  readonly called: readonly string[];
  readonly lastOutput?: string;
  /** Messages that the agent is still answering. */
  readonly inputIds: readonly string[];
}

export interface AskedCall {
  readonly callId: string;
  /** The client runs it; otherwise someone has to allow it. */
  readonly isClient: boolean;
  /** Of its name and arguments: whoever answers has seen exactly these. */
  readonly hash: string;
}

export type ApprovalAnswer = {
  readonly callId: string;
  /** What the one who answers has seen; refused when it is something else. */
  readonly hash?: string;
} & (
  | {
      readonly type: "approve";
      /** In place of those the model wrote; JSON text. */
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

/** The answers as they stand in the conversation, in the form that agent files have them in. */
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
