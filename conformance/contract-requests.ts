/** Requests for the walk through the contract where the least that fits a schema would make no sense. */

type Ids = Readonly<Record<string, string>>;

/** Operations that are not ours, each with its reason. */
export const notServed: ReadonlyMap<string, string> = new Map();

export const queries: Readonly<Record<string, string>> = {
  "GET /v1/agents/{agent_id}/archival-memory/search": "query=walk",
  "POST /v1/conversations/": "agent_id={agent_id}",
  "POST /v1/conversations/{conversation_id}/fork": "agent_id={agent_id}",
};

const words = { messages: [{ role: "user", content: "hello" }] };

export const bodies: Readonly<Record<string, (ids: Ids) => unknown>> = {
  "POST /v1/agents/": () => ({ model: "memoir/demo" }),
  "PATCH /v1/agents/{agent_id}": () => ({ name: "Walker" }),
  "POST /v1/agents/{agent_id}/messages": () => words,
  "POST /v1/agents/{agent_id}/messages/async": () => words,
  "POST /v1/agents/{agent_id}/messages/preview-raw-payload": () => words,
  "POST /v1/conversations/{conversation_id}/messages": () => ({ ...words, streaming: false }),
  "POST /v1/conversations/{conversation_id}/messages/preview-raw-payload": () => words,
  "PATCH /v1/blocks/{block_id}": () => ({ value: "walked" }),
  "PATCH /v1/agents/{agent_id}/core-memory/blocks/{block_label}": () => ({ value: "walked" }),
};
