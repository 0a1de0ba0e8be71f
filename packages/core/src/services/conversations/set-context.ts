/** Setting a conversation's context by hand. */
import { MemoirError } from "../../shared/errors.ts";
import { getDefaultConversation, replaceEntries, updateConversation } from "../../store/conversations/conversations.ts";
import { messageEntity } from "../../store/conversations/messages.ts";
import { getByIds } from "../../store/engine/entity.ts";
import type { Scope } from "../../store/engine/scope.ts";

/** The list starts with a system message; the rest becomes the context in place of what was there. */
export async function replaceContext(scope: Scope, agentId: string, messageIds: readonly string[]): Promise<void> {
  const messages = await getByIds(scope, messageEntity, messageIds);
  const [first, ...rest] = messages;
  if (first?.role !== "system" || messages.some((message) => message.agentId !== agentId)) {
    throw new MemoirError(
      "invalid-argument",
      "message_ids must start with a system message and name messages of this agent only",
      { details: { field: "message_ids" } },
    );
  }
  const conversation = await getDefaultConversation(scope, agentId);
  await updateConversation(scope, conversation.id, { systemMessageId: first.id, summaryMessageId: null });
  await replaceEntries(
    scope,
    conversation,
    rest.map(({ id }) => id),
  );
}
