/** How a conversation goes: its runs end, its blocks and messages go with it, as far as no other one has them. */
import { notFound } from "../../shared/errors.ts";
import { deleteIsolatedBlocks } from "../../store/blocks/conversation-blocks.ts";
import { type Conversation, markDeleted } from "../../store/conversations/conversations.ts";
import { hideMessages } from "../../store/conversations/hide-messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { dropOpenApproval } from "../../store/runs/approvals.ts";
import { listOpenRuns } from "../../store/runs/runs.ts";
import { type EndedRun, endRun } from "../runs/end-run.ts";

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
