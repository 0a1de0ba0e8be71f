/** `/v1/agents/{agent_id}/messages`: talking to an agent. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentParams } from "../agents/schema.ts";
import { toPlace } from "../conversations/place.ts";
import { fromMessageList } from "./list-mapper.ts";
import { AgentMessageListQuery } from "./list-schema.ts";
import { toMessageWires, viewOf } from "./mapper.ts";
import { MessageWire, SendMessageWire, SendResponseWire } from "./schema.ts";
import { sendFields } from "./scoped-fields.ts";
import { answerSending, withPendingId } from "./send.ts";

const tag = "messages";

export function messageRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/messages",
      operationId: "list_messages",
      summary: "List what was said to an agent and by it, oldest first",
      tag,
      access: "read",
      scope: "agent",
      params: AgentParams,
      query: AgentMessageListQuery,
      response: z.array(MessageWire),
      handler: async ({ actor, params, query }) => {
        const { agent_id: agentId } = params;
        const kind = await memoir.agents.getKind(actor, agentId);
        const place = query.conversation_id ? toPlace(query.conversation_id, agentId) : undefined;
        const messages = await memoir.messages.listOfAgent(actor, agentId, fromMessageList(query), place);
        return toMessageWires(messages, viewOf(kind, query));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/messages",
      operationId: "send_message",
      summary: "Send a message to an agent and wait for its answer",
      tag,
      access: "member",
      scope: "agent",
      params: AgentParams,
      body: SendMessageWire,
      scopedFields: sendFields,
      response: SendResponseWire,
      handler: async ({ actor, params, body, request, reply }) => {
        const place = { agentId: params.agent_id };
        const isStreamed = body.streaming ?? false;
        return await withPendingId(() => answerSending(memoir, { actor, place, body, request, reply, isStreamed }));
      },
    }),
  ];
}
