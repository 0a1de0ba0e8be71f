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
  draft: Accepted,
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
    kind: draft.kind ?? "send_message",
    isBackground: draft.isBackground ?? false,
    isCancelled: false,
    takeovers: 0,
    request: {
      input: draft.messages.map((message) => ({
        messageId: scope.newId("message"),
        role: message.role,
        content: message.content,
        name: message.name ?? null,
        otid: message.otid ?? crypto.randomUUID(),
        senderId: message.senderId ?? null,
        groupId: message.groupId ?? null,
        batchItemId: message.batchItemId ?? null,
      })),
      maxSteps: draft.maxSteps ?? defaultMaxSteps,
      firstStepId: scope.newId("step"),
      model: draft.model ?? null,
      modelConfig: draft.modelConfig,
      system: draft.system ?? null,
      ...(approval ? { approval } : {}),
      ...(draft.clientTools?.length ? { clientTools: draft.clientTools } : {}),
      ...(draft.clientSkills?.length ? { clientSkills: draft.clientSkills } : {}),
      ...(draft.streamsTokens ? { streamsTokens: true } : {}),
      ...(draft.requestId === undefined ? {} : { requestId: draft.requestId }),
      ...(draft.compaction ? { compaction: draft.compaction } : {}),
      view: draft.view ?? {},
    },
    metadata: { run_type: draft.kind ?? "send_message", ...draft.metadata },
    callbackUrl: draft.callbackUrl ?? null,
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
