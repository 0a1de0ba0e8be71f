/** MCP servers between core and wire. What is sealed shows as stars, and stars that come back mean: as it is. */
import { type McpServerView, type McpSettings, type McpTransport, omitUndefined } from "@memoir/core";
import type {
  FlatConfigWire,
  FlatServerWire,
  FlatUpdateWire,
  McpConfigWire,
  McpServerWire,
  TypedConfigWire,
} from "./schema.ts";

const stars = "********";

export function toMcpServerWire(server: McpServerView): McpServerWire {
  const { id, name: server_name, transport } = server;
  if (transport === "stdio") return { id, server_name, mcp_server_type: transport, ...toProgram(server) };
  return { id, server_name, mcp_server_type: transport, ...toAddress(server) };
}

export function toFlatServerWire(server: McpServerView): FlatServerWire {
  const { name: server_name, transport } = server;
  if (transport === "stdio") return { server_name, type: transport, ...toProgram(server) };
  return { server_name, type: transport, ...toAddress(server) };
}

function toProgram({ connection, environmentNames }: McpServerView) {
  const { command, args } = "command" in connection ? connection : { command: "", args: [] };
  return { command, args: [...args], env: toStars(environmentNames) };
}

function toAddress({ connection, hasToken, headerNames }: McpServerView) {
  const { url, tokenHeader } = "url" in connection ? connection : { url: "", tokenHeader: null };
  return {
    server_url: url,
    auth_header: tokenHeader,
    auth_token: hasToken ? stars : null,
    custom_headers: toStars(headerNames),
  };
}

function toStars(names: readonly string[]): Record<string, string> | null {
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, stars]));
}

export function fromTypedConfig(wire: TypedConfigWire): McpSettings {
  return fromConfig(wire, wire.mcp_server_type);
}

export function fromFlatConfig(wire: FlatConfigWire): McpSettings {
  return fromConfig(wire, wire.type);
}

/** The transport is that of the stored server: this form cannot name one. */
export function fromFlatUpdate(wire: FlatUpdateWire, transport: McpTransport): McpSettings {
  const { stdio_config: program, token, ...address } = wire;
  const config = { ...address, auth_token: address.auth_token ?? token, ...program };
  return fromConfig(config, transport);
}

function fromConfig(wire: McpConfigWire, transport: McpTransport): McpSettings {
  return {
    transport,
    ...omitUndefined({
      command: wire.command,
      args: wire.args,
      url: wire.server_url,
      tokenHeader: wire.auth_header,
      token: wire.auth_token === stars ? undefined : wire.auth_token,
      headers: wire.custom_headers && fromStars(wire.custom_headers),
      environment: wire.env && fromStars(wire.env),
    }),
  };
}

function fromStars(texts: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text === stars ? null : text]));
}
