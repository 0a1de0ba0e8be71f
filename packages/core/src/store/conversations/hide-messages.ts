/**
 * Hides the messages of a deleted conversation from recall, except those that another conversation still uses. Works by
 * ids in batches, because a single statement would scan all messages of the agent on either database.
 */
import type { Scope } from "../engine/scope.ts";
import type { Conversation } from "./conversations.ts";

const batchSize = 500;

/** Includes messages that were copied from other deleted conversations. */
export async function hideMessages(scope: Scope, conversation: Conversation): Promise<void> {
  const ids = [...(await listOwn(scope, conversation.id)), ...(await listTaken(scope, conversation.id))];
  const summaries = await findLivingSummaries(scope, conversation.agentId);
  for (let start = 0; start < ids.length; start += batchSize) {
    const some = ids.slice(start, start + batchSize);
    const shared = await findShared(scope, some);
    const gone = some.filter((id) => !shared.has(id) && !summaries.has(id));
    if (gone.length > 0) {
      await scope.update("message").set({ deleted_at: scope.now() }).where("id", "in", gone).execute();
    }
  }
}

async function listOwn(scope: Scope, conversationId: string): Promise<string[]> {
  const rows = await scope
    .select("message")
    .select("id")
    .where("conversation_id", "=", conversationId)
    .where("deleted_at", "is", null)
    .execute();
  return rows.map(({ id }) => id);
}

async function listTaken(scope: Scope, conversationId: string): Promise<string[]> {
  const rows = await scope
    .select("context_entry")
    .innerJoin("message", "message.id", "context_entry.message_id")
    .innerJoin("conversation as home", "home.id", "message.conversation_id")
    .select("message.id")
    .distinct()
    .where("context_entry.conversation_id", "=", conversationId)
    .where("message.conversation_id", "<>", conversationId)
    .where("message.deleted_at", "is", null)
    .where("home.deleted_at", "is not", null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Messages that are, or were, in the context of a conversation that is not deleted. */
async function findShared(scope: Scope, messageIds: readonly string[]): Promise<Set<string>> {
  const rows = await scope
    .select("context_entry")
    .innerJoin("conversation", "conversation.id", "context_entry.conversation_id")
    .select("context_entry.message_id as id")
    .where("context_entry.message_id", "in", messageIds)
    .where("conversation.deleted_at", "is", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function findLivingSummaries(scope: Scope, agentId: string): Promise<Set<string | null>> {
  const rows = await scope
    .select("conversation")
    .select("summary_message_id")
    .where("agent_id", "=", agentId)
    .where("summary_message_id", "is not", null)
    .where("deleted_at", "is", null)
    .execute();
  return new Set(rows.map((row) => row.summary_message_id));
}
