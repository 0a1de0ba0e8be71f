/** From what core hands out to an agent file, its ids numbered in the order they are first named. */
import type {
  CompactionSettings,
  PortableAgent,
  PortableAgents,
  PortableBlock,
  PortableFile,
  PortableFolder,
  PortableGroup,
  PortableMcpServer,
  PortableTool,
} from "@memoir/core";
import { toCompactionWire, toEmbeddingConfigWire, toLlmConfigWire } from "../models/mapper.ts";
import { toToolRuleWire, toToolWire } from "../tools/mapper.ts";
import { toToolPermissionsWire } from "../tools/permissions-mapper.ts";
import type { AgentOfFileWire } from "./agent-wire.ts";
import { toFileMessage } from "./message-mapper.ts";
import type {
  BlockOfFileWire,
  FileOfFileWire,
  GroupOfFileWire,
  ManagerWire,
  ServerOfFileWire,
  SourceOfFileWire,
} from "./parts-wire.ts";
import type { AgentFileWire, SkillWire } from "./schema.ts";
import { toFileTime } from "./time.ts";

/** Files name the state of the database they come from: the last one of the old server, which wrote this format. */
const revision = "1c28e167b74f";

export interface FileStamp {
  /** Microseconds. */
  readonly at: number;
  readonly skills: readonly SkillWire[];
}

export function toAgentFile(portable: PortableAgents, { at, skills }: FileStamp): AgentFileWire {
  const number = createNumbering();
  const agents = portable.agents.map((agent) => toAgent(agent, portable, number));
  return {
    agents,
    groups: portable.groups.map((group) => toGroup(group, number)),
    blocks: sortBy(portable.blocks, ({ label }) => label).map((block) => toBlock(block, number)),
    files: portable.files.map((file) => toFile(file, number)),
    sources: portable.folders.map((folder) => toSource(folder, number)),
    tools: sortBy(portable.tools, ({ name }) => name).map((tool) => toTool(tool, number)),
    mcp_servers: portable.mcpServers.map((server) => toServer(server, number)),
    skills: skills.map(({ name, files, source_url }) => ({
      name,
      files: files ?? null,
      source_url: source_url ?? null,
    })),
    metadata: { revision_id: revision },
    created_at: toFileTime(at),
  };
}

type Numbering = (prefix: string, id: string) => string;

function createNumbering(): Numbering {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  return (prefix, id) => {
    const key = `${prefix} ${id}`;
    const numbered = known.get(key);
    if (numbered !== undefined) return numbered;
    const count = counts.get(prefix) ?? 0;
    counts.set(prefix, count + 1);
    known.set(key, `${prefix}-${count}`);
    return `${prefix}-${count}`;
  };
}

function toAgent(agent: PortableAgent, { groups, files }: PortableAgents, number: Numbering): AgentOfFileWire {
  const id = number("agent", agent.id);
  const ids = (prefix: string, input: readonly string[]) => input.map((item) => number(prefix, item));
  const hasSecrets = Object.keys(agent.secrets).length > 0;
  const managed = groups.filter(({ managerAgentId }) => managerAgentId === agent.id);
  return {
    ...neutral,
    id,
    name: agent.name,
    agent_type: agent.kind,
    system: agent.system,
    description: agent.description,
    metadata: agent.metadata,
    tags: [...agent.tags],
    tool_rules: agent.toolRules.map(toToolRuleWire),
    ...(agent.toolPermissions ? { tool_permissions: toToolPermissionsWire(agent.toolPermissions) } : {}),
    llm_config: agent.modelConfig ? toLlmConfigWire(agent.modelConfig) : null,
    embedding_config: agent.embeddingConfig ? toEmbeddingConfigWire(agent.embeddingConfig) : null,
    compaction_settings: agent.compaction ? toCompactionWire(agent.compaction as CompactionSettings) : null,
    message_buffer_autoclear: agent.autoclear,
    response_format: agent.responseFormat as AgentOfFileWire["response_format"],
    timezone: agent.timezone,
    max_files_open: agent.maxFilesOpen,
    per_file_view_window_char_limit: agent.fileViewChars,
    hidden: agent.hidden,
    tool_ids: ids("tool", agent.toolIds),
    block_ids: ids("block", agent.blockIds),
    source_ids: ids("source", agent.folderIds),
    tool_exec_environment_variables: { ...agent.secrets },
    secrets: hasSecrets ? { ...agent.secrets } : null,
    messages: agent.messages.map((message) =>
      toFileMessage(message, { id: number("message", message.id), agentId: id, timezone: agent.timezone }),
    ),
    in_context_message_ids: ids("message", agent.contextIds),
    files_agents: agent.fileLinks.flatMap((link) => {
      const file = files.find((item) => item.id === link.fileId);
      return file ? [toLink(link, file, id, number)] : [];
    }),
    group_ids: managed.map((group) => number("group", group.id)),
  };
}

/** Fields of the request that creates an agent which say nothing here. */
const neutral = {
  memory_blocks: [],
  tools: [],
  initial_message_sequence: null,
  include_base_tools: false as const,
  include_multi_agent_tools: false as const,
  include_base_tool_rules: false as const,
  include_default_source: false as const,
  model: null,
  embedding: null,
  model_settings: null,
  context_window_limit: null,
  embedding_chunk_size: null,
  max_tokens: null,
  max_reasoning_tokens: null,
  enable_reasoner: false as const,
  reasoning: null,
  folder_ids: null,
  from_template: null,
  template: false as const,
  project: null,
  project_id: null,
  template_id: null,
  base_template_id: null,
  identity_ids: null,
  memory_variables: null,
  enable_sleeptime: false as const,
  parallel_tool_calls: null,
};

function toLink(link: PortableAgent["fileLinks"][number], file: PortableFile, agentId: string, number: Numbering) {
  return {
    agent_id: agentId,
    file_id: number("file", file.id),
    source_id: number("source", file.folderId),
    file_name: file.name,
    is_open: link.isOpen,
    visible_content: link.visible,
    last_accessed_at: toFileTime(link.lastAccessedAt),
    start_line: null,
    end_line: null,
    id: link.id ?? `file_agent-${crypto.randomUUID()}`,
  };
}

function toBlock(block: PortableBlock, number: Numbering): BlockOfFileWire {
  return {
    value: block.value,
    limit: block.charLimit,
    project_id: null,
    template_name: block.templateName,
    is_template: block.isTemplate,
    template_id: null,
    base_template_id: null,
    deployment_id: null,
    entity_id: null,
    preserve_on_migration: block.preserveOnMigration,
    label: block.label,
    read_only: block.readOnly,
    description: block.description,
    metadata: block.metadata,
    hidden: block.hidden,
    tags: block.tags.length > 0 ? [...block.tags] : null,
    id: number("block", block.id),
  };
}

function toTool(tool: PortableTool, number: Numbering) {
  return { ...toToolWire({ ...tool, projectId: null, createdAt: 0, updatedAt: 0 }), id: number("tool", tool.id) };
}

function toSource(folder: PortableFolder, number: Numbering): SourceOfFileWire {
  return {
    name: folder.name,
    description: folder.description,
    instructions: folder.instructions,
    metadata: folder.metadata,
    embedding: null,
    embedding_chunk_size: null,
    embedding_config: folder.embedding && toEmbeddingConfigWire(folder.embedding),
    id: number("source", folder.id),
  };
}

function toFile(file: PortableFile, number: Numbering): FileOfFileWire {
  return {
    source_id: number("source", file.folderId),
    file_name: file.name,
    original_file_name: file.originalName,
    file_path: null,
    file_type: file.mediaType,
    file_size: file.size,
    file_creation_date: file.sourceCreatedAt,
    file_last_modified_date: file.sourceUpdatedAt,
    processing_status: file.status,
    error_message: file.error,
    total_chunks: file.totalChunks,
    chunks_embedded: file.chunksEmbedded,
    content: file.content,
    id: number("file", file.id),
  };
}

function toGroup(group: PortableGroup, number: Numbering): GroupOfFileWire {
  return {
    agent_ids: group.agentIds.map((id) => number("agent", id)),
    description: group.description,
    manager_config: toManager(group, number),
    project_id: null,
    shared_block_ids: group.sharedBlockIds.map((id) => number("block", id)),
    hidden: group.hidden,
    id: number("group", group.id),
  };
}

function toManager(group: PortableGroup, number: Numbering): ManagerWire {
  const manager_agent_id = group.managerAgentId === null ? null : number("agent", group.managerAgentId);
  switch (group.kind) {
    case "supervisor":
      return { manager_type: "supervisor", manager_agent_id };
    case "dynamic":
      return {
        manager_type: "dynamic",
        manager_agent_id,
        termination_token: group.terminationToken,
        max_turns: group.maxTurns,
      };
    case "sleeptime":
      return { manager_type: "sleeptime", manager_agent_id, sleeptime_agent_frequency: group.frequency };
    case "voice_sleeptime":
      return {
        manager_type: "voice_sleeptime",
        manager_agent_id,
        max_message_buffer_length: group.maxBuffer,
        min_message_buffer_length: group.minBuffer,
      };
    case "round_robin":
    case "swarm":
      return { manager_type: "round_robin", max_turns: group.maxTurns };
  }
}

function toServer(
  { id, name, transport, connection, metadata }: PortableMcpServer,
  number: Numbering,
): ServerOfFileWire {
  const isProgram = "command" in connection;
  return {
    id: number("mcp_server", id),
    server_type: transport,
    server_name: name,
    server_url: isProgram ? null : connection.url,
    stdio_config: isProgram
      ? { server_name: name, type: "stdio", command: connection.command, args: [...connection.args] }
      : null,
    metadata_: metadata,
  };
}

function sortBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : keyOf(left) > keyOf(right) ? 1 : 0));
}
