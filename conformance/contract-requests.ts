/** Requests for the walk through the contract where the least that fits a schema would make no sense. */

type Ids = Readonly<Record<string, string>>;

/** Operations that are not ours, each with its reason. */
export const notServed: ReadonlyMap<string, string> = new Map();

export const queries: Readonly<Record<string, string>> = {
  "GET /v1/agents/{agent_id}/archival-memory/search": "query=walk",
  "POST /v1/conversations/": "agent_id={agent_id}",
  "POST /v1/conversations/{conversation_id}/fork": "agent_id={agent_id}",
};

const mcpServer = { mcp_server_type: "sse", server_url: "https://mcp.example.com/sse" };
const template = { template_id: "t", base_template_id: "b", deployment_id: "walk" };
const words = { messages: [{ role: "user", content: "hello" }] };

export const bodies: Readonly<Record<string, (ids: Ids) => unknown>> = {
  "POST /v1/agents/": () => ({ model: "memoir/demo" }),
  "PATCH /v1/agents/{agent_id}": () => ({ name: "Walker" }),
  "POST /v1/agents/{agent_id}/messages": () => words,
  "POST /v1/agents/{agent_id}/messages/async": () => words,
  "POST /v1/agents/{agent_id}/messages/preview-raw-payload": () => words,
  "POST /v1/conversations/{conversation_id}/messages": () => ({ ...words, streaming: false }),
  "POST /v1/conversations/{conversation_id}/messages/preview-raw-payload": () => words,
  "POST /v1/folders/": () => ({ name: "walked" }),
  "PATCH /v1/folders/{folder_id}": () => ({ description: "walked" }),
  "POST /v1/sources/": () => ({ name: "walked too" }),
  "PATCH /v1/sources/{source_id}": () => ({ instructions: "walked" }),
  "POST /v1/groups/": ({ agent_id }) => ({ agent_ids: [agent_id], description: "walked" }),
  "PATCH /v1/groups/{group_id}": () => ({ description: "walked" }),
  "POST /v1/mcp-servers/": () => ({ server_name: "walked", config: mcpServer }),
  "PATCH /v1/mcp-servers/{mcp_server_id}": () => ({ config: mcpServer }),
  "PUT /v1/tools/mcp/servers": () => ({ server_name: "walked too", type: "sse", server_url: mcpServer.server_url }),
  "PATCH /v1/tools/mcp/servers/{mcp_server_name}": () => ({ server_url: mcpServer.server_url }),
  "POST /v1/_internal_templates/agents": () => ({ ...template, model: "memoir/demo", entity_id: "walk" }),
  "POST /v1/_internal_templates/groups": ({ agent_id }) => ({ ...template, agent_ids: [agent_id], description: "" }),
  "PATCH /v1/blocks/{block_id}": () => ({ value: "walked" }),
  "PATCH /v1/agents/{agent_id}/core-memory/blocks/{block_label}": () => ({ value: "walked" }),
};

/** Said to be a text in the contract; recorded is the file itself. */
const agentFile = { $ref: "#/components/schemas/AgentFileSchema" };

export const answerSchemas: Readonly<Record<string, { readonly $ref: string }>> = {
  "GET /v1/agents/{agent_id}/export": agentFile,
  "POST /v1/agents/{agent_id}/export": agentFile,
};
