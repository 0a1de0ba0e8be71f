/** File links and MCP servers as whole rows, for export to and import from agent files. */
import { findByIds } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";
import type { FileLink } from "../files/file-links.ts";
import { type FileRecord, fileEntity } from "../files/files.ts";
import { type McpServer, serverEntity } from "../tools/mcp-servers.ts";

const valuesPerStatement = 500;

/** Splits a list, because the number of parameters per statement is limited. */
export async function inBatches<T>(
  values: readonly string[],
  read: (part: readonly string[]) => Promise<T[]>,
): Promise<T[]> {
  const distinct = [...new Set(values)];
  const found: T[] = [];
  for (let start = 0; start < distinct.length; start += valuesPerStatement) {
    found.push(...(await read(distinct.slice(start, start + valuesPerStatement))));
  }
  return found;
}

export const findFiles = (scope: Scope, ids: readonly string[]): Promise<FileRecord[]> =>
  inBatches(ids, (part) => findByIds(scope, fileEntity, part));

export async function insertLinks(scope: Scope, links: readonly Omit<FileLink, "id" | "createdAt">[]): Promise<void> {
  await scope.insertAll(
    "agent_file",
    links.map((link) => ({
      id: scope.newId("file_agent"),
      agent_id: link.agentId,
      file_id: link.fileId,
      is_open: link.isOpen ? 1 : 0,
      visible: link.visible,
      start_line: link.startLine,
      end_line: link.endLine,
      last_accessed_at: link.lastAccessedAt,
      created_at: scope.now(),
    })),
  );
}

export async function listLinks(scope: Scope, agentId: string): Promise<FileLink[]> {
  const rows = await scope
    .select("agent_file")
    .selectAll("agent_file")
    .where("agent_id", "=", agentId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    agentId: row.agent_id,
    fileId: row.file_id,
    isOpen: row.is_open === 1,
    visible: row.visible,
    startLine: row.start_line,
    endLine: row.end_line,
    lastAccessedAt: row.last_accessed_at,
    createdAt: row.created_at,
  }));
}

/** Returns the names that are already taken. */
export async function findFolderNames(scope: Scope, names: readonly string[]): Promise<Set<string>> {
  const rows = await inBatches(names, (part) =>
    scope.select("folder").select("name").where("name", "in", part).execute(),
  );
  return new Set(rows.map(({ name }) => name));
}

export async function findServersByName(scope: Scope, names: readonly string[]): Promise<McpServer[]> {
  const rows = await inBatches(names, (part) =>
    scope.select("mcp_server").selectAll("mcp_server").where("name", "in", part).execute(),
  );
  return rows.map((row) => serverEntity.codec.decode(row));
}

export interface ServerTool {
  readonly serverId: string;
  readonly toolId: string;
}

/** Records which server offers a tool. */
export async function linkServerTools(scope: Scope, links: readonly ServerTool[]): Promise<void> {
  for (const { serverId, toolId } of links) {
    await scope
      .insert("mcp_tool", { mcp_server_id: serverId, tool_id: toolId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** The servers that offer any of these tools, by name. */
export async function listServersOfTools(scope: Scope, toolIds: readonly string[]): Promise<McpServer[]> {
  const rows = await inBatches(toolIds, (part) =>
    scope
      .select("mcp_server")
      .innerJoin("mcp_tool", "mcp_tool.mcp_server_id", "mcp_server.id")
      .selectAll("mcp_server")
      .where("mcp_tool.tool_id", "in", part)
      .execute(),
  );
  const servers = rows.map((row) => serverEntity.codec.decode(row));
  return [...new Map(servers.map((server) => [server.id, server])).values()].sort((left, right) =>
    left.name < right.name ? -1 : 1,
  );
}
