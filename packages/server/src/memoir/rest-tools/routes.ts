/** `/v1/memoir/rest-tools`: tools that call somebody's REST API. They are listed, attached and deleted as all others are. */
import type { Memoir } from "@memoir/core";
import { readProject } from "../../letta/tools/request-mapper.ts";
import { defineRoute, type Route } from "../../route.ts";
import { fromNewRestTools, toRestToolsWire } from "./mapper.ts";
import { NewRestToolsWire, RestToolsWire } from "./schema.ts";

export function restToolRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/memoir/rest-tools",
      operationId: "memoir_save_rest_tools",
      summary: "Make tools from an OpenAPI document or a URL template, or update those of their names",
      tag: "memoir",
      access: "member",
      scope: "none",
      body: NewRestToolsWire,
      response: RestToolsWire,
      handler: async ({ actor, body, request }) =>
        toRestToolsWire(await memoir.restTools.save(actor, fromNewRestTools(body, readProject(request)))),
    }),
  ];
}
