/** What was said in a group. */
import type { Actor, Memoir, Message } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentMessageListQuery } from "../messages/list-schema.ts";
import { toMessageWires, viewOf } from "../messages/mapper.ts";
import { MessageWire } from "../messages/schema.ts";
import { Nothing, WireObject, wireList, wireText } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { GroupMessageParams, GroupParams } from "./schema.ts";

const tag = "groups";
const isDeprecated = true;

export function groupMessageRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/groups/{group_id}/messages",
      operationId: "list_group_messages",
      summary: "List what was said in a group, oldest first",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      params: GroupParams,
      query: AgentMessageListQuery,
      response: z.array(MessageWire),
      handler: async ({ actor, params, query }) => {
        // Whatever order is asked for: the old server knows one only.
        const page = toPage(query, { limit: 10, order: "asc" });
        const messages = await memoir.groups.listMessages(actor, params.group_id, page);
        return await showMessages(memoir, actor, messages, query);
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/groups/{group_id}/messages/{message_id}",
      operationId: "modify_group_message",
      summary: "Refused: messages are never changed",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params: GroupMessageParams,
      body: MessageUpdateWire,
      response: MessageWire,
      handler: async ({ actor, params }) => {
        await memoir.groups.get(actor, params.group_id);
        const problem = "Messages are never changed: what was said stays as it was said.";
        throw Object.assign(new Error(problem), { statusCode: 405 });
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/groups/{group_id}/reset-messages",
      operationId: "reset_group_messages",
      summary: "Take what was said in a group out of lists and searches; members keep what they have in context",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params: GroupParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.groups.reset(actor, params.group_id);
        return null;
      },
    }),
  ];
}

type ShownAs = Parameters<typeof viewOf>[1];

/** Members may be of different kinds, which speak in different ways. */
async function showMessages(
  memoir: Memoir,
  actor: Actor,
  messages: readonly Message[],
  shown: ShownAs,
): Promise<MessageWire[]> {
  const agentIds = [...new Set(messages.map(({ agentId }) => agentId))];
  const kinds = await Promise.all(agentIds.map((id) => memoir.agents.getKind(actor, id)));
  const views = new Map(agentIds.map((id, index) => [id, viewOf(kinds[index] ?? "letta_v1_agent", shown)]));
  return messages.flatMap((message) => {
    const view = views.get(message.agentId);
    return view ? toMessageWires([message], view) : [];
  });
}

const Text = z.union([wireText, wireList(WireObject)]);

const MessageUpdateWire = z.union([
  z.object({ message_type: z.literal("system_message").optional(), content: wireText }),
  z.object({ message_type: z.literal("user_message").optional(), content: Text }),
  z.object({ message_type: z.literal("reasoning_message").optional(), reasoning: wireText }),
  z.object({ message_type: z.literal("assistant_message").optional(), content: Text }),
]);
