/**
 * Gives up what nobody has answered in time: a client that died never blocks a conversation. What had waited behind a
 * question goes on, also where the question was taken away, by a reset, by hand or by another program.
 */
import type { Jobs } from "../../jobs/jobs.ts";
import type { Loop } from "../../loop/loop.ts";
import { listExpired } from "../../store/runs/approvals.ts";
import { listOrgsWithExpiredApprovals, listStalledConversations, repairApprovalExpiries } from "../../store/system.ts";
import { expiredReason } from "../messages/accept-input.ts";
import { abandonApproval } from "../runs/abandon-approval.ts";

export interface ApprovalExpiry {
  stop(): Promise<void>;
}

const defaultPauseMs = 30_000;
const atOnce = 100;

export function startApprovalExpiry(loop: Loop, jobs: Jobs, everyMs = defaultPauseMs): ApprovalExpiry {
  let work: Promise<void> = Promise.resolve();
  let isStopping = false;
  const sweep = () => {
    work = work
      .then(() => mended())
      .then(() => (isStopping ? undefined : goOn(loop, jobs)))
      .catch((error: unknown) => {
        loop.log.warn({ err: error }, "what nobody answered in time could not be given up; it is tried again soon");
      });
  };
  let isMended = false;
  const mended = async () => {
    if (!isMended) await repairApprovalExpiries(loop.store);
    isMended = true;
  };
  const timer = setInterval(sweep, everyMs).unref();
  sweep();
  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await work;
    },
  };
}

async function goOn(loop: Loop, jobs: Jobs): Promise<void> {
  await giveUpExpired(loop, jobs);
  for (const key of await listStalledConversations(loop.store)) jobs.wake(key);
}

async function giveUpExpired(loop: Loop, jobs: Jobs): Promise<void> {
  for (const orgId of await listOrgsWithExpiredApprovals(loop.store)) {
    for (const approval of await listExpired(loop.store.read(orgId), atOnce)) {
      await abandonApproval({ loop, jobs }, orgId, approval, { text: expiredReason, isCancel: false });
    }
  }
}
