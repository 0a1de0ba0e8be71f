/** What can be asked of an agent besides an answer that is waited for. */
import { isMemoirError, type Memoir } from "@memoir/core";
import { defineRoute, type Route } from "../../route.ts";
import { AgentParams } from "../agents/schema.ts";
import { toPlace } from "../conversations/place.ts";
import { CancelledWire, ConversationMessageWire, PlaceParams } from "../conversations/schema.ts";
import { checkRunId, toRunWire } from "../runs/mapper.ts";
import { RunWire } from "../runs/schema.ts";
import { WireObject } from "../shared/fields.ts";
import { fromSendMessage } from "./input-mapper.ts";
import { toUsageWire } from "./mapper.ts";
import {
  AgentMessageParams,
  AsyncMessageWire,
  CancelWire,
  GeneratedWire,
  GenerateWire,
  StreamMessageWire,
} from "./request-schema.ts";
import { MessageWire, SendResponseWire } from "./schema.ts";
import { asyncFields, conversationMessageFields, sendFields } from "./scoped-fields.ts";
import { answerSending, beginSend, rejectNothing } from "./send.ts";

const tag = "messages";

export function messageRequestRoutes(memoir: Memoir): Route[] {
  return [...runningRoutes(memoir), ...previewRoutes(memoir), ...otherRoutes(memoir)];
}

function runningRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/messages/async",
      operationId: "create_agent_message_async",
      summary: "Send a message to an agent, to be answered in the background",
      tag,
      access: "member",
      scope: "agent",
      params: AgentParams,
      body: AsyncMessageWire,
      scopedFields: asyncFields,
      response: RunWire,
      handler: async ({ actor, params, body, request, reply }) => {
        const input = {
          kind: "send_message_async",
          isBackground: true,
          // Clients know the field: it says that no other program does the work.
          metadata: { lettuce: null },
          callbackUrl: body.callback_url,
        };
        const place = { agentId: params.agent_id };
        const run = await beginSend(memoir, { actor, place, body, request, reply, isStreamed: false, given: input });
        // Accepted, whether or not its work has begun by now.
        return toRunWire({ run: { ...run, status: "created" }, isDefault: true });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/messages/cancel",
      operationId: "cancel_message",
      summary: "Cancel runs of an agent: those named, or all that are under way or wait",
      tag,
      access: "member",
      scope: "agent",
      params: AgentParams,
      body: CancelWire,
      scopedFields: { run_ids: "free" },
      isBodyOptional: true,
      response: CancelledWire,
      handler: async ({ actor, params, body }) => {
        const named = body.run_ids?.length ? body.run_ids.map(checkRunId) : undefined;
        const ids = await memoir.runs.cancelOfAgent(actor, params.agent_id, named);
        return Object.fromEntries(ids.map((id) => [id, "cancelled"]));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/messages/stream",
      operationId: "create_agent_message_stream",
      summary: "Send a message to an agent and follow its answer",
      tag,
      access: "member",
      scope: "agent",
      isDeprecated: true,
      params: AgentParams,
      body: StreamMessageWire,
      scopedFields: sendFields,
      response: SendResponseWire,
      handler: async ({ actor, params, body, request, reply }) => {
        const place = { agentId: params.agent_id };
        const input = { kind: "send_message_streaming" };
        return await answerSending(memoir, { actor, place, body, request, reply, isStreamed: true, given: input });
      },
    }),
  ];
}

function previewRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/messages/preview-raw-payload",
      operationId: "preview_model_request",
      summary: "Show what a message would make the server send to the provider; nothing is sent or stored",
      tag,
      access: "read",
      scope: "agent",
      params: AgentParams,
      body: StreamMessageWire,
      scopedFields: sendFields,
      response: WireObject,
      handler: async ({ actor, params, body }) => {
        rejectNothing(body);
        return await memoir.messages.preview(actor, { agentId: params.agent_id }, fromSendMessage(body));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/conversations/{conversation_id}/messages/preview-raw-payload",
      operationId: "preview_conversation_model_request",
      summary: "The same, for a message to a conversation",
      tag: "conversations",
      access: "read",
      scope: "conversation",
      params: PlaceParams,
      body: ConversationMessageWire,
      scopedFields: conversationMessageFields,
      response: WireObject,
      handler: async ({ actor, params, body }) => {
        rejectNothing(body);
        const place = toPlace(params.conversation_id, body.agent_id);
        return await memoir.messages.preview(actor, place, fromSendMessage(body));
      },
    }),
  ];
}

function otherRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/messages/{message_id}",
      operationId: "modify_message",
      summary: "Refused: messages stay as they were said",
      tag,
      access: "member",
      scope: "agent",
      isDeprecated: true,
      params: AgentMessageParams,
      response: MessageWire,
      handler: async () => {
        const message =
          "Messages cannot be edited: they stay as they were said, and several conversations may share one.";
        throw Object.assign(new Error(message), { statusCode: 405 });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/generate",
      operationId: "generate_completion",
      summary: "Ask an agent's model something, beside everything that was said; nothing is stored",
      tag: "agents",
      access: "member",
      scope: "none",
      params: AgentParams,
      body: GenerateWire,
      response: GeneratedWire,
      handler: async ({ actor, params, body }) => {
        const request = {
          prompt: body.prompt,
          system: body.system_prompt,
          model: body.override_model,
          schema: body.response_schema,
        };
        const answer = await blameProvider(() => memoir.messages.generate(actor, params.agent_id, request));
        const { text, model, usage } = answer;
        return {
          content: text,
          model,
          usage: toUsageWire({ usage, steps: 0, contextTokens: null }, { isTextReply: true }, { isAsReported: true }),
        };
      },
    }),
  ];
}

/** Here a provider's failure is that of something behind us, whatever it is. */
async function blameProvider<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!isMemoirError(error) || !error.code.startsWith("llm-")) throw error;
    throw Object.assign(new Error(error.message, { cause: error }), { statusCode: 502 });
  }
}
