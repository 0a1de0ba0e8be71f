/** A run as it is written when a message is accepted. */
import type { Actor } from "../../shared/actor.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { Run, RunApproval } from "../../store/runs/runs.ts";
import type { SendHead } from "../../store/runs/send-head.ts";
import { type Accepted, defaultMaxSteps } from "./send-message.ts";

/** `isNext`: nothing stands before it. */
export function composeRun(
  scope: Scope,
  actor: Actor,
  head: SendHead,
  given: Accepted,
  isNext: boolean,
  approval?: RunApproval,
): Run {
  const at = scope.now();
  return {
    id: scope.newId("run"),
    agentId: head.agentId,
    conversationId: head.conversationId,
    epoch: isNext ? 1 : 0,
    status: isNext ? "running" : "created",
    stopReason: null,
    kind: given.kind ?? "send_message",
    isBackground: given.isBackground ?? false,
    isCancelled: false,
    takeovers: 0,
    request: {
      input: given.messages.map((message) => ({
        messageId: scope.newId("message"),
        role: message.role,
        content: message.content,
        name: message.name ?? null,
        otid: message.otid ?? crypto.randomUUID(),
        senderId: message.senderId ?? null,
        groupId: message.groupId ?? null,
        batchItemId: message.batchItemId ?? null,
      })),
      maxSteps: given.maxSteps ?? defaultMaxSteps,
      firstStepId: scope.newId("step"),
      model: given.model ?? null,
      modelConfig: given.modelConfig,
      system: given.system ?? null,
      ...(approval ? { approval } : {}),
      ...(given.clientTools?.length ? { clientTools: given.clientTools } : {}),
      ...(given.clientSkills?.length ? { clientSkills: given.clientSkills } : {}),
      ...(given.streamsTokens ? { streamsTokens: true } : {}),
      ...(given.requestId === undefined ? {} : { requestId: given.requestId }),
      ...(given.compaction ? { compaction: given.compaction } : {}),
      view: given.view ?? {},
    },
    metadata: { run_type: given.kind ?? "send_message", ...given.metadata },
    callbackUrl: given.callbackUrl ?? null,
    callbackSentAt: null,
    callbackStatus: null,
    callbackError: null,
    durationNs: null,
    endedAt: null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
  };
}
