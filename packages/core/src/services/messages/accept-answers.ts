/** Taking in answers to what a conversation waits for: a new run goes on where the asking one has stopped. */
import type { Actor } from "../../shared/actor.ts";
import { type ApprovalAnswer, recordAnswers } from "../../shared/approval.ts";
import { insertMessages, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { type Approval, findOpenApproval, listAnswered, updateApproval } from "../../store/runs/approvals.ts";
import { findRun, insertRun, type Run } from "../../store/runs/runs.ts";
import type { SendHead } from "../../store/runs/send-head.ts";
import { acceptInput, type Taken } from "./accept-input.ts";
import { checkEdits, completeAnswers, nothingAsked } from "./answer-approval.ts";
import { composeRun } from "./compose-run.ts";

import { saysSame } from "./idempotency.ts";
import type { Accepted, ApprovalReply, ReadyMessage } from "./send-message.ts";

export async function acceptAnswers(
  scope: Scope,
  actor: Actor,
  head: SendHead,
  input: Accepted & { readonly approval: ApprovalReply },
): Promise<Taken> {
  const open = head.isAsking ? await findOpenApproval(scope, head.conversationId) : undefined;
  if (!open) return await acceptAnswersAgain(scope, actor, head, input);
  const answers = completeAnswers(open, input.approval.answers);
  await checkEdits(scope, open, answers);
  return { run: await resumeApproval(scope, actor, head, open, answers, input), isNew: true };
}

/** The run that goes on where the asking one has stopped; it goes before everything that waits. */
export async function resumeApproval(
  scope: Scope,
  actor: Actor,
  head: SendHead,
  open: Approval,
  answers: readonly ApprovalAnswer[],
  input: Accepted,
): Promise<Run> {
  const messageId = scope.newId("message");
  const run = composeRun(scope, actor, head, input, true, { id: open.id, messageId, question: open.question, answers });
  await insertRun(scope, run);
  const message = newMessage(scope, {
    id: messageId,
    agentId: head.agentId,
    conversationId: head.conversationId,
    role: "approval",
    // As they were given: where the asking message was named, it stays named.
    approvals: recordAnswers(input.approval?.answers ?? answers),
    otid: input.approval?.otid ?? null,
    runId: run.id,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  });
  await insertMessages(scope, [message]);
  // The run has them now: what a client's tool returned may be long.
  await updateApproval(scope, open.id, { answers: [], resumedBy: run.id, endedAt: scope.now() });
  return run;
}

const rememberedAnswers = 10;

/**
 * Whoever did not hear that the answers had arrived sends them again: what followed from them is what they get. What is
 * said with them for the first time is heard.
 */
async function acceptAnswersAgain(
  scope: Scope,
  actor: Actor,
  head: SendHead,
  draft: Accepted & { readonly approval: ApprovalReply },
): Promise<Taken> {
  const ids = new Set(draft.approval.answers.map(({ callId }) => callId));
  const earlier = (await listAnswered(scope, head.conversationId, rememberedAnswers)).find(
    ({ resumedBy, question }) =>
      resumedBy !== null && question.asked.length === ids.size && question.asked.every(({ callId }) => ids.has(callId)),
  );
  if (!earlier?.resumedBy) throw nothingAsked();
  const run = await findRun(scope, earlier.resumedBy);
  const isSaid = draft.messages.length === 0 || (run && saysSame(run.request.input, draft.messages));
  if (run && run.endedAt === null && isSaid) return { run, isNew: false };
  const messages = draft.messages.length > 0 ? draft.messages : [keepAlive];
  return await acceptInput(scope, actor, head, { ...draft, messages });
}

const keepAlive: ReadyMessage = {
  role: "user",
  content: [
    {
      type: "text",
      text: "<system-alert>keep-alive: these results had arrived before. Go on where you are.</system-alert>",
    },
  ],
};
