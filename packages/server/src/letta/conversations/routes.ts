/** `/v1/conversations`: several threads of one agent. */
import { type Actor, type ConversationPlace, type Memoir, MemoirError, type Run } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { fromMessageList } from "../messages/list-mapper.ts";
import { toMessageWires, viewOf } from "../messages/mapper.ts";
import { MessageWire, SendResponseWire } from "../messages/schema.ts";
import { conversationMessageFields } from "../messages/scoped-fields.ts";
import { answerSending, answerWithStream, type BusyMode } from "../messages/send.ts";
import { rejectUnkept } from "../runs/kept.ts";
import { RetrieveStreamWire } from "../runs/schema.ts";
import { streamFields } from "../runs/scoped-fields.ts";
import { Nothing } from "../shared/fields.ts";
import {
  fromConversationList,
  fromConversationMessageList,
  fromCreateConversation,
  fromUpdateConversation,
  toConversationWire,
} from "./mapper.ts";
import { toPlace } from "./place.ts";
import {
  AgentQuery,
  CancelledWire,
  ConversationListQuery,
  ConversationMessageListQuery,
  ConversationMessageWire,
  ConversationParams,
  ConversationWire,
  CreateConversationWire,
  ForkQuery,
  PlaceParams,
  RecompileQuery,
  RecompileWire,
  RequiredAgentQuery,
  UpdateConversationWire,
} from "./schema.ts";

const tag = "conversations";

export function conversationRoutes(memoir: Memoir, busy: BusyMode): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/conversations/",
      operationId: "create_conversation",
      summary: "Create a conversation of an agent",
      tag,
      access: "member",
      scope: "none",
      query: RequiredAgentQuery,
      body: CreateConversationWire,
      isBodyOptional: true,
      response: ConversationWire,
      handler: async ({ actor, query, body }) =>
        toConversationWire(await memoir.conversations.create(actor, query.agent_id, fromCreateConversation(body))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/conversations/",
      operationId: "list_conversations",
      summary: "List conversations",
      tag,
      access: "read",
      scope: "none",
      query: ConversationListQuery,
      response: z.array(ConversationWire),
      handler: async ({ actor, query }) => {
        const views = await memoir.conversations.list(actor, fromConversationList(query));
        return views.map((view) => toConversationWire(view));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/conversations/{conversation_id}",
      operationId: "retrieve_conversation",
      summary: "Retrieve a conversation",
      tag,
      access: "read",
      scope: "conversation",
      params: ConversationParams,
      response: ConversationWire,
      handler: async ({ actor, params }) => {
        const detail = await memoir.conversations.get(actor, { conversationId: params.conversation_id });
        return toConversationWire(detail, detail.contextMessageIds);
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/conversations/{conversation_id}",
      operationId: "update_conversation",
      summary: "Update a conversation",
      tag,
      access: "member",
      scope: "conversation",
      params: ConversationParams,
      body: UpdateConversationWire,
      scopedFields: { summary: "free", model: "overrides", model_settings: "overrides", last_message_at: "free" },
      response: ConversationWire,
      handler: async ({ actor, params, body }) =>
        toConversationWire(
          await memoir.conversations.update(actor, params.conversation_id, fromUpdateConversation(body)),
        ),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/conversations/{conversation_id}",
      operationId: "delete_conversation",
      summary: "Delete a conversation with its messages and isolated blocks",
      tag,
      access: "member",
      scope: "conversation",
      params: ConversationParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.conversations.delete(actor, params.conversation_id);
        return null;
      },
    }),
    ...threadRoutes(memoir),
    ...streamRoutes(memoir),
    ...conversationMessageRoutes(memoir, busy),
  ];
}

/** What an agent's default conversation can do too. */
function threadRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/conversations/{conversation_id}/fork",
      operationId: "fork_conversation",
      summary: "Begin a new conversation with what this one has in context",
      tag,
      access: "member",
      scope: "conversation",
      params: PlaceParams,
      query: ForkQuery,
      response: ConversationWire,
      handler: async ({ actor, params, query }) => {
        const place = toPlace(params.conversation_id, query.agent_id);
        const options = { untilMessageId: query.message_id || undefined };
        return toConversationWire(await memoir.conversations.fork(actor, place, options));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/conversations/{conversation_id}/recompile",
      operationId: "recompile_conversation",
      summary: "Compile a conversation's system message anew",
      tag,
      access: "member",
      scope: "conversation",
      params: PlaceParams,
      query: RecompileQuery,
      body: RecompileWire,
      scopedFields: { agent_id: "free" },
      isBodyOptional: true,
      response: z.string(),
      handler: ({ actor, params, query, body }) => {
        const place = toPlace(params.conversation_id, body.agent_id);
        return memoir.conversations.recompile(actor, place, { isDryRun: query.dry_run });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/conversations/{conversation_id}/cancel",
      operationId: "cancel_conversation",
      summary: "Cancel every run of a conversation that is under way or waits",
      tag,
      access: "member",
      scope: "conversation",
      params: PlaceParams,
      query: AgentQuery,
      response: CancelledWire,
      handler: async ({ actor, params, query }) => {
        const ids = await memoir.conversations.cancel(actor, toPlace(params.conversation_id, query.agent_id));
        return Object.fromEntries(ids.map((id) => [id, "cancelled"]));
      },
    }),
  ];
}

function streamRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/conversations/{conversation_id}/stream",
      operationId: "retrieve_conversation_stream",
      summary: "Follow a run of a conversation as a stream of events: the one named, or the newest that has not ended",
      tag,
      access: "member",
      scope: "conversation",
      params: PlaceParams,
      body: RetrieveStreamWire,
      scopedFields: streamFields,
      isBodyOptional: true,
      response: z.unknown(),
      handler: async ({ actor, params, body, reply }) => {
        const run = await findRun(memoir, actor, toPlace(params.conversation_id, body.agent_id ?? undefined), body);
        rejectUnkept(run);
        const kind = await memoir.agents.getKind(actor, run.agentId);
        const wish = { after: body.starting_after, hasPings: body.include_pings ?? undefined };
        return await answerWithStream(memoir, actor, run, kind, reply, wish);
      },
    }),
  ];
}

async function findRun(memoir: Memoir, actor: Actor, place: ConversationPlace, wire: RetrieveStreamWire): Promise<Run> {
  if (wire.run_id) return rejectOther(await memoir.runs.get(actor, wire.run_id), place);
  const run = await memoir.runs.findOf(actor, place, wire.otid ?? undefined);
  if (run) return run;
  if (!wire.otid) throw new MemoirError("invalid-argument", "No active runs found for this conversation.");
  throw new MemoirError("not-found", "no run was begun by that message", { details: { entity: "run", id: wire.otid } });
}

/** A run of another conversation is not found here, whoever asks: a key for this one must not follow it. */
function rejectOther(run: Run, place: ConversationPlace): Run {
  const isOwn = "agentId" in place ? run.agentId === place.agentId : run.conversationId === place.conversationId;
  if (isOwn) return run;
  throw new MemoirError("not-found", `run "${run.id}" does not exist`, { details: { entity: "run", id: run.id } });
}

function conversationMessageRoutes(memoir: Memoir, { refusesBusy }: BusyMode): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/conversations/{conversation_id}/messages",
      operationId: "list_conversation_messages",
      summary: "List a conversation's messages",
      tag,
      access: "read",
      scope: "conversation",
      params: PlaceParams,
      query: ConversationMessageListQuery,
      response: z.array(MessageWire),
      handler: async ({ actor, params, query }) => {
        const place = toPlace(params.conversation_id, query.agent_id);
        // The default conversation is listed as its agent's messages are.
        if ("agentId" in place) {
          const view = viewOf(await memoir.agents.getKind(actor, place.agentId), query);
          const { agentId } = place;
          return toMessageWires(await memoir.messages.listOfAgent(actor, agentId, fromMessageList(query), place), view);
        }
        const agentId = await memoir.conversations.getAgentId(actor, place.conversationId);
        const view = viewOf(await memoir.agents.getKind(actor, agentId), query);
        const request = fromConversationMessageList(query);
        const messages = await memoir.messages.listOfConversation(actor, place.conversationId, request);
        return toMessageWires(request.page.from === "newest" ? messages.toReversed() : messages, view);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/conversations/{conversation_id}/messages",
      operationId: "send_conversation_message",
      summary: "Send a message to a conversation and wait for the answer",
      tag,
      access: "member",
      scope: "conversation",
      params: PlaceParams,
      body: ConversationMessageWire,
      scopedFields: conversationMessageFields,
      response: SendResponseWire,
      handler: async ({ actor, params, body, request, reply }) => {
        const place = toPlace(params.conversation_id, body.agent_id);
        // Unlike agents, conversations stream unless they are told not to.
        const isStreamed = body.streaming !== false;
        const input = {
          kind: "send_conversation_message",
          refusesBusy: refusesBusy && (isStreamed || "agentId" in place),
        };
        return await answerSending(memoir, { actor, place, body, request, reply, isStreamed, given: input });
      },
    }),
  ];
}
