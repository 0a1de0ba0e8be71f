/** What a model sees of a conversation, and making it shorter. */
import { type Memoir, MemoirError } from "@memoir/core";
import { defineRoute, type Route } from "../../route.ts";
import { AgentParams } from "../agents/schema.ts";
import { toPlace } from "../conversations/place.ts";
import { PlaceParams } from "../conversations/schema.ts";
import { fromCompaction } from "../models/mapper.ts";
import { toCompactedWire, toContextWire } from "./mapper.ts";
import { CompactConversationWire, CompactedWire, CompactWire, ContextQuery, ContextWire } from "./schema.ts";

export function contextRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/context",
      operationId: "retrieve_agent_context_window",
      summary: "Show what the next turn would take of the model's window, part by part",
      tag: "agents",
      access: "read",
      scope: "agent",
      isDeprecated: true,
      params: AgentParams,
      query: ContextQuery,
      response: ContextWire,
      handler: async ({ actor, params, query }) => {
        const place = toPlace(query.conversation_id || "default", params.agent_id);
        if ("agentId" in place) rejectOther(place.agentId, params.agent_id);
        const conversationId = "conversationId" in place ? place.conversationId : undefined;
        const overview = await memoir.context.overview(actor, params.agent_id, conversationId);
        return toContextWire(overview, conversationId === undefined);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/summarize",
      operationId: "summarize_messages",
      summary: "Replace the older part of an agent's context by a summary",
      tag: "agents",
      access: "member",
      scope: "agent",
      params: AgentParams,
      body: CompactWire,
      scopedFields: { compaction_settings: "overrides" },
      isBodyOptional: true,
      response: CompactedWire,
      handler: async ({ actor, params, body }) =>
        toCompactedWire(await memoir.messages.compact(actor, { agentId: params.agent_id }, fromCompact(body))),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/conversations/{conversation_id}/compact",
      operationId: "compact_conversation",
      summary: "Replace the older part of a conversation's context by a summary",
      tag: "conversations",
      access: "member",
      scope: "conversation",
      params: PlaceParams,
      body: CompactConversationWire,
      scopedFields: { compaction_settings: "overrides", agent_id: "free" },
      isBodyOptional: true,
      response: CompactedWire,
      handler: async ({ actor, params, body }) => {
        const place = toPlace(params.conversation_id, body.agent_id);
        const result = await memoir.messages.compact(actor, place, fromCompact(body));
        if (result.messagesAfter === result.messagesBefore) {
          throw new MemoirError(
            "invalid-argument",
            "this conversation has nothing in context that could be summarised",
          );
        }
        return toCompactedWire(result);
      },
    }),
  ];
}

/** Another agent's default conversation is none of this one's. */
function rejectOther(asked: string, agentId: string): void {
  if (asked === agentId) return;
  const message = `agent "${agentId}" has no conversation "${asked}"`;
  throw new MemoirError("not-found", message, { details: { entity: "conversation", id: asked } });
}

const fromCompact = ({ compaction_settings: settings }: CompactWire) => settings && fromCompaction(settings);
