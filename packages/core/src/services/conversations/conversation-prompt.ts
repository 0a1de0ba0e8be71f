/** The system message of a conversation, compiled on request rather than by a turn. */
import type { CompiledPrompt } from "../../loop/context/context-cache.ts";
import { compileIfChanged } from "../../loop/turn.ts";
import { type Agent, getAgent } from "../../store/agents/agents.ts";
import { type Conversation, listContextBodyIds, updateConversation } from "../../store/conversations/conversations.ts";
import { rewriteSystemMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";

/** From the blocks as this conversation sees them, its own copies included. */
export async function compilePrompt(scope: Scope, conversation: Conversation, agent?: Agent): Promise<CompiledPrompt> {
  const body = await listContextBodyIds(scope, conversation);
  const whose = agent ?? (await getAgent(scope, conversation.agentId));
  const prompt = await compileIfChanged(scope, whose, { ...conversation, promptKey: null }, body.length);
  if (!prompt) throw new Error("a prompt without a key has nothing to be the same as");
  return prompt;
}

/** Keeps it, so that the next turn finds it up to date. */
export async function storePrompt(
  scope: Scope,
  { id, systemMessageId }: Conversation,
  { key, text }: CompiledPrompt,
): Promise<void> {
  if (systemMessageId === null) return;
  await rewriteSystemMessage(scope, systemMessageId, text);
  await updateConversation(scope, id, { promptKey: key });
}
