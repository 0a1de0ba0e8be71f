/** Knowing a request again that was made before, so that it does not happen twice. */
import { createHash } from "node:crypto";
import type { ApprovalAnswer } from "../../shared/approval.ts";
import type { ContentPart } from "../../shared/content.ts";
import { MemoirError, notFound } from "../../shared/errors.ts";
import type { ConversationPlace } from "../../store/conversations/conversations.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findRunOfToken } from "../../store/runs/idempotency.ts";
import type { Run, RunRequest } from "../../store/runs/runs.ts";
import { findSendHead } from "../../store/runs/send-head.ts";
import type { Accepted, ApprovalReply, ReadyMessage, SendMessage } from "./send-message.ts";

/** What names a request so that it is known again: the caller's own key, or the otids of everything in it. */
export function tokenOf(conversationId: string, { key, messages, approval }: SendMessage): string | undefined {
  if (key !== undefined) return hashToken(["key", conversationId, key]);
  const otids = [...(approval ? [approval.otid] : []), ...messages.map(({ otid }) => otid)];
  if (otids.length === 0 || otids.some((otid) => !otid)) return undefined;
  return hashToken(["otids", conversationId, ...otids.map(String).sort()]);
}

/** What the same request was stored with before. */
export async function listKnownParts(
  scope: Scope,
  place: ConversationPlace,
  draft: SendMessage,
): Promise<readonly ContentPart[]> {
  const head = await findSendHead(scope, place);
  if (!head) throw missingPlace(place);
  const token = tokenOf(head.conversationId, draft);
  const run = token === undefined ? undefined : await findRunOfToken(scope, token);
  return run?.request.input.flatMap(({ content }) => content) ?? [];
}

export function missingPlace(place: ConversationPlace): MemoirError {
  return "conversationId" in place ? notFound("conversation", place.conversationId) : notFound("agent", place.agentId);
}

function hashToken(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** A key stands for one request. */
export function rejectOtherRequest({ request }: Run, input: readonly ReadyMessage[], draft: Accepted): void {
  if (draft.key === undefined || isSameRequest(request, input, draft.approval)) return;
  throw new MemoirError(
    "conflict",
    "this Idempotency-Key was used for another message to the same conversation: use a new key for a new message",
    { details: { field: "Idempotency-Key" } },
  );
}

function isSameRequest(
  before: RunRequest,
  input: readonly ReadyMessage[],
  approval: ApprovalReply | undefined,
): boolean {
  const isSaid = saysSame(before.input, input);
  if (!approval) return isSaid && !before.approval;
  // Answers that had been taken before them began a run that only goes on.
  if (!before.approval) return isSaid || input.length === 0;
  const { id, question, answers } = before.approval;
  const known = new Map(answers.map((answer) => [answer.callId, answer]));
  return (
    isSaid &&
    approval.answers.every((answer) => {
      const callId = answer.callId === id ? question.asked[0]?.callId : answer.callId;
      return toVerdict(known.get(callId ?? "")) === toVerdict(answer);
    })
  );
}

type Said = readonly Pick<ReadyMessage, "role" | "content">[];

export function saysSame(before: Said, now: Said): boolean {
  const toText = (messages: Said) => JSON.stringify(messages.map(({ role, content }) => [role, content]));
  return toText(before) === toText(now);
}

/** Without what says which call it is for. */
function toVerdict(answer: ApprovalAnswer | undefined): string {
  return JSON.stringify({ ...answer, callId: undefined, hash: undefined });
}
