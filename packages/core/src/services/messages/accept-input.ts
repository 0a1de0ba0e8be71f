/** Taking in what was said to an agent. It waits its turn behind what others have said before. */
import { settleApproval } from "../../loop/approvals/abandon-approval.ts";
import { enterInput } from "../../loop/take-run.ts";
import type { Actor } from "../../shared/actor.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { type Approval, findOpenApproval } from "../../store/runs/approvals.ts";
import { insertRun, type Run } from "../../store/runs/runs.ts";
import type { SendHead } from "../../store/runs/send-head.ts";
import { stillAsking } from "./answer-approval.ts";
import { composeRun } from "./compose-run.ts";
import type { Accepted } from "./send-message.ts";

/** The run that answers; not new where the same request has begun it before. */
export interface Taken {
  readonly run: Run;
  readonly isNew: boolean;
  /** A question that nobody had answered in time. */
  readonly givenUp?: Approval;
}

export async function acceptInput(scope: Scope, actor: Actor, head: SendHead, input: Accepted): Promise<Taken> {
  const open = head.isAsking ? await findOpenApproval(scope, head.conversationId) : undefined;
  if (open && open.expiresAt > scope.due()) throw stillAsking(open);
  if (open) await settleApproval(scope, open, expiredReason);
  if (head.openRunId !== undefined && input.refusesBusy) throw stillBusy(head.openRunId);
  const run = composeRun(scope, actor, head, input, head.openRunId === undefined);
  await insertRun(scope, run);
  if (run.status === "running") await enterInput(scope, run, head.autoclear);
  return { run, isNew: true, ...(open ? { givenUp: open } : {}) };
}

export const expiredReason = "nobody answered in time";

function stillBusy(runId: string): MemoirError {
  return new MemoirError(
    "busy",
    `Cannot send a new message: Another request (run_id=${runId}) is currently being processed for this conversation. ` +
      "Please wait for it to complete.",
    { details: { entity: "run", id: runId } },
  );
}
