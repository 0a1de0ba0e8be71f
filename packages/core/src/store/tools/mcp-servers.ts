/** MCP servers and their connections; tokens, headers and environments are rows of `secret`. */
import { MemoirError, notFound } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { isUniqueViolation } from "../engine/constraint-errors.ts";
import { deleteById, type Entity, getById, insertEntities, updateById } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";
import { type Tool, toolEntity } from "./tools.ts";

export const mcpTransports = ["stdio", "sse", "streamable_http"] as const;

export type McpTransport = (typeof mcpTransports)[number];

/** A program on this machine, or an address. */
export type McpConnection =
  | { readonly command: string; readonly args: readonly string[] }
  | {
      readonly url: string;
      /** The header that carries the token. */
      readonly tokenHeader: string | null;
    };

export interface McpServer {
  readonly id: string;
  readonly name: string;
  readonly transport: McpTransport;
  readonly connection: McpConnection;
  readonly metadata: JsonObject | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const serverEntity: Entity<McpServer, "mcp_server"> = {
  table: "mcp_server",
  name: "MCP server",
  codec: createCodec<McpServer>("mcp_server", {
    id: plain("id"),
    name: plain("name"),
    transport: plain("transport"),
    connection: json("config"),
    metadata: json("metadata"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getMcpServer = (scope: Scope, id: string): Promise<McpServer> => getById(scope, serverEntity, id);

export async function getMcpServerByName(scope: Scope, name: string): Promise<McpServer> {
  const row = await scope.select("mcp_server").selectAll("mcp_server").where("name", "=", name).executeTakeFirst();
  if (!row) throw notFound(serverEntity.name, name);
  return serverEntity.codec.decode(row);
}

export const listMcpServers = (scope: Scope, page: PageRequest): Promise<McpServer[]> =>
  listPage(scope, serverEntity, scope.select("mcp_server"), page);

export const insertMcpServer = (scope: Scope, server: McpServer): Promise<void> =>
  guardName(server.name, () => insertEntities(scope, serverEntity, [server]));

export const updateMcpServer = (scope: Scope, id: string, changes: Partial<McpServer>): Promise<void> =>
  guardName(changes.name, () => updateById(scope, serverEntity, id, changes));

async function guardName(name: string | undefined, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new MemoirError("conflict", `an MCP server named "${name}" exists already`, {
      details: { entity: serverEntity.name, field: "server_name" },
      cause: error,
    });
  }
}

/** Cascades to the tools that it offers. */
export async function deleteMcpServer(scope: Scope, id: string): Promise<void> {
  await scope.delete("tool").where("id", "in", selectToolIds(scope, id)).execute();
  await deleteById(scope, serverEntity, id);
}

function selectToolIds(scope: Scope, serverId: string) {
  return scope.select("mcp_tool").select("tool_id").where("mcp_server_id", "=", serverId);
}

/** Sorted by name. */
export async function listMcpTools(scope: Scope, serverId: string): Promise<Tool[]> {
  const rows = await scope
    .select("tool")
    .selectAll("tool")
    .where("tool.id", "in", selectToolIds(scope, serverId))
    .orderBy("tool.name")
    .execute();
  return rows.map((row) => toolEntity.codec.decode(row));
}

export async function getMcpTool(scope: Scope, serverId: string, toolId: string): Promise<Tool> {
  const row = await scope
    .select("tool")
    .selectAll("tool")
    .where("tool.id", "=", toolId)
    .where("tool.id", "in", selectToolIds(scope, serverId))
    .executeTakeFirst();
  if (!row) throw notFound("tool", toolId);
  return toolEntity.codec.decode(row);
}
