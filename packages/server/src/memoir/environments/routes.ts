/** `/v1/memoir/tool-environments`: what tools require, and how far it is installed. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toToolEnvironmentWire } from "./mapper.ts";
import { ToolEnvironmentParams, ToolEnvironmentWire } from "./schema.ts";

const tag = "memoir";

export function toolEnvironmentRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/memoir/tool-environments",
      operationId: "memoir_list_tool_environments",
      summary: "List how far the packages are that tools require",
      tag,
      access: "read",
      scope: "none",
      response: z.array(ToolEnvironmentWire),
      handler: async ({ actor }) => (await memoir.toolEnvironments.list(actor)).map(toToolEnvironmentWire),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/tools/{tool_id}/environment",
      operationId: "memoir_retrieve_tool_environment",
      summary: "Retrieve how far the packages are that a tool requires",
      tag,
      access: "read",
      scope: "none",
      params: ToolEnvironmentParams,
      response: ToolEnvironmentWire,
      handler: async ({ actor, params }) =>
        toToolEnvironmentWire(await memoir.toolEnvironments.get(actor, params.tool_id)),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/memoir/tools/{tool_id}/environment",
      operationId: "memoir_build_tool_environment",
      summary: "Begin to install what a tool requires, also if that failed before",
      tag,
      access: "member",
      scope: "none",
      params: ToolEnvironmentParams,
      response: ToolEnvironmentWire,
      handler: async ({ actor, params }) =>
        toToolEnvironmentWire(await memoir.toolEnvironments.build(actor, params.tool_id)),
    }),
  ];
}
