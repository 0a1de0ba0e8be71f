/** `/v1/mcp-servers`: MCP servers as records. Nothing connects to them yet. */
import { isId, type Memoir, MemoirError } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { Nothing, WireObject } from "../shared/fields.ts";
import { notYet } from "../shared/not-yet.ts";
import { toToolWire } from "../tools/mapper.ts";
import { ToolWire } from "../tools/schema.ts";
import { fromTypedConfig, toMcpServerWire } from "./mapper.ts";
import {
  AgentQuery,
  CreateMcpServerWire,
  McpServerParams,
  McpServerWire,
  McpToolParams,
  RunToolWire,
  UpdateMcpServerWire,
} from "./schema.ts";

const tag = "mcp-servers";

/** More than anybody stores. */
export const allServers = { limit: 5000, order: "asc" } as const;

export const noConnections = "Memoir cannot connect to MCP servers yet.";

export function mcpServerRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/mcp-servers/",
      operationId: "mcp_list_mcp_servers",
      summary: "List MCP servers",
      tag,
      access: "read",
      scope: "none",
      response: z.array(McpServerWire),
      handler: async ({ actor }) => (await memoir.mcpServers.list(actor, allServers)).map(toMcpServerWire),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/mcp-servers/",
      operationId: "mcp_create_mcp_server",
      summary: "Store an MCP server",
      tag,
      access: "member",
      scope: "none",
      body: CreateMcpServerWire,
      response: McpServerWire,
      handler: async ({ actor, body }) => {
        const input = { ...fromTypedConfig(body.config), name: body.server_name };
        return toMcpServerWire(await memoir.mcpServers.create(actor, input));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/mcp-servers/{mcp_server_id}",
      operationId: "mcp_retrieve_mcp_server",
      summary: "Retrieve an MCP server",
      tag,
      access: "read",
      scope: "none",
      params: McpServerParams,
      response: McpServerWire,
      handler: async ({ actor, params }) => toMcpServerWire(await memoir.mcpServers.get(actor, readId(params))),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/mcp-servers/{mcp_server_id}",
      operationId: "mcp_update_mcp_server",
      summary: "Update an MCP server",
      tag,
      access: "member",
      scope: "none",
      params: McpServerParams,
      body: UpdateMcpServerWire,
      response: McpServerWire,
      handler: async ({ actor, params, body }) => {
        const update = { ...fromTypedConfig(body.config), ...(body.server_name ? { name: body.server_name } : {}) };
        return toMcpServerWire(await memoir.mcpServers.update(actor, readId(params), update));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/mcp-servers/{mcp_server_id}",
      operationId: "mcp_delete_mcp_server",
      summary: "Delete an MCP server with the tools that came from it",
      tag,
      access: "member",
      scope: "none",
      params: McpServerParams,
      status: 204,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.mcpServers.delete(actor, readId(params));
        return null;
      },
    }),
    ...toolRoutes(memoir),
  ];
}

function toolRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/mcp-servers/{mcp_server_id}/tools",
      operationId: "mcp_list_tools_for_mcp_server",
      summary: "List the stored tools that came from an MCP server",
      tag,
      access: "read",
      scope: "none",
      params: McpServerParams,
      response: z.array(ToolWire),
      handler: async ({ actor, params }) => (await memoir.mcpServers.listTools(actor, readId(params))).map(toToolWire),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/mcp-servers/{mcp_server_id}/tools/{tool_id}",
      operationId: "mcp_retrieve_mcp_tool",
      summary: "Retrieve a stored tool that came from an MCP server",
      tag,
      access: "read",
      scope: "none",
      params: McpToolParams,
      response: ToolWire,
      handler: async ({ actor, params }) =>
        toToolWire(await memoir.mcpServers.getTool(actor, readId(params), params.tool_id)),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/mcp-servers/{mcp_server_id}/tools/{tool_id}/run",
      operationId: "mcp_run_tool",
      summary: "Run a tool of an MCP server",
      tag,
      access: "member",
      scope: "none",
      params: McpToolParams,
      body: RunToolWire,
      isBodyOptional: true,
      response: WireObject,
      handler: async ({ actor, params }) => {
        await memoir.mcpServers.getTool(actor, readId(params), params.tool_id);
        throw notYet(noConnections);
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/mcp-servers/{mcp_server_id}/refresh",
      operationId: "mcp_refresh_mcp_server_tools",
      summary: "Ask an MCP server for its tools again",
      tag,
      access: "member",
      scope: "none",
      params: McpServerParams,
      query: AgentQuery,
      response: WireObject,
      handler: async ({ actor, params }) => {
        await memoir.mcpServers.get(actor, readId(params));
        throw notYet(noConnections);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/mcp-servers/connect/{mcp_server_id}",
      operationId: "mcp_connect_mcp_server",
      summary: "Connect to an MCP server",
      tag,
      access: "read",
      scope: "none",
      params: McpServerParams,
      response: WireObject,
      handler: async ({ actor, params }) => {
        await memoir.mcpServers.get(actor, readId(params));
        throw notYet(noConnections);
      },
    }),
  ];
}

function readId({ mcp_server_id: id }: McpServerParams): string {
  if (isId("mcp_server", id)) return id;
  throw new MemoirError(
    "invalid-argument",
    `Invalid mcp_server ID format: ${id}. Expected format: 'mcp_server-<uuid4>'`,
    { details: { field: "mcp_server_id" } },
  );
}
