/** MCP servers on the wire, in the current form and in the older one. */
import type { mcpTransports } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireLine, wireList, wireName, wireRecord, wireText } from "../shared/fields.ts";
import { queryText } from "../shared/query.ts";

type Texts = Record<string, string>;

interface ProgramFields {
  command: string;
  args: string[];
  env: Texts | null;
}

interface AddressFields {
  server_url: string;
  auth_header: string | null;
  auth_token: string | null;
  custom_headers: Texts | null;
}

const programShape = {
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).nullable(),
};

const addressShape = {
  server_url: z.string(),
  auth_header: z.string().nullable(),
  auth_token: z.string().nullable(),
  custom_headers: z.record(z.string(), z.string()).nullable(),
};

export type McpServerWire = { id: string; server_name: string } & (
  | ({ mcp_server_type: "stdio" } & ProgramFields)
  | ({ mcp_server_type: "sse" | "streamable_http" } & AddressFields)
);

const named = { id: z.string(), server_name: z.string() };

export const McpServerWire: z.ZodType<McpServerWire> = z.discriminatedUnion("mcp_server_type", [
  z.strictObject({ ...named, mcp_server_type: z.literal("stdio"), ...programShape }).meta({ id: "StdioMCPServer" }),
  z.strictObject({ ...named, mcp_server_type: z.literal("sse"), ...addressShape }).meta({ id: "SSEMCPServer" }),
  z
    .strictObject({ ...named, mcp_server_type: z.literal("streamable_http"), ...addressShape })
    .meta({ id: "StreamableHTTPMCPServer" }),
]);

/** What a caller may say about one, in either form. */
export interface McpConfigWire {
  command?: string;
  args?: string[];
  env?: Texts;
  server_url?: string;
  auth_header?: string;
  auth_token?: string;
  custom_headers?: Texts;
}

const maxEntries = 100;
const headerName = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
const isOneLine = (text: string) => !/[\r\n\0]/.test(text);

const Headers = wireRecord(
  wireName.regex(headerName, "Header names hold letters, digits and hyphens"),
  wireLine.refine(isOneLine),
  maxEntries,
);

const Environment = wireRecord(wireName.regex(/^[^=]{1,200}$/, "Names of variables hold no ="), wireText, maxEntries);

const program = {
  command: z.string().min(1).max(4000),
  args: wireList(z.string().max(4000), { max: maxEntries }),
  env: optional(Environment),
};

const address = {
  server_url: z.string().min(1).max(4000),
  auth_header: optional(wireName.regex(headerName, "Header names hold letters, digits and hyphens")),
  auth_token: optional(wireLine.refine(isOneLine, "A token is one line")),
  custom_headers: optional(Headers),
};

/** What must be said of a new one may be null in a change, which leaves it as it is. */
const changedProgram = { ...program, command: optional(program.command), args: optional(program.args) };
const changedAddress = { ...address, server_url: optional(address.server_url) };

export type TypedConfigWire = McpConfigWire & { mcp_server_type: (typeof mcpTransports)[number] };

/** `Sent` fits both a field that a new server needs and one that a change may leave out. */
type Sent<Shape> = { [K in keyof Shape]: Shape[K] extends z.ZodType<infer T> ? z.ZodType<T | undefined> : never };

const typed = (programFields: Sent<typeof program>, addressFields: Sent<typeof address>): z.ZodType<TypedConfigWire> =>
  z.discriminatedUnion("mcp_server_type", [
    z.strictObject({ mcp_server_type: z.literal("stdio"), ...programFields }),
    z.strictObject({ mcp_server_type: z.literal("sse"), ...addressFields }),
    z.strictObject({ mcp_server_type: z.literal("streamable_http"), ...addressFields }),
  ]);

export interface CreateMcpServerWire {
  server_name: string;
  config: TypedConfigWire;
}

export const CreateMcpServerWire: z.ZodType<CreateMcpServerWire> = z
  .strictObject({ server_name: wireName, config: typed(program, address) })
  .meta({ id: "CreateMCPServerRequest" });

export interface UpdateMcpServerWire {
  server_name?: string;
  config: TypedConfigWire;
}

export const UpdateMcpServerWire: z.ZodType<UpdateMcpServerWire> = z
  .strictObject({ server_name: optional(wireName), config: typed(changedProgram, changedAddress) })
  .meta({ id: "UpdateMCPServerRequest" });

/** The older form: one flat object, also in answers. */
export type FlatConfigWire = McpConfigWire & { server_name: string; type: (typeof mcpTransports)[number] };

export type FlatServerWire = { server_name: string } & (
  | ({ type: "stdio" } & ProgramFields)
  | ({ type: "sse" | "streamable_http" } & AddressFields)
);

export const FlatServerWire: z.ZodType<FlatServerWire> = z.discriminatedUnion("type", [
  z.strictObject({ server_name: z.string(), type: z.literal("stdio"), ...programShape }),
  z.strictObject({ server_name: z.string(), type: z.enum(["sse", "streamable_http"]), ...addressShape }),
]);

const flatTyped = z.discriminatedUnion("type", [
  z.object({ server_name: wireName, type: z.literal("stdio"), ...program }),
  z.object({ server_name: wireName, type: z.literal("sse"), ...address }),
  z.object({ server_name: wireName, type: z.literal("streamable_http"), ...address }),
]);

/** Without a type, what is there tells which it is. */
export const FlatConfigWire: z.ZodType<FlatConfigWire> = z.preprocess((value) => {
  if (typeof value !== "object" || value === null || "type" in value) return value;
  return { ...value, type: "command" in value ? "stdio" : "sse" };
}, flatTyped);

export interface FlatUpdateWire extends Omit<McpConfigWire, "command" | "args" | "env"> {
  server_name?: string;
  stdio_config?: Pick<McpConfigWire, "command" | "args" | "env">;
  /** Older spelling of `auth_token`. */
  token?: string;
}

export const FlatUpdateWire: z.ZodType<FlatUpdateWire> = z.strictObject({
  server_name: optional(wireName),
  stdio_config: optional(z.object(program)),
  ...changedAddress,
  token: optional(wireLine.refine(isOneLine, "A token is one line")),
});

export interface McpServerParams {
  mcp_server_id: string;
}

export const McpServerParams: z.ZodType<McpServerParams> = z.object({ mcp_server_id: wireName });

export interface McpToolParams extends McpServerParams {
  tool_id: string;
}

export const McpToolParams: z.ZodType<McpToolParams> = z.object({ mcp_server_id: wireName, tool_id: wireName });

export interface McpNameParams {
  mcp_server_name: string;
}

export const McpNameParams: z.ZodType<McpNameParams> = z.object({ mcp_server_name: wireName });

export const RunToolWire = z.object({ args: optional(WireObject) });

export const AgentQuery = z.object({ agent_id: queryText });
