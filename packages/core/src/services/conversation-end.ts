/** How a conversation goes: its runs end, its blocks and messages go with it, as far as no other one has them. */
import { notFound } from "../errors.ts";
import type { LoggedEvent } from "../events.ts";
import { dropOpenApproval } from "../store/approvals.ts";
import { deleteIsolatedBlocks } from "../store/conversation-blocks.ts";
import { type Conversation, markDeleted } from "../store/conversations.ts";
import { StaleWriteError } from "../store/entity.ts";
import { hideMessages } from "../store/hide-messages.ts";
import { appendEvents, listEvents } from "../store/run-log.ts";
import { claimRun, fenceRun, listOpenRuns, type Run } from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";

export interface EndedRun {
  readonly run: Run;
  readonly events: readonly LoggedEvent[];
}

/** Runs first: once they have ended nobody can write to the conversation any more, and its messages are all there. */
export async function deleteConversation(scope: Scope, conversation: Conversation): Promise<EndedRun[]> {
  if (!(await markDeleted(scope, conversation.id))) throw notFound("conversation", conversation.id);
  const ended: EndedRun[] = [];
  for (const run of await listOpenRuns(scope, conversation.id)) ended.push(await endRun(scope, run));
  await dropOpenApproval(scope, conversation.id);
  await deleteIsolatedBlocks(scope, { conversationId: conversation.id });
  await hideMessages(scope, conversation);
  return ended;
}

/** Whoever works on it finds that it is no longer theirs and stops. */
async function endRun(scope: Scope, run: Run): Promise<EndedRun> {
  const claimed = await claimRun(scope, run);
  if (!claimed) throw new StaleWriteError("run", run.id);
  const log = await listEvents(scope, run.id);
  const at = scope.now();
  await fenceRun(scope, claimed, {
    status: "cancelled",
    stop_reason: "cancelled",
    ended_at: at,
    duration_ns: (at - run.createdAt) * 1000,
  });
  const end = { type: "run-end", reason: "cancelled" } as const;
  return { run: claimed, events: await appendEvents(scope, claimed, log.at(-1)?.seq ?? 0, [end]) };
}
