/** How a run goes on with a step that another run has left open: what was answered becomes results, the rest may run. */
import { type ApprovalAnswer, type AskedCall, hashCall } from "../../shared/approval.ts";
import type { ToolCall } from "../../shared/content.ts";
import type { RunEvent } from "../../shared/events.ts";
import type { Run, RunApproval } from "../../store/runs/runs.ts";
import { defaultReturnChars } from "../../store/tools/tools.ts";
import { showOutput } from "../../tools/output.ts";
import { failCall, type ResultEvent } from "../tool-calls/call-results.ts";

/** None where the run goes on with nothing. */
export function resumeEvents({ request }: Run): RunEvent[] {
  const { approval } = request;
  if (!approval) return [];
  const { question } = approval;
  const results = answerQuestion(approval);
  const edits = approval.answers.filter((answer) => answer.type === "approve" && answer.arguments !== undefined);
  const edited = new Set(edits.map(({ callId }) => callId));
  return [
    {
      type: "resumed",
      approvalId: approval.id,
      stepId: question.stepId,
      messageId: question.messageId,
      resultsMessageId: question.resultsMessageId,
      toolCalls: question.toolCalls.map((call) => editCall(call, approval.answers)),
      answered: results.map(({ callId }) => callId),
      edited: [...edited],
      called: question.called,
      ...(question.lastOutput === undefined ? {} : { lastOutput: question.lastOutput }),
    },
    ...results,
  ];
}

function editCall(call: ToolCall, answers: readonly ApprovalAnswer[]): ToolCall {
  const answer = answers.find(({ callId }) => callId === call.id);
  return answer?.type === "approve" && answer.arguments !== undefined ? { ...call, arguments: answer.arguments } : call;
}

type Answered = Pick<RunApproval, "question" | "answers">;

/** Results of all that was asked but the calls that were allowed and are to run. */
export function answerQuestion(answered: Answered): ResultEvent[] {
  return answered.question.asked.flatMap((asked) => answerAsked(answered, asked) ?? []);
}

/** Undefined when the call was allowed and is to run. */
function answerAsked({ question, answers }: Answered, asked: AskedCall): ResultEvent | undefined {
  const call = question.toolCalls.find(({ id }) => id === asked.callId);
  if (!call) return undefined;
  const answer = answers.find(({ callId }) => callId === asked.callId);
  if (!answer) return deny(call, "no answer was given");
  switch (answer.type) {
    case "approve":
      // Allowed was what had been shown, and nothing else.
      return hashCall(call) === asked.hash ? undefined : deny(call, "the call is not the one that was shown");
    case "deny":
      return deny(call, answer.reason);
    case "return": {
      const { status, stdout, stderr } = answer;
      const output = showOutput(call.name, answer.output, defaultReturnChars);
      const result = {
        callId: call.id,
        name: call.name,
        status,
        output,
        ...(stdout ? { stdout } : {}),
        ...(stderr ? { stderr } : {}),
      };
      return { type: "tool-result", callId: call.id, result, isViolation: false };
    }
  }
}

function deny(call: ToolCall, reason: string | null): ResultEvent {
  return { ...failCall(call, denialText(reason)), isViolation: true };
}

function denialText(reason: string | null): string {
  return `Error: request to call tool denied. User reason: ${reason ?? "None"}`;
}
