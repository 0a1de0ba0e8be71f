/** How an MCP server is reached, from what a request says and what is stored; and what the operator lets pass. */
import { findAddressFault } from "../../network/private-addresses.ts";
import { invalidInput, MemoirError } from "../../shared/errors.ts";
import type { McpConnection, McpServer, McpTransport } from "../../store/tools/mcp-servers.ts";
import type { McpCredentials } from "./mcp-secrets.ts";

export interface McpAccess {
  /** Whether servers may be programs that are started on this machine. */
  readonly allowsPrograms: boolean;
  /** Hosts inside the network that may be reached. */
  readonly allowedHosts: readonly string[];
}

export interface McpSettings extends McpCredentials {
  readonly transport: McpTransport;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly tokenHeader?: string;
}

/** What is not given stays as it was, as long as the transport is of the same sort. */
export function mergeConnection(input: McpSettings, stored?: McpServer): McpConnection {
  const before = stored?.connection;
  if (input.transport === "stdio") {
    const program = before && "command" in before ? before : undefined;
    const command = input.command ?? program?.command;
    if (!command?.trim()) throw invalidInput("command", "a stdio server needs a command to start");
    return { command, args: input.args ?? program?.args ?? [] };
  }
  const place = before && "url" in before ? before : undefined;
  const url = input.url ?? place?.url;
  if (!url?.trim()) throw invalidInput("server_url", `a ${input.transport} server needs a server_url`);
  return { url: url.trim(), tokenHeader: input.tokenHeader ?? place?.tokenHeader ?? null };
}

export function checkConnection(connection: McpConnection, transport: McpTransport, access: McpAccess): void {
  if ("url" in connection) {
    const fault = findAddressFault(connection.url, access.allowedHosts);
    if (fault) throw invalidInput("server_url", `server_url "${connection.url.slice(0, 200)}" ${fault}`);
    return;
  }
  if (access.allowsPrograms) return;
  throw new MemoirError(
    "invalid-argument",
    `MCP servers of the type ${transport} are programs that run on this machine, which is not allowed here: set ` +
      "MEMOIR_MCP_STDIO=allow, or give the server_url of a server that runs elsewhere",
    { details: { field: "mcp_server_type" } },
  );
}
