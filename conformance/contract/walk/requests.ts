/**
 * Requests that succeed, by operation, where the least that fits the schema would not. A name in braces stands for an id of
 * things.ts.
 */
import { makeFile } from "../../support/agent-files-made.ts";
import { modelKey } from "../../support/model-server.ts";
import { ask, type Tenant, type Things } from "./things.ts";

export interface WalkRequest {
  readonly query?: string;
  readonly body?: unknown;
  /** Sent as a multipart form in place of a body. */
  readonly form?: { readonly name: string; readonly type: string; readonly text: string };
  /** Which id stands for a name in the path, if not the one of that name. */
  readonly use?: Readonly<Record<string, string>>;
  /** What has to be so before the request can succeed. */
  readonly before?: (things: Things, tenant: Tenant) => Promise<unknown>;
}

const mcpServer = { mcp_server_type: "sse", server_url: "https://mcp.example.com/sse" };
const olderMcpServer = { server_name: "walked", type: "sse", server_url: mcpServer.server_url };
const template = { template_id: "t", base_template_id: "b", deployment_id: "walk", entity_id: "walk" };
const words = { messages: [{ role: "user", content: "!say hello" }] };
const source = 'def roll_dice():\n    """Rolls a dice."""\n    return 6\n';
const textFile = { name: "notes.txt", type: "text/plain", text: "Hello." };
const change = (path: string) => async (things: Things, tenant: Tenant) =>
  ask(tenant, "PATCH", await fill(path, things));
const attachBlock = change("/v1/agents/{agent_id}/core-memory/blocks/attach/{block_id}");
const attachArchive = change("/v1/agents/{agent_id}/archives/attach/{archive_id}");
const attachFolder = async (things: Things, tenant: Tenant) => {
  await things("file_id");
  return await change("/v1/agents/{agent_id}/folders/attach/{folder_id}")(things, tenant);
};
const openFile = async (things: Things, tenant: Tenant) => {
  await attachFolder(things, tenant);
  return await change("/v1/agents/{agent_id}/files/{file_id}/open")(things, tenant);
};
const attachIdentity = change("/v1/agents/{agent_id}/identities/attach/{identity_id}");
const identifyBlock = change("/v1/blocks/{block_id}/identities/attach/{identity_id}");
const mcpTool = { use: { tool_id: "mcp_tool_id" } };
/** The run of things.ts that is under way. */
const busy = { agent_id: "busy_agent_id", conversation_id: "busy_conversation_id", run_id: "busy_run_id" };
const changedMemory = { label: "human", new_string: "walked" };
const openAiWords = { model: "{agent_id}", ...words };
const having = (name: string) => ({ before: (things: Things) => things(name) });

/** Puts ids in the place of their names. */
export async function fill(text: string, things: Things, use: Readonly<Record<string, string>> = {}): Promise<string> {
  let filled = text;
  for (const name of namesIn(text)) filled = filled.replaceAll(`{${name}}`, await things(use[name] ?? name));
  return filled;
}

export function namesIn(text: string): Set<string> {
  return new Set([...text.matchAll(/\{([a-z]\w*)\}/g)].map(([, name = ""]) => name));
}

export const requests: Readonly<Record<string, WalkRequest>> = {
  "GET /v1/_internal_blocks/{block_id}/agents": { before: attachBlock },
  "GET /v1/agents/{agent_id}/archival-memory": having("memory_id"),
  "GET /v1/agents/{agent_id}/files": { before: attachFolder },
  "GET /v1/agents/{agent_id}/folders": { before: attachFolder },
  "GET /v1/agents/{agent_id}/groups": having("group_id"),
  "GET /v1/agents/{agent_id}/sources": { before: attachFolder },
  "GET /v1/archives/{archive_id}/agents": { before: attachArchive },
  "GET /v1/blocks/{block_id}/agents": { before: attachBlock },
  "GET /v1/folders/{folder_id}/agents": { before: attachFolder },
  "GET /v1/folders/{folder_id}/files": having("file_id"),
  "GET /v1/folders/{folder_id}/passages": having("file_id"),
  "GET /v1/identities/{identity_id}/agents": { before: attachIdentity },
  "GET /v1/identities/{identity_id}/blocks": { before: identifyBlock },
  "GET /v1/jobs/": having("job_id"),
  "GET /v1/jobs/active": having("busy_job_id"),
  "GET /v1/memoir/approvals": having("approval_id"),
  "GET /v1/memoir/keys": having("key_id"),
  "GET /v1/providers/": having("provider_id"),
  "GET /v1/runs/active": having("busy_run_id"),
  "GET /v1/sources/{source_id}/agents": { before: attachFolder },
  "GET /v1/sources/{source_id}/files": having("file_id"),
  "GET /v1/sources/{source_id}/passages": having("file_id"),
  "GET /v1/agents/{agent_id}/archival-memory/search": { query: "query=walk" },
  "GET /v1/mcp-servers/{mcp_server_id}/tools/{tool_id}": mcpTool,
  "GET /v1/memoir/blocks/{block_id}/diff": { query: "from=1&to=1" },
  "GET /v1/memoir/openai/models/{model}": { use: { model: "agent_id" } },
  "GET /v1/memoir/steps/{step_id}/diff": { query: "with={step_id}" },
  "POST /v1/agents/": { body: { model: "memoir/demo", name: "Walker" } },
  "POST /v1/agents/import": {
    form: { name: "walk.af", type: "application/json", text: JSON.stringify(makeFile()) },
  },
  "POST /v1/agents/{agent_id}/generate": { body: { prompt: "!say hello" } },
  "POST /v1/agents/{agent_id}/messages": { body: words },
  "POST /v1/agents/{agent_id}/messages/async": { body: words },
  "POST /v1/agents/{agent_id}/messages/cancel": { use: busy },
  "POST /v1/agents/{agent_id}/messages/capture": {
    body: { provider: "openai", model: "m", request_messages: [], response_dict: {} },
  },
  "POST /v1/agents/{agent_id}/messages/preview-raw-payload": { body: words },
  "POST /v1/agents/{agent_id}/messages/stream": { body: words },
  "POST /v1/agents/{agent_id}/tools/{tool_name}/run": { body: { args: changedMemory } },
  "POST /v1/chat/completions": { body: openAiWords },
  "POST /v1/conversations/": { query: "agent_id={agent_id}" },
  "POST /v1/conversations/{conversation_id}/cancel": { use: busy },
  "POST /v1/conversations/{conversation_id}/fork": { query: "agent_id={agent_id}" },
  "POST /v1/conversations/{conversation_id}/messages": { body: { ...words, streaming: false } },
  "POST /v1/conversations/{conversation_id}/messages/preview-raw-payload": { body: words },
  "POST /v1/conversations/{conversation_id}/stream": { use: busy },
  "POST /v1/folders/": { body: { name: "walked" } },
  "POST /v1/folders/{folder_id}/upload": { form: textFile },
  "POST /v1/groups/": { body: { agent_ids: ["{agent_id}"], description: "walked" } },
  "POST /v1/mcp-servers/": { body: { server_name: "walked", config: mcpServer } },
  "POST /v1/mcp-servers/{mcp_server_id}/tools/{tool_id}/run": mcpTool,
  "POST /v1/memoir/agents/{agent_id}/restore-memory": { body: { at: "2100-01-01T00:00:00Z" } },
  "POST /v1/memoir/approvals/{approval_id}/answers": {
    body: { answers: [{ type: "approval", tool_call_id: "{tool_call_id}", approve: true }] },
  },
  "POST /v1/memoir/blocks/restore": { body: { block_ids: ["{block_id}"], at: "2100-01-01T00:00:00Z" } },
  "POST /v1/memoir/blocks/{block_id}/restore": { body: { version: 1 } },
  "POST /v1/memoir/openai/chat/completions": { body: openAiWords },
  "POST /v1/memoir/rest-tools": {
    body: {
      openapi: {
        openapi: "3.1.0",
        info: { title: "walk", version: "1" },
        servers: [{ url: "https://api.example.com" }],
        paths: { "/dice": { get: { operationId: "roll_far_dice", responses: { 200: { description: "a number" } } } } },
      },
    },
  },
  "POST /v1/messages/batches": { body: { requests: [{ agent_id: "{agent_id}", ...words }] } },
  "POST /v1/identities/": { body: { identifier_key: "walked", name: "walked", identity_type: "user" } },
  "POST /v1/providers/": { body: { name: "walked", provider_type: "openai", api_key: "k" } },
  "POST /v1/providers/check": {
    body: { provider_type: "openai", api_key: modelKey, base_url: "{model_server}" },
  },
  "POST /v1/runs/{run_id}/stream": { use: { run_id: "background_run_id" } },
  "POST /v1/sandbox-config/": { body: { config: {} } },
  "POST /v1/sources/": { body: { name: "walked too" } },
  "POST /v1/sources/{source_id}/upload": { form: textFile },
  "POST /v1/tools/": { body: { source_code: source } },
  "POST /v1/tools/generate-schema": { body: { code: source } },
  "POST /v1/tools/mcp/servers/connect": { body: olderMcpServer },
  "POST /v1/tools/mcp/servers/test": { body: olderMcpServer },
  "POST /v1/tools/run": { body: { source_code: source, args: {} } },
  "POST /v1/_internal_templates/agents": { body: { ...template, model: "memoir/demo", name: "Walker" } },
  "POST /v1/_internal_templates/groups": { body: { ...template, agent_ids: ["{agent_id}"], description: "" } },
  "PUT /v1/admin/users/": { body: { id: "{user_id}", name: "walked" } },
  "PATCH /v1/admin/orgs/": { query: "org_id={org_id}", body: { name: "walked" } },
  "DELETE /v1/admin/orgs/": { query: "org_id={org_id}" },
  "DELETE /v1/admin/users/": { query: "user_id={user_id}" },
  "PUT /v1/tools/": { body: { source_code: source } },
  "PUT /v1/tools/mcp/servers": { body: { ...olderMcpServer, server_name: "walked too" } },
  "PATCH /v1/agents/{agent_id}": { body: { name: "Walker" } },
  "PATCH /v1/agents/{agent_id}/archives/detach/{archive_id}": { before: attachArchive },
  "PATCH /v1/agents/{agent_id}/core-memory/blocks/detach/{block_id}": { before: attachBlock },
  "PATCH /v1/agents/{agent_id}/core-memory/blocks/{block_label}": { body: { value: "walked" } },
  "PATCH /v1/_internal_agents/{agent_id}/core-memory/blocks/{block_label}": { body: { value: "walked" } },
  "PATCH /v1/agents/{agent_id}/files/close-all": { before: openFile },
  "PATCH /v1/agents/{agent_id}/files/{file_id}/close": { before: openFile },
  "PATCH /v1/agents/{agent_id}/files/{file_id}/open": { before: attachFolder },
  "PATCH /v1/agents/{agent_id}/folders/detach/{folder_id}": { before: attachFolder },
  "PATCH /v1/agents/{agent_id}/identities/detach/{identity_id}": { before: attachIdentity },
  "PATCH /v1/agents/{agent_id}/sources/detach/{source_id}": { before: attachFolder },
  "PATCH /v1/agents/{agent_id}/tools/approval/{tool_name}": { body: { requires_approval: true } },
  "PATCH /v1/agents/{agent_id}/tools/detach/{tool_id}": {
    before: change("/v1/agents/{agent_id}/tools/attach/{tool_id}"),
  },
  "PATCH /v1/blocks/{block_id}": { body: { value: "walked" } },
  "PATCH /v1/blocks/{block_id}/identities/detach/{identity_id}": {
    before: identifyBlock,
  },
  "PATCH /v1/folders/{folder_id}": { body: { description: "walked" } },
  "PATCH /v1/groups/{group_id}": { body: { description: "walked" } },
  "PATCH /v1/groups/{group_id}/blocks/detach/{block_id}": {
    before: change("/v1/groups/{group_id}/blocks/attach/{block_id}"),
  },
  "PATCH /v1/mcp-servers/{mcp_server_id}": { body: { config: mcpServer } },
  "PATCH /v1/providers/{provider_id}": { body: { api_key: modelKey } },
  "PATCH /v1/sandbox-config/{sandbox_config_id}": { body: { config: {} } },
  "PATCH /v1/sources/{source_id}": { body: { instructions: "walked" } },
  "PATCH /v1/tools/mcp/servers/{mcp_server_name}": { body: { server_url: mcpServer.server_url } },
};

export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

const noMcp: Refusal = { status: 501, reason: "Memoir does not connect to MCP servers yet" };
const noUploads: Refusal = { status: 501, reason: "Memoir does not read uploaded files yet" };
const noEdits: Refusal = { status: 405, reason: "a message is never changed" };

/** Operations that succeed for no request, each with its answer and the reason. */
export const refusals: Readonly<Record<string, Refusal>> = {
  "GET /v1/mcp-servers/connect/{mcp_server_id}": noMcp,
  "GET /v1/tools/mcp/servers/{mcp_server_name}/tools": noMcp,
  "POST /v1/agents/{agent_id}/messages/capture": { status: 501, reason: "Memoir does not take over conversations yet" },
  "POST /v1/folders/{folder_id}/upload": noUploads,
  "POST /v1/mcp-servers/{mcp_server_id}/tools/{tool_id}/run": noMcp,
  "POST /v1/sources/{source_id}/upload": noUploads,
  "POST /v1/tools/generate-tool": { status: 501, reason: "Memoir does not have models write tools yet" },
  "POST /v1/tools/mcp/servers/connect": noMcp,
  "POST /v1/tools/mcp/servers/test": noMcp,
  "POST /v1/tools/mcp/servers/{mcp_server_name}/resync": noMcp,
  "POST /v1/tools/mcp/servers/{mcp_server_name}/tools/{tool_name}/execute": noMcp,
  "POST /v1/tools/mcp/servers/{mcp_server_name}/{mcp_tool_name}": noMcp,
  "POST /v1/voice-beta/{agent_id}/chat/completions": { status: 410, reason: "voice is no longer served" },
  "PATCH /v1/agents/{agent_id}/messages/{message_id}": noEdits,
  "PATCH /v1/groups/{group_id}/messages/{message_id}": noEdits,
  "PATCH /v1/mcp-servers/{mcp_server_id}/refresh": noMcp,
};

/** Said to be a text in the contract; recorded is the file itself. */
const agentFile = { $ref: "#/components/schemas/AgentFileSchema" };

export const answerSchemas: Readonly<Record<string, { readonly $ref: string }>> = {
  "GET /v1/agents/{agent_id}/export": agentFile,
  "POST /v1/agents/{agent_id}/export": agentFile,
};

/** Answers that are an empty list however much there is, each with the reason. */
export const isEmptyAnswer: ReadonlyMap<string, string> = new Map([
  ["GET /v1/groups/{group_id}/messages", "no message belongs to a group while groups do not talk"],
  ["PATCH /v1/agents/{agent_id}/files/{file_id}/open", "lists the files that had to be closed for it"],
]);
