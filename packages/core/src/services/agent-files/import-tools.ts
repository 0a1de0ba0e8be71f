/** Tools of imported agents are known by their names: those that come with the program are ours, whatever was imported. */
import type { SandboxLanguage } from "../../sandbox/language.ts";
import { readRequirements } from "../../sandbox/packages/requirements.ts";
import type { Actor } from "../../shared/actor.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { findServersByName, inBatches, linkServerTools, type ServerTool } from "../../store/agents/portable-rows.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { insertMcpServer, type McpServer } from "../../store/tools/mcp-servers.ts";
import { insertMissingTools, type Tool, updateTool } from "../../store/tools/tools.ts";
import { builtinTools } from "../../tools/builtin/list.ts";
import { restToolKind } from "../../tools/rest/operation.ts";
import { checkConnection, type McpAccess } from "../mcp/mcp-connection.ts";
import { findOrRestoreTools } from "../tools/base-tools.ts";
import { customToolKind } from "../tools/tool-rows.ts";
import type { ImportOptions, PortableMcpServer, PortableTool } from "./agent-file-format.ts";

/** Names of servers, with their rows. */
type Servers = ReadonlyMap<string, McpServer>;

/** A server that exists by the same name stays as it is: a file must not send what is trusted to it elsewhere. */
export async function importServers(
  scope: Scope,
  actor: Actor,
  input: readonly PortableMcpServer[],
  { access, notes }: { readonly access: McpAccess; readonly notes: string[] },
): Promise<Servers> {
  const names = input.map(({ name }) => name);
  const servers = new Map((await findServersByName(scope, names)).map((server) => [server.name, server]));
  for (const { name } of servers.values()) notes.push(`MCP server "${name}" exists already and stays as it is`);
  for (const item of input.filter(({ name }) => !servers.has(name))) {
    const fault = findFault(item, access);
    if (fault !== undefined) {
      notes.push(`MCP server "${item.name}" is left out: ${fault}`);
      continue;
    }
    const server = newServer(scope, actor, item);
    await insertMcpServer(scope, server);
    servers.set(server.name, server);
  }
  return servers;
}

function findFault({ connection, transport }: PortableMcpServer, access: McpAccess): string | undefined {
  if ("command" in connection && connection.command.trim() === "") return "it has no command to start";
  return findMessage(() => checkConnection(connection, transport, access));
}

/** What the check refuses with, as a note says it. */
function findMessage(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof MemoirError) return error.message;
    throw error;
  }
}

function newServer(scope: Scope, actor: Actor, input: PortableMcpServer): McpServer {
  const stamp = stampOf(scope, actor);
  return {
    id: scope.newId("mcp_server"),
    name: input.name,
    transport: input.transport,
    connection: input.connection,
    metadata: input.metadata,
    createdAt: stamp.updatedAt,
    createdBy: actor.userId,
    ...stamp,
  };
}

export interface ToolImport {
  readonly options: ImportOptions;
  readonly servers: Servers;
  readonly notes: string[];
}

/** Kinds that users bring themselves: only rows of these are written over. */
const ownKinds: ReadonlySet<string> = new Set(["custom", "mcp", "composio", "langchain"]);
const ours: ReadonlySet<string> = new Set(builtinTools.map(({ name }) => name));

export async function importTools(
  scope: Scope,
  actor: Actor,
  tools: readonly PortableTool[],
  { options, servers, notes }: ToolImport,
): Promise<ReadonlyMap<string, string>> {
  const input = tools.map((tool) => withSoundPackages(tool, notes));
  const stored = await findByName(scope, actor, input);
  const links: ServerTool[] = [];
  const missing: Tool[] = [];
  for (const tool of input) {
    const existing = stored.get(tool.name);
    const server = serverOf(tool, servers);
    if (!existing) missing.push(newTool(scope, actor, tool, options, server));
    else if (options.overrideTools !== false && ownKinds.has(existing.kind) && existing.kind === tool.kind) {
      await updateTool(scope, existing.id, { ...fieldsOf(tool, server), ...stampOf(scope, actor) });
    }
    if (!existing && tool.metadata?.rest !== undefined) {
      notes.push(`tool "${tool.name}" calls a REST API: make it here too, with its credentials, before it can run`);
    } else if (!existing && tool.kind === "composio") {
      notes.push(`tool "${tool.name}" is run at Composio, which needs COMPOSIO_API_KEY, of the server or as a secret`);
    } else if (!existing && (tool.kind === "langchain" || (!ownKinds.has(tool.kind) && !ours.has(tool.name)))) {
      notes.push(`tool "${tool.name}" is kept, but this server has no way to run it`);
    }
  }
  await insertMissingTools(scope, missing);
  // Another program may have added one of them at this moment: whoever came first has the name.
  const rows = missing.length === 0 ? stored : await findByName(scope, actor, input);
  for (const tool of input) {
    const [row, server] = [rows.get(tool.name), serverOf(tool, servers)];
    if (row && server && row.kind === "mcp") links.push({ serverId: server.id, toolId: row.id });
  }
  await linkServerTools(scope, links);
  return new Map(input.flatMap(({ id, name }) => (rows.has(name) ? [[id, rows.get(name)?.id ?? ""]] : [])));
}

/** Names of packages that could not be stored over the API are not stored from a file either. */
function withSoundPackages(tool: PortableTool, notes: string[]): PortableTool {
  const check = (language: SandboxLanguage, entries: PortableTool["pipRequirements"]) => {
    const fault = findMessage(() => readRequirements(language, entries ?? []));
    if (fault === undefined) return entries;
    notes.push(`tool "${tool.name}" is kept without its packages: ${fault}`);
    return null;
  };
  return {
    ...tool,
    pipRequirements: check("python", tool.pipRequirements),
    npmRequirements: check("typescript", tool.npmRequirements),
  };
}

async function findByName(scope: Scope, actor: Actor, tools: readonly PortableTool[]): Promise<Map<string, Tool>> {
  const names = tools.map(({ name }) => name);
  const found = await inBatches(names, (part) => findOrRestoreTools(scope, part, actor.userId));
  return new Map(found.map((tool) => [tool.name, tool]));
}

function serverOf({ kind, metadata }: PortableTool, servers: Servers): McpServer | undefined {
  const origin = metadata?.mcp as JsonObject | undefined;
  return kind === "mcp" && typeof origin?.server_name === "string" ? servers.get(origin.server_name) : undefined;
}

function fieldsOf(tool: PortableTool, server: McpServer | undefined) {
  const origin = server && { ...(tool.metadata?.mcp as JsonObject), server_id: server.id };
  return {
    name: tool.name,
    // What such a tool calls is checked where it is made, and only there.
    kind: tool.kind === restToolKind ? customToolKind : tool.kind,
    description: tool.description,
    sourceKind: tool.sourceKind,
    source: tool.source,
    jsonSchema: tool.jsonSchema,
    argsSchema: tool.argsSchema,
    tags: tool.tags,
    returnCharLimit: tool.returnCharLimit,
    pipRequirements: tool.pipRequirements,
    npmRequirements: tool.npmRequirements,
    needsApproval: tool.needsApproval,
    isParallel: tool.isParallel,
    metadata: origin ? { ...tool.metadata, mcp: origin } : tool.metadata,
  };
}

const stampOf = (scope: Scope, actor: Actor) => ({ updatedAt: scope.now(), updatedBy: actor.userId });

function newTool(
  scope: Scope,
  actor: Actor,
  tool: PortableTool,
  { projectId }: ImportOptions,
  server: McpServer | undefined,
): Tool {
  const stamp = stampOf(scope, actor);
  return {
    id: scope.newId("tool"),
    ...fieldsOf(tool, server),
    projectId: projectId ?? null,
    createdAt: stamp.updatedAt,
    createdBy: actor.userId,
    ...stamp,
  };
}
