/** Knowing a request again that was made before, so that it does not happen twice. */
import { createHash } from "node:crypto";
import type { ApprovalAnswer } from "../approval.ts";
import { MemoirError } from "../errors.ts";
import type { Run, RunRequest } from "../store/runs.ts";
import type { Accepted, ApprovalReply, InputMessage } from "./send-message.ts";

/** What names a request so that it is known again: the caller's own key, or the otids of everything in it. */
export function tokenOf(conversationId: string, { key, messages, approval }: Accepted): string | undefined {
  if (key !== undefined) return hashToken(["key", conversationId, key]);
  const otids = [...(approval ? [approval.otid] : []), ...messages.map(({ otid }) => otid)];
  if (otids.length === 0 || otids.some((otid) => !otid)) return undefined;
  return hashToken(["otids", conversationId, ...otids.map(String).sort()]);
}

function hashToken(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** A key stands for one request. */
export function refuseOtherRequest({ request }: Run, input: readonly InputMessage[], given: Accepted): void {
  if (given.key === undefined || isSameRequest(request, input, given.approval)) return;
  throw new MemoirError(
    "conflict",
    "this Idempotency-Key was used for another message to the same conversation: use a new key for a new message",
    { details: { field: "Idempotency-Key" } },
  );
}

function isSameRequest(
  before: RunRequest,
  input: readonly InputMessage[],
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

type Said = readonly Pick<InputMessage, "role" | "content">[];

export function saysSame(before: Said, now: Said): boolean {
  const toText = (messages: Said) => JSON.stringify(messages.map(({ role, content }) => [role, content]));
  return toText(before) === toText(now);
}

/** Without what says which call it is for. */
function toVerdict(answer: ApprovalAnswer | undefined): string {
  return JSON.stringify({ ...answer, callId: undefined, hash: undefined });
}
