/**
 * Giving up what a conversation waits for: every call gets a result, and the next message finds a way. What a client had
 * done by then stays done and is told to the model; nothing more is run.
 */
import { searchTextOf } from "../../memory/search-text.ts";
import { type ApprovalAnswer, recordAnswers } from "../../shared/approval.ts";
import { insertMessages, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { type Approval, markApprovalAbandoned, updateApproval } from "../../store/runs/approvals.ts";
import { getRun } from "../../store/runs/runs.ts";
import { failCall } from "../tool-calls/call-results.ts";
import { answerQuestion } from "./apply-approval.ts";

/** The caller holds the conversation and has just read the approval. */
export async function settleApproval(scope: Scope, approval: Approval, reason: string): Promise<void> {
  const { question } = approval;
  const run = await getRun(scope, approval.runId);
  const answers = question.asked.map(({ callId }) => answerFor(approval, callId, reason));
  const origin = {
    agentId: approval.agentId,
    conversationId: approval.conversationId,
    runId: run.id,
    createdBy: run.createdBy,
    updatedBy: run.createdBy,
  };
  const results = new Map(answerQuestion({ question, answers }).map(({ callId, result }) => [callId, result]));
  const returns = question.toolCalls.map(
    (call) => results.get(call.id) ?? failCall(call, `${call.name} was not run: what it waited for was denied.`).result,
  );
  const answer = newMessage(scope, { ...origin, role: "approval", approvals: recordAnswers(answers) });
  const message = newMessage(scope, {
    ...origin,
    id: question.resultsMessageId,
    stepId: question.stepId,
    role: "tool",
    toolCallId: returns[0]?.callId ?? null,
    toolReturns: returns,
  });
  await insertMessages(scope, [answer, { ...message, searchText: searchTextOf(message) }]);
  await updateApproval(scope, approval.id, { answers, endedAt: scope.now() });
  await markApprovalAbandoned(scope, approval.agentId);
}

/** Permissions come to nothing, as the calls would have run together with those that are given up. */
function answerFor({ answers }: Approval, callId: string, reason: string): ApprovalAnswer {
  const input = answers.find((answer) => answer.callId === callId);
  return input && input.type !== "approve" ? input : { callId, type: "deny", reason };
}
