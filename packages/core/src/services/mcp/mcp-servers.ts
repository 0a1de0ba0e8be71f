/** What callers can do with MCP servers as records. Credentials go in and do not come out again. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput } from "../../shared/errors.ts";
import { deleteSecrets, listSecrets } from "../../store/access/secrets.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import {
  deleteMcpServer,
  getMcpServer,
  getMcpServerByName,
  getMcpTool,
  insertMcpServer,
  listMcpServers,
  listMcpTools,
  type McpServer,
  updateMcpServer,
} from "../../store/tools/mcp-servers.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { checkConnection, type McpAccess, type McpSettings, mergeConnection } from "./mcp-connection.ts";
import { credentialsAfterMove, encryptMcpSecrets, isMcpSecret } from "./mcp-secrets.ts";

/** Names of what is sealed; the values stay where they are. */
export interface McpServerView extends McpServer {
  readonly hasToken: boolean;
  readonly headerNames: readonly string[];
  readonly environmentNames: readonly string[];
}

export interface McpServerService {
  create(actor: Actor, server: McpSettings & { readonly name: string }): Promise<McpServerView>;
  get(actor: Actor, id: string): Promise<McpServerView>;
  getByName(actor: Actor, name: string): Promise<McpServerView>;
  list(actor: Actor, page: PageRequest): Promise<McpServerView[]>;
  /** Only what is given changes; headers and environments replace the whole set. Another address needs its own credentials. */
  update(actor: Actor, id: string, update: McpSettings & { readonly name?: string }): Promise<McpServerView>;
  /** The tools that came from it go with it. */
  delete(actor: Actor, id: string): Promise<void>;
  listTools(actor: Actor, id: string): Promise<Tool[]>;
  getTool(actor: Actor, id: string, toolId: string): Promise<Tool>;
  /** Throws if a server with these settings would be refused. */
  check(settings: McpSettings): void;
}

export function createMcpServerService(runtime: Runtime, access: McpAccess): McpServerService {
  const read = (actor: Actor) => readScope(runtime, actor);
  const check = (settings: McpSettings) => checkConnection(mergeConnection(settings), settings.transport, access);
  return {
    create: async (actor, input) => {
      checkName(input.name);
      check(input);
      return await write(runtime, actor, async (scope) => {
        const server = newServer(scope, actor, input);
        await insertMcpServer(scope, server);
        await encryptMcpSecrets(runtime, scope, actor, server.id, input);
        return await view(scope, server);
      });
    },
    get: async (actor, id) => view(read(actor), await getMcpServer(read(actor), id)),
    getByName: async (actor, name) => view(read(actor), await getMcpServerByName(read(actor), name)),
    list: async (actor, page) => viewAll(read(actor), await listMcpServers(read(actor), page)),
    update: (actor, id, update) =>
      write(runtime, actor, async (scope) => {
        const server = await getMcpServer(scope, id);
        if (update.name !== undefined) checkName(update.name);
        const connection = mergeConnection(update, server);
        checkConnection(connection, update.transport, access);
        await updateMcpServer(scope, id, {
          name: update.name,
          transport: update.transport,
          connection,
          updatedAt: scope.now(),
          updatedBy: actor.userId,
        });
        const { hasToken, headerNames, environmentNames } = await view(scope, server);
        const stored = { hasToken, headerNames, environmentNames };
        const credentials = credentialsAfterMove(server.connection, connection, stored, update);
        await encryptMcpSecrets(runtime, scope, actor, id, credentials);
        return await view(scope, await getMcpServer(scope, id));
      }),
    delete: (actor, id) =>
      write(runtime, actor, async (scope) => {
        await deleteMcpServer(scope, id);
        await deleteSecrets(scope, id);
      }),
    listTools: async (actor, id) => {
      await getMcpServer(read(actor), id);
      return await listMcpTools(read(actor), id);
    },
    getTool: async (actor, id, toolId) => {
      await getMcpServer(read(actor), id);
      return await getMcpTool(read(actor), id, toolId);
    },
    check,
  };
}

function newServer(scope: Scope, actor: Actor, input: McpSettings & { readonly name: string }): McpServer {
  const at = scope.now();
  return {
    id: scope.newId("mcp_server"),
    name: input.name,
    transport: input.transport,
    connection: mergeConnection(input),
    metadata: null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  };
}

function checkName(name: string): void {
  if (name.trim() === "") throw invalidInput("server_name", "an MCP server needs a name");
}

async function view(scope: Scope, server: McpServer): Promise<McpServerView> {
  const [found] = await viewAll(scope, [server]);
  return found ?? { ...server, hasToken: false, headerNames: [], environmentNames: [] };
}

async function viewAll(scope: Scope, servers: readonly McpServer[]): Promise<McpServerView[]> {
  const secrets = await listSecrets(
    scope,
    servers.map(({ id }) => id),
  );
  return servers.map((server) => {
    const names = secrets.filter(({ ownerId }) => ownerId === server.id).map(({ name }) => name);
    const namesOf = (kind: "header" | "environment") =>
      names.filter((name) => isMcpSecret(name, kind)).map((name) => name.slice(kind.length + 1));
    return {
      ...server,
      hasToken: names.includes("token"),
      headerNames: namesOf("header"),
      environmentNames: namesOf("environment"),
    };
  });
}
