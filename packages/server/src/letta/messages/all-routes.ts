/** `/v1/messages`: what was said, whoever the agent is. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { fromMessageList } from "./list-mapper.ts";
import { toMessageWires, viewOf } from "./mapper.ts";
import { toPartWires } from "./part-mapper.ts";
import { MessageWire } from "./schema.ts";
import {
  fromConversationId,
  fromSearchAll,
  fromSearchMessages,
  toFoundMessageWire,
  toFoundPartWires,
} from "./search-mapper.ts";
import {
  AllMessagesQuery,
  FoundMessageWire,
  FoundPartWire,
  MessageParams,
  SearchAllWire,
  SearchMessagesWire,
} from "./search-schema.ts";

const tag = "messages";

export function allMessageRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/messages/",
      operationId: "list_all_messages",
      summary: "List what was said to all agents and by them, oldest first",
      tag,
      access: "read",
      scope: "none",
      query: AllMessagesQuery,
      response: z.array(MessageWire),
      handler: async ({ actor, query }) => {
        const place = fromConversationId(query.conversation_id);
        const messages = await memoir.messages.list(actor, fromMessageList(query), place);
        const agentIds = messages.map(({ agentId }) => agentId);
        const kinds = await memoir.agents.loadKinds(actor, agentIds);
        return messages.flatMap((message) => {
          const kind = kinds.get(message.agentId);
          return kind ? toMessageWires([message], viewOf(kind, query)) : [];
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/messages/{message_id}",
      operationId: "retrieve_message",
      summary: "Retrieve the parts of a message",
      tag,
      access: "read",
      scope: "message",
      params: MessageParams,
      response: z.array(MessageWire),
      handler: async ({ actor, params }) => toPartWires(await memoir.messages.get(actor, params.message_id)),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/messages/search",
      operationId: "search_all_messages",
      summary: "Find what was said by its words",
      tag,
      access: "read",
      scope: "none",
      body: SearchAllWire,
      response: z.array(FoundPartWire),
      handler: async ({ actor, body }) => {
        const found = await memoir.messages.search(actor, fromSearchAll(body));
        const agentIds = found.map(({ message }) => message.agentId);
        const kinds = await memoir.agents.loadKinds(actor, agentIds);
        return found.flatMap((item) => toFoundPartWires(item, kinds.get(item.message.agentId)));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/messages/search",
      operationId: "search_messages",
      summary: "Find stored messages by their words, with their ranks",
      tag,
      access: "read",
      scope: "none",
      body: SearchMessagesWire,
      response: z.array(FoundMessageWire),
      handler: async ({ actor, body }) =>
        (await memoir.messages.searchOfAgents(actor, fromSearchMessages(body))).map(toFoundMessageWire),
    }),
  ];
}
