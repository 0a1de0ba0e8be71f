/** `/v1/tools`. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { Count, Nothing, WireObject } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { toToolWire } from "./mapper.ts";
import {
  fromCreateTool,
  fromToolFilter,
  fromToolUpdate,
  readProject,
  toKinds,
  toToolHitWire,
} from "./request-mapper.ts";
import {
  CreateToolWire,
  DescribeSourceWire,
  RunSourceWire,
  ToolCountQuery,
  ToolHitWire,
  ToolListQuery,
  ToolParams,
  ToolSearchWire,
  ToolUpdateWire,
} from "./request-schema.ts";
import { fromRunSource, SourceReturnWire, toSourceReturnWire } from "./run-wire.ts";
import { ToolWire } from "./schema.ts";

const tag = "tools";

export function toolRoutes(memoir: Memoir): Route[] {
  const save = {
    tag,
    body: CreateToolWire,
    response: ToolWire,
  };
  return [
    defineRoute({
      method: "GET",
      path: "/v1/tools/",
      operationId: "list_tools",
      summary: "List tools",
      tag,
      access: "read",
      scope: "none",
      query: ToolListQuery,
      response: z.array(ToolWire),
      handler: async ({ actor, query, request }) => {
        const filter = fromToolFilter(query, readProject(request));
        return (await memoir.tools.list(actor, filter, toPage(query, { limit: 50, order: "desc" }))).map(toToolWire);
      },
    }),
    defineRoute({
      ...save,
      method: "POST",
      path: "/v1/tools/",
      operationId: "create_tool",
      summary: "Create a tool, or update the one of this name",
      access: "member",
      scope: "none",
      handler: async ({ actor, body, request }) =>
        toToolWire(await memoir.tools.save(actor, fromCreateTool(body, readProject(request)))),
    }),
    defineRoute({
      ...save,
      method: "PUT",
      path: "/v1/tools/",
      operationId: "upsert_tool",
      summary: "Create a tool, or update the one of this name",
      access: "member",
      scope: "none",
      handler: async ({ actor, body, request }) =>
        toToolWire(await memoir.tools.save(actor, fromCreateTool(body, readProject(request)))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/tools/count",
      operationId: "count_tools",
      summary: "Count tools",
      tag,
      access: "read",
      scope: "none",
      query: ToolCountQuery,
      response: Count,
      handler: ({ actor, query, request }) => memoir.tools.count(actor, fromToolFilter(query, readProject(request))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/tools/{tool_id}",
      operationId: "retrieve_tool",
      summary: "Retrieve a tool",
      tag,
      access: "read",
      scope: "none",
      params: ToolParams,
      response: ToolWire,
      handler: async ({ actor, params }) => toToolWire(await memoir.tools.get(actor, params.tool_id)),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/tools/{tool_id}",
      operationId: "modify_tool",
      summary: "Update a tool",
      tag,
      access: "member",
      scope: "none",
      params: ToolParams,
      body: ToolUpdateWire,
      response: ToolWire,
      handler: async ({ actor, params, body }) =>
        toToolWire(await memoir.tools.update(actor, params.tool_id, fromToolUpdate(body))),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/tools/{tool_id}",
      operationId: "delete_tool",
      summary: "Delete a tool; agents that hold it lose it",
      tag,
      access: "member",
      scope: "none",
      params: ToolParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.tools.delete(actor, params.tool_id);
        return null;
      },
    }),
    ...toolActionRoutes(memoir),
  ];
}

function toolActionRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/tools/add-base-tools",
      operationId: "add_base_tools",
      summary: "Put back what is missing of the tools that come with the server",
      tag,
      access: "member",
      scope: "none",
      response: z.array(ToolWire),
      handler: async ({ actor }) => (await memoir.tools.restoreBase(actor)).map(toToolWire),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/tools/search",
      operationId: "search_tools",
      summary: "Find tools by their names, tags and descriptions",
      tag,
      access: "read",
      scope: "none",
      body: ToolSearchWire,
      response: z.array(ToolHitWire),
      handler: async ({ actor, body, request }) => {
        const hits = await memoir.tools.search(actor, {
          query: body.query,
          kinds: body.tool_types && toKinds(body.tool_types, "tool_types"),
          tags: body.tags,
          limit: body.limit ?? 50,
          projectId: readProject(request),
        });
        return hits.map(toToolHitWire);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/tools/run",
      operationId: "run_tool_from_source",
      summary: "Run a tool's source without saving it",
      tag,
      access: "member",
      scope: "none",
      body: RunSourceWire,
      response: SourceReturnWire,
      handler: async ({ actor, body, request }) =>
        toSourceReturnWire(await memoir.tools.run(actor, fromRunSource(body, readProject(request))), new Date()),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/tools/generate-schema",
      operationId: "generate_json_schema",
      summary: "What models would be told of a tool with this source",
      tag,
      access: "member",
      scope: "none",
      body: DescribeSourceWire,
      response: WireObject,
      handler: ({ actor, body }) =>
        memoir.tools.describe(actor, { source: body.code, sourceKind: body.source_type ?? "python" }),
    }),
  ];
}
