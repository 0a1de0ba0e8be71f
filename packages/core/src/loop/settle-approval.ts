/** Giving up what a conversation waits for: every call gets a result that says so, and the next message finds a way. */
import { type ApprovalAnswer, recordAnswers } from "../approval.ts";
import { searchTextOf } from "../memory/search-text.ts";
import { type Approval, updateApproval } from "../store/approvals.ts";
import { insertMessages, newMessage } from "../store/messages.ts";
import { getRun } from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";
import { failCall } from "./call-results.ts";
import { denialText } from "./resume.ts";

/** The caller holds the conversation and has just read the approval. */
export async function settleApproval(scope: Scope, approval: Approval, reason: string): Promise<void> {
  const { question } = approval;
  const run = await getRun(scope, approval.runId);
  const asked = new Set(question.asked.map(({ callId }) => callId));
  const denials = question.asked.map(({ callId }): ApprovalAnswer => ({ callId, type: "deny", reason }));
  const origin = {
    agentId: approval.agentId,
    conversationId: approval.conversationId,
    runId: run.id,
    createdBy: run.createdBy,
    updatedBy: run.createdBy,
  };
  const returns = question.toolCalls.map(
    (call) =>
      failCall(
        call,
        asked.has(call.id) ? denialText(reason) : `${call.name} was not run: what it waited for was denied.`,
      ).result,
  );
  const answer = newMessage(scope, { ...origin, role: "approval", approvals: recordAnswers(denials) });
  const results = newMessage(scope, {
    ...origin,
    id: question.resultsMessageId,
    stepId: question.stepId,
    role: "tool",
    toolCallId: returns[0]?.callId ?? null,
    toolReturns: returns,
  });
  await insertMessages(scope, [answer, { ...results, searchText: searchTextOf(results) }]);
  await updateApproval(scope, approval.id, { answers: denials, endedAt: scope.now() });
}
