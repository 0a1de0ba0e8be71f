/** What agents wait for, between core and wire. */
import type { Approval } from "@memoir/core";
import { toWireTime } from "../../letta/shared/time.ts";
import type { ApprovalWire } from "./schema.ts";

export function toApprovalWire(approval: Approval): ApprovalWire {
  const { question, answers } = approval;
  const answered = new Set(answers.map(({ callId }) => callId));
  return {
    id: approval.id,
    agent_id: approval.agentId,
    conversation_id: approval.conversationId,
    run_id: approval.runId,
    step_id: question.stepId,
    created_at: toWireTime(approval.createdAt),
    expires_at: toWireTime(approval.expiresAt),
    tool_calls: question.asked.map(({ callId, hash, isClient }) => {
      const call = question.toolCalls.find(({ id }) => id === callId);
      return {
        tool_call_id: callId,
        name: call?.name ?? "",
        arguments: call?.arguments ?? "",
        hash,
        client_tool: isClient,
        answered: approval.resumedBy !== null || answered.has(callId),
      };
    }),
    resumed_by: approval.resumedBy,
  };
}
