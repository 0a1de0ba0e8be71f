/** An agent file made up for tests, with something of everything in it. */
import type { Loose } from "./agent-files.ts";

const makeModel = () => ({
  model: "demo",
  model_endpoint_type: "openai",
  context_window: 32_000,
  handle: "memoir/demo",
});

const message = (number: number, role: string, content: Loose, more = {}) => ({
  type: "message",
  id: `message-${number}`,
  role,
  content,
  created_at: `2026-01-02T03:04:0${number % 10}.123456+00:00`,
  ...more,
});

const envelope = (text: string) =>
  `{\n  "status": "OK",\n  "message": "${text}",\n  "time": "2026-01-02 03:04:02 AM UTC+0000"\n}`;

export function makeFile(): Loose {
  const call = { id: "call-1", type: "function", function: { name: "roll", arguments: '{"sides": 6}' } };
  return {
    agents: [
      {
        id: "agent-0",
        name: "Ada",
        agent_type: "letta_v1_agent",
        system: "Be kind.",
        description: "made up",
        metadata: { k: 1 },
        llm_config: makeModel(),
        embedding_config: {
          embedding_endpoint_type: "openai",
          embedding_model: "text-embedding-3-small",
          embedding_dim: 1536,
        },
        tags: ["a"],
        tool_rules: [{ type: "exit_loop", tool_name: "roll" }],
        tool_ids: ["tool-0", "tool-1"],
        block_ids: ["block-0", "block-1"],
        source_ids: ["source-0"],
        group_ids: ["group-0"],
        tool_exec_environment_variables: { KEY: "" },
        secrets: { KEY: "" },
        timezone: "UTC",
        max_files_open: 5,
        per_file_view_window_char_limit: 15_000,
        messages: [
          message(0, "system", [{ type: "text", text: "an old prompt" }]),
          message(1, "user", "roll a dice"),
          message(2, "assistant", [{ type: "text", text: "rolling" }], { tool_calls: [call] }),
          message(3, "tool", [{ type: "text", text: envelope("six") }], {
            name: "roll",
            tool_call_id: "call-1",
            tool_returns: [{ tool_call_id: "call-1", status: "success", func_response: envelope("six") }],
          }),
          message(4, "assistant", [
            { type: "reasoning", is_native: true, reasoning: "hm" },
            { type: "text", text: "Six." },
          ]),
        ],
        in_context_message_ids: [0, 1, 2, 3, 4].map((number) => `message-${number}`),
        files_agents: [
          {
            id: "file_agent-9c9137af-04a5-4ad5-8977-d294f8c61e85",
            agent_id: "agent-0",
            file_id: "file-0",
            source_id: "source-0",
            file_name: "papers/a.txt",
            is_open: true,
            visible_content: "1: text",
            last_accessed_at: "2026-01-02T03:04:05+00:00",
          },
        ],
      },
      {
        id: "agent-1",
        name: "Bo",
        agent_type: "sleeptime_agent",
        system: "Keep order.",
        llm_config: makeModel(),
        block_ids: ["block-0"],
        messages: [message(5, "system", "hers", { agent_id: "agent-1" })],
        in_context_message_ids: ["message-5"],
      },
    ],
    groups: [
      {
        id: "group-0",
        agent_ids: ["agent-1"],
        description: "a pair",
        manager_config: { manager_type: "sleeptime", manager_agent_id: "agent-0", sleeptime_agent_frequency: 5 },
        shared_block_ids: ["block-0"],
      },
    ],
    blocks: [
      { id: "block-0", label: "human", value: "Name: Ada", limit: 100, metadata: {}, read_only: true },
      { id: "block-1", label: "notes", value: "twelve chars", limit: 5, tags: ["t"] },
      { id: "block-2", label: "spare", value: "held by nobody" },
    ],
    sources: [{ id: "source-0", name: "papers", description: "what was read" }],
    files: [
      { id: "file-0", source_id: "source-0", file_name: "papers/a.txt", file_type: "text/plain", content: "text" },
    ],
    tools: [
      {
        id: "tool-0",
        name: "roll",
        tool_type: "custom",
        source_type: "python",
        source_code: 'def roll(sides: int) -> int:\n    """Roll."""\n    return 6\n',
        json_schema: { name: "roll", parameters: { type: "object", properties: { sides: { type: "integer" } } } },
        tags: ["games"],
      },
      { id: "tool-1", name: "conversation_search", tool_type: "letta_core" },
    ],
    mcp_servers: [
      { id: "mcp_server-0", server_type: "sse", server_name: "far", server_url: "https://mcp.example.com/" },
    ],
    skills: [],
    metadata: { revision_id: "1c28e167b74f" },
    created_at: "2026-01-02T03:04:05+00:00",
  };
}

/** The same kind of agent in the older format: one agent, everything inside it. */
export function makeLegacyFile(): Loose {
  const untimed = (role: string, text: string, more = {}) => ({
    role,
    content: [{ type: "text", text }],
    created_at: "2025-04-01T03:47:12.720714",
    model: "gpt-4o-mini",
    name: null,
    group_id: null,
    tool_calls: [],
    tool_call_id: null,
    ...more,
  });
  const call = { id: "call-1", type: "function", function: { name: "send_message", arguments: '{"message": "Hi."}' } };
  return {
    agent_type: "memgpt_agent",
    name: "Old Ada",
    system: "Be kind.",
    description: null,
    version: "0.6.47",
    created_at: "2025-04-01T03:47:12",
    llm_config: makeModel(),
    embedding_config: {
      embedding_endpoint_type: "openai",
      embedding_model: "text-embedding-3-small",
      embedding_dim: 1536,
    },
    message_buffer_autoclear: false,
    metadata_: { k: 1 },
    multi_agent_group: null,
    tags: [{ tag: "old" }],
    tool_rules: [{ tool_name: "send_message", type: "exit_loop" }],
    core_memory: [
      { label: "human", value: "Name: Ada", limit: 5000, metadata_: {}, is_template: false, template_name: null },
    ],
    tools: [
      { name: "send_message", tool_type: "letta_core", source_type: "python", tags: [], json_schema: {} },
      {
        name: "star",
        tool_type: "external_composio",
        source_type: "python",
        source_code: "def star(): pass",
        tags: [],
      },
    ],
    tool_exec_environment_variables: [{ key: "KEY", value: "", description: null }],
    messages: [
      untimed("user", "long ago"),
      untimed("tool", envelope("None"), { name: "send_message", tool_call_id: "call-1" }),
      untimed("assistant", "a thought", { tool_calls: [call] }),
      untimed("user", "said later"),
      untimed("system", "an old prompt"),
    ],
    in_context_message_indices: [4, 2, 1, 3],
  };
}
