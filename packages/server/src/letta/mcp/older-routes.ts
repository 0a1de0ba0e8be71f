/** `/v1/tools/mcp`: the same MCP servers, by name and in one flat object, as older clients know them. */
import type { Actor, Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { WireObject, wireName } from "../shared/fields.ts";
import { notYet } from "../shared/not-yet.ts";
import { queryText } from "../shared/query.ts";
import { ToolWire } from "../tools/schema.ts";
import { fromFlatConfig, fromFlatUpdate, toFlatServerWire } from "./mapper.ts";
import { allServers, noConnections } from "./routes.ts";
import { AgentQuery, FlatConfigWire, FlatServerWire, FlatUpdateWire, McpNameParams, RunToolWire } from "./schema.ts";

const tag = "tools";
const root = "/v1/tools/mcp/servers";

export function olderMcpRoutes(memoir: Memoir): Route[] {
  const listAll = async (actor: Actor) => (await memoir.mcpServers.list(actor, allServers)).map(toFlatServerWire);
  return [
    defineRoute({
      method: "GET",
      path: root,
      operationId: "list_mcp_servers",
      summary: "MCP servers by name",
      tag,
      access: "read",
      scope: "none",
      response: z.record(z.string(), FlatServerWire),
      handler: async ({ actor }) =>
        Object.fromEntries((await listAll(actor)).map((server) => [server.server_name, server])),
    }),
    defineRoute({
      method: "PUT",
      path: root,
      operationId: "add_mcp_server",
      summary: "Store an MCP server; answers all of them",
      tag,
      access: "member",
      scope: "none",
      body: FlatConfigWire,
      response: z.array(FlatServerWire),
      handler: async ({ actor, body }) => {
        await memoir.mcpServers.create(actor, { ...fromFlatConfig(body), name: body.server_name });
        return await listAll(actor);
      },
    }),
    defineRoute({
      method: "PATCH",
      path: `${root}/{mcp_server_name}`,
      operationId: "update_mcp_server",
      summary: "Update an MCP server",
      tag,
      access: "member",
      scope: "none",
      params: McpNameParams,
      body: FlatUpdateWire,
      response: FlatServerWire,
      handler: async ({ actor, params, body }) => {
        const { id, transport } = await memoir.mcpServers.getByName(actor, params.mcp_server_name);
        const name = body.server_name ? { name: body.server_name } : {};
        const update = { ...fromFlatUpdate(body, transport), ...name };
        return toFlatServerWire(await memoir.mcpServers.update(actor, id, update));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: `${root}/{mcp_server_name}`,
      operationId: "delete_mcp_server",
      summary: "Delete an MCP server with the tools that came from it; answers the others",
      tag,
      access: "member",
      scope: "none",
      params: McpNameParams,
      response: z.array(FlatServerWire),
      handler: async ({ actor, params }) => {
        const { id } = await memoir.mcpServers.getByName(actor, params.mcp_server_name);
        await memoir.mcpServers.delete(actor, id);
        return await listAll(actor);
      },
    }),
    ...connectionRoutes(memoir),
  ];
}

function connectionRoutes(memoir: Memoir): Route[] {
  const rejectStored = async (actor: Actor, name: string): Promise<never> => {
    await memoir.mcpServers.getByName(actor, name);
    throw notYet(noConnections);
  };
  const rejectGiven = async (config: FlatConfigWire): Promise<never> => {
    memoir.mcpServers.check(fromFlatConfig(config));
    throw notYet(noConnections);
  };
  return [
    defineRoute({
      method: "POST",
      path: `${root}/test`,
      operationId: "test_mcp_server",
      summary: "Try whether an MCP server answers",
      tag,
      access: "member",
      scope: "none",
      body: FlatConfigWire,
      response: WireObject,
      handler: ({ body }) => rejectGiven(body),
    }),
    defineRoute({
      method: "POST",
      path: `${root}/connect`,
      operationId: "connect_mcp_server",
      summary: "Connect to an MCP server",
      tag,
      access: "member",
      scope: "none",
      body: FlatConfigWire,
      response: WireObject,
      handler: ({ body }) => rejectGiven(body),
    }),
    defineRoute({
      method: "GET",
      path: `${root}/{mcp_server_name}/tools`,
      operationId: "list_mcp_tools_by_server",
      summary: "Ask an MCP server which tools it has",
      tag,
      access: "read",
      scope: "none",
      params: McpNameParams,
      response: z.array(WireObject),
      handler: ({ actor, params }) => rejectStored(actor, params.mcp_server_name),
    }),
    defineRoute({
      method: "POST",
      path: `${root}/{mcp_server_name}/resync`,
      operationId: "resync_mcp_server_tools",
      summary: "Ask an MCP server for its tools again",
      tag,
      access: "member",
      scope: "none",
      params: McpNameParams,
      query: AgentQuery,
      response: WireObject,
      handler: ({ actor, params }) => rejectStored(actor, params.mcp_server_name),
    }),
    defineRoute({
      method: "POST",
      path: `${root}/{mcp_server_name}/{mcp_tool_name}`,
      operationId: "add_mcp_tool",
      summary: "Take over a tool of an MCP server",
      tag,
      access: "member",
      scope: "none",
      params: z.object({ mcp_server_name: wireName, mcp_tool_name: wireName }),
      response: ToolWire,
      handler: ({ actor, params }) => rejectStored(actor, params.mcp_server_name),
    }),
    defineRoute({
      method: "POST",
      path: `${root}/{mcp_server_name}/tools/{tool_name}/execute`,
      operationId: "execute_mcp_tool",
      summary: "Run a tool of an MCP server",
      tag,
      access: "member",
      scope: "none",
      params: z.object({ mcp_server_name: wireName, tool_name: wireName }),
      body: RunToolWire,
      response: WireObject,
      handler: ({ actor, params }) => rejectStored(actor, params.mcp_server_name),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/tools/mcp/oauth/callback",
      operationId: "mcp_oauth_callback",
      summary: "Where a browser comes back to after a login at an MCP server",
      tag,
      access: "open",
      scope: "none",
      query: z.object({ code: queryText, state: queryText, error: queryText, error_description: queryText }),
      response: z.strictObject({ status: z.enum(["success", "error"]), message: z.string() }),
      handler: async () => ({ status: "error" as const, message: "No connection waits for this login." }),
    }),
  ];
}
