/** How a conversation goes: its runs end, its blocks and messages go with it, as far as no other one has them. */
import { notFound } from "../errors.ts";
import { dropOpenApproval } from "../store/approvals.ts";
import { deleteIsolatedBlocks } from "../store/conversation-blocks.ts";
import { type Conversation, markDeleted } from "../store/conversations.ts";
import { hideMessages } from "../store/hide-messages.ts";
import { listOpenRuns } from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";
import { type EndedRun, endRun } from "./end-run.ts";

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
