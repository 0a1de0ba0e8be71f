/** Agents behind the paths of OpenAI clients: as models to choose from and to talk to. */
import { isId, type Memoir, MemoirError } from "@memoir/core";
import { z } from "zod";
import { keyOf, requestIdOf } from "../letta/messages/send.ts";
import { WireObject, wireName } from "../letta/shared/fields.ts";
import { pageSize } from "../letta/shared/paging.ts";
import { queryInteger, queryText } from "../letta/shared/query.ts";
import { defineRoute, type Route } from "../route.ts";
import { answerInPieces, answerWhole } from "./chat.ts";
import { openAiBase } from "./clients.ts";
import { readSaid, refuse, toAgentModel } from "./mapper.ts";
import { AgentModelsWire, AgentModelWire, ChatCompletionWire } from "./schema.ts";

export function openAiRoutes(memoir: Memoir): Route[] {
  return [
    chatRoute(memoir, "/v1/chat/completions", "create_chat_completion", "chat"),
    chatRoute(memoir, `${openAiBase}/chat/completions`, "memoir_create_chat_completion", "memoir"),
    ...modelRoutes(memoir),
  ];
}

function chatRoute(memoir: Memoir, path: string, operationId: string, tag: string): Route {
  return defineRoute({
    method: "POST",
    path,
    operationId,
    summary: "Talk to an agent as to a model of OpenAI",
    tag,
    access: "member",
    scope: "model",
    body: ChatCompletionWire,
    scopedFields: { model: "free", messages: "free", stream: "free", stream_options: "free", user: "free" },
    response: WireObject,
    handler: async ({ actor, body, request, reply }) => {
      if (!isId("agent", body.model)) throw refuse("model", "model must be the id of an agent: agent-<uuid4>");
      const { agent } = await memoir.agents.get(actor, body.model, new Set());
      const run = await memoir.messages.send(actor, agent.id, {
        messages: [{ role: "user", content: readSaid(body) }],
        kind: "openai_chat_completions",
        key: keyOf(request),
        requestId: requestIdOf(request),
        streamsTokens: body.stream === true,
      });
      const answer = { memoir, actor, run, kind: agent.kind, model: agent.model.model };
      if (!body.stream) return await answerWhole(answer);
      await answerInPieces(answer, reply, body.stream_options?.include_usage === true);
      return {};
    },
  });
}

function modelRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: `${openAiBase}/models`,
      operationId: "memoir_list_agents_as_models",
      summary: "List agents as models of OpenAI, newest first",
      tag: "memoir",
      access: "read",
      scope: "agent-list",
      query: z.object({ limit: queryInteger(), after: queryText }),
      response: AgentModelsWire,
      handler: async ({ actor, caller, query }) => {
        const only = caller.key?.agentId;
        if (only)
          return { object: "list" as const, data: [toAgentModel(await memoir.agents.get(actor, only, new Set()))] };
        const page = { limit: pageSize(query.limit ?? 1000), order: "desc" as const, after: query.after };
        const views = await memoir.agents.list(actor, { page, relations: new Set() });
        return { object: "list" as const, data: views.map(toAgentModel) };
      },
    }),
    defineRoute({
      method: "GET",
      path: `${openAiBase}/models/{model}`,
      operationId: "memoir_retrieve_agent_as_model",
      summary: "Retrieve an agent as a model of OpenAI",
      tag: "memoir",
      access: "read",
      scope: "model",
      params: z.object({ model: wireName }),
      response: AgentModelWire,
      handler: async ({ actor, params }) => {
        const { model: id } = params;
        if (!isId("agent", id))
          throw new MemoirError("not-found", `there is no agent "${id}"`, { details: { entity: "agent", id } });
        return toAgentModel(await memoir.agents.get(actor, id, new Set()));
      },
    }),
  ];
}
