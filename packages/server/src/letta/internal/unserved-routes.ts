/** Operations of the old server that are known here and cannot be done yet. Their input is checked all the same. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentParams } from "../agents/schema.ts";
import { optional, WireObject, wireList, wireName, wireText } from "../shared/fields.ts";
import { notYet } from "../shared/not-yet.ts";

export function unservedRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/messages/capture",
      operationId: "capture_messages",
      summary: "Take over what was said between a provider and another program",
      tag: "agents",
      access: "member",
      scope: "agent",
      params: AgentParams,
      body: z.object({
        provider: wireName,
        model: wireName,
        request_messages: wireList(WireObject),
        response_dict: WireObject,
      }),
      scopedFields: {
        provider: "refused",
        model: "refused",
        request_messages: "refused",
        response_dict: "refused",
      },
      response: WireObject,
      handler: async ({ actor, params }) => {
        await memoir.agents.getKind(actor, params.agent_id);
        throw notYet("Memoir cannot take over conversations that were held elsewhere yet.");
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/tools/generate-tool",
      operationId: "generate_tool",
      summary: "Have a model write a tool",
      tag: "tools",
      access: "member",
      scope: "none",
      body: z.object({
        tool_name: wireName,
        prompt: wireText,
        handle: optional(wireName),
        starter_code: optional(wireText),
        validation_errors: optional(wireList(wireText)),
      }),
      response: WireObject,
      handler: async () => {
        throw notYet("Memoir cannot have a model write tools yet.");
      },
    }),
  ];
}
