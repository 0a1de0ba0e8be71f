/** Finding what was said, in all conversations of all agents. By words; texts with the same meaning in others are not found. */
import { withImageData } from "../../memory/images.ts";
import { searchWords } from "../../memory/search-words.ts";
import { MemoirError } from "../../shared/errors.ts";
import { countAgents, getAgent } from "../../store/agents/agents.ts";
import { getLiveConversation } from "../../store/conversations/conversations.ts";
import type { Message, MessageRole } from "../../store/conversations/messages.ts";
import { searchMessages } from "../../store/conversations/search.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findDefaultConversations } from "../../store/runs/run-usage.ts";

export interface MessageQuestion {
  /** Without words, the newest come first. */
  readonly query?: string | undefined;
  /** Any of them; without, whatever has text to find. */
  readonly roles?: readonly MessageRole[] | undefined;
  readonly agentId?: string | undefined;
  readonly conversation?: { readonly id: string } | "default" | undefined;
  readonly projectId?: string | undefined;
  readonly templateId?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
}

export interface FoundMessage {
  readonly message: Message;
  /** In its agent's default conversation. */
  readonly isDefault: boolean;
  /** From 1 on; null where there were no words to go by. */
  readonly rank: number | null;
}

const findableRoles: readonly MessageRole[] = ["user", "assistant", "tool"];

export async function findMessages(scope: Scope, question: MessageQuestion): Promise<FoundMessage[]> {
  const { query = "", roles = findableRoles, agentId, conversation } = question;
  if (agentId !== undefined) await getAgent(scope, agentId);
  if (conversation && conversation !== "default") await getLiveConversation(scope, conversation.id);
  const words = query.trim() === "" ? undefined : searchWords(query);
  const found = await searchMessages(scope, { ...question, words, roles });
  const messages = await withImageData(scope, found);
  const defaults = await findDefaultConversations(
    scope,
    messages.map(({ conversationId }) => conversationId),
  );
  return messages.map((message, index) => ({
    message,
    isDefault: defaults.has(message.conversationId),
    rank: words ? index + 1 : null,
  }));
}

export async function rejectWithoutAgents(scope: Scope): Promise<void> {
  if ((await countAgents(scope, { showHidden: true })) > 0) return;
  throw new MemoirError("invalid-argument", "there are no agents yet, and so nothing was said: create one first");
}
