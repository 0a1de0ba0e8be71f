/** The state of a conversation that is needed to accept a message. */
import type { ConversationPlace } from "../conversations/conversations.ts";
import { prepare } from "../engine/prepared.ts";
import type { Scope } from "../engine/scope.ts";

export interface SendHead {
  readonly agentId: string;
  readonly conversationId: string;
  readonly autoclear: boolean;
  /** Another run of the conversation that is active or queued. */
  readonly openRunId: string | undefined;
  /** Whether an approval is pending. */
  readonly isAsking: boolean;
}

const selectPlace = (scope: Scope) => {
  const query = scope
    .select("conversation")
    .innerJoin("agent", "agent.id", "conversation.agent_id")
    .select(["conversation.agent_id as agentId", "conversation.id as conversationId", "agent.autoclear"])
    .where("conversation.deleted_at", "is", null);
  return scope.flavor.name === "postgres" ? query.forUpdate(["conversation"]) : query;
};

const holdConversation = prepare((scope, { conversationId }: { conversationId: string }) =>
  selectPlace(scope).where("conversation.id", "=", conversationId),
);

const holdDefaultConversation = prepare((scope, { agentId }: { agentId: string }) =>
  selectPlace(scope).where("conversation.agent_id", "=", agentId).where("conversation.is_default", "=", 1),
);

const readSendState = prepare((scope, { conversationId }: { conversationId: string }) =>
  scope
    .select("conversation")
    .select([
      scope
        .select("run")
        .select("run.id")
        .where("run.conversation_id", "=", conversationId)
        .where("run.ended_at", "is", null)
        .orderBy("run.seq")
        .limit(1)
        .as("run"),
      scope
        .select("approval")
        .select("approval.id")
        .where("approval.conversation_id", "=", conversationId)
        .where("approval.ended_at", "is", null)
        .as("approval"),
    ])
    .where("id", "=", conversationId),
);

/** Reads the state and locks the conversation until the commit, so that concurrent senders are ordered. */
export async function findSendHead(scope: Scope, place: ConversationPlace): Promise<SendHead | undefined> {
  const [row] =
    "conversationId" in place
      ? await holdConversation(scope, { conversationId: place.conversationId })
      : await holdDefaultConversation(scope, { agentId: place.agentId });
  if (!row) return undefined;
  const { agentId, conversationId, autoclear } = row;
  // A separate statement, because it must see commits made while the lock was awaited.
  const [state] = await readSendState(scope, { conversationId });
  return {
    agentId,
    conversationId,
    autoclear: autoclear === 1,
    openRunId: state?.run ?? undefined,
    isAsking: state?.approval != null,
  };
}
