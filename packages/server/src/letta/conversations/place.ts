/** Which conversation a path means: one of its own, or an agent's default one under several spellings. */
import { type ConversationPlace, MemoirError } from "@memoir/core";

export function toPlace(conversationId: string, agentId: string | undefined): ConversationPlace {
  if (conversationId.startsWith("agent-")) return { agentId: conversationId };
  if (conversationId !== "default") return { conversationId };
  if (agentId) return { agentId };
  throw new MemoirError(
    "invalid-argument",
    "every agent has a default conversation: say whose is meant with agent_id",
    { details: { field: "agent_id" } },
  );
}
