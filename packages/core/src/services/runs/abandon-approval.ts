/** Closes an open approval without an answer, so that the conversation goes on. */
import type { Jobs } from "../../jobs/jobs.ts";
import { settleApproval } from "../../loop/approvals/abandon-approval.ts";
import type { Loop } from "../../loop/loop.ts";
import { tellGivenUp } from "../../loop/step-ends.ts";
import { type Approval, findOpenApproval } from "../../store/runs/approvals.ts";
import { markEndCancelled } from "../../store/runs/runs.ts";
import { findSendHead } from "../../store/runs/send-head.ts";

/** Wakes the conversation; false when the approval was answered meanwhile. */
export async function abandonApproval(
  { loop, jobs }: { readonly loop: Loop; readonly jobs: Jobs },
  orgId: string,
  { id, conversationId, runId }: Pick<Approval, "id" | "conversationId" | "runId">,
  reason: { readonly text: string; readonly isCancel: boolean },
): Promise<boolean> {
  const ours = await loop.store.write(orgId, async (scope) => {
    const head = await findSendHead(scope, { conversationId });
    const approval = head?.isAsking ? await findOpenApproval(scope, conversationId) : undefined;
    if (approval?.id !== id) return undefined;
    await settleApproval(scope, approval, reason.text);
    if (reason.isCancel) await markEndCancelled(scope, runId);
    return approval;
  });
  if (!ours) return false;
  if (reason.isCancel) loop.bus.drop(runId);
  tellGivenUp(loop, orgId, ours);
  jobs.wake({ orgId, conversationId });
  return true;
}
