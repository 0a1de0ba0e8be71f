/** From an agent file to what core takes in. */
import {
  omitUndefined,
  type PortableAgent,
  type PortableAgents,
  type PortableBlock,
  type PortableFile,
  type PortableFileLink,
  type PortableFolder,
  type PortableGroup,
  type PortableMcpServer,
  type PortableTool,
} from "@memoir/core";
import { fromCompaction, fromEmbeddingConfig, fromLlmConfig, fromModelSettings } from "../models/mapper.ts";
import { fromWireTime } from "../shared/time.ts";
import { fromToolRule, kindOfToolType } from "../tools/mapper.ts";
import { fromToolPermissions } from "../tools/permissions-mapper.ts";
import type { AgentInput, FileLinkInput } from "./agent-schema.ts";
import type {
  AgentFileInput,
  BlockInput,
  FileInput,
  GroupInput,
  ServerInput,
  SourceInput,
  ToolInput,
} from "./file-schema.ts";
import { fromFileMessages } from "./message-mapper.ts";

export function fromAgentFile(file: AgentFileInput): PortableAgents {
  return {
    agents: file.agents.map(fromAgent),
    groups: file.groups.map(fromGroup),
    blocks: file.blocks.map(fromBlock),
    folders: file.sources.map(fromSource),
    files: file.files.map(fromFile),
    tools: file.tools.map(fromTool),
    mcpServers: file.mcp_servers.map(fromServer),
  };
}

function fromAgent(agent: AgentInput): PortableAgent {
  return {
    id: agent.id,
    name: agent.name,
    kind: agent.agent_type ?? "letta_v1_agent",
    description: agent.description ?? null,
    system: agent.system ?? "",
    metadata: agent.metadata ?? null,
    responseFormat: agent.response_format ?? null,
    toolRules: (agent.tool_rules ?? []).map(fromToolRule),
    toolPermissions: agent.tool_permissions ? fromToolPermissions(agent.tool_permissions) : null,
    timezone: agent.timezone ?? "UTC",
    autoclear: agent.message_buffer_autoclear ?? false,
    hidden: agent.hidden ?? null,
    ...omitUndefined({
      model: agent.model,
      modelConfig: agent.llm_config && fromLlmConfig(agent.llm_config),
      modelSettings: agent.model_settings && fromModelSettings(agent.model_settings),
      embedding: agent.embedding,
      embeddingConfig: agent.embedding_config && fromEmbeddingConfig(agent.embedding_config),
    }),
    compaction: agent.compaction_settings ? fromCompaction(agent.compaction_settings) : null,
    sleeptime: agent.enable_sleeptime ?? false,
    maxFilesOpen: agent.max_files_open ?? null,
    fileViewChars: agent.per_file_view_window_char_limit ?? null,
    tags: agent.tags ?? [],
    toolIds: agent.tool_ids ?? [],
    blockIds: agent.block_ids ?? [],
    folderIds: [...new Set([...(agent.source_ids ?? []), ...(agent.folder_ids ?? [])])],
    secrets: { ...agent.tool_exec_environment_variables, ...agent.secrets },
    messages: fromFileMessages(agent.messages ?? []),
    contextIds: agent.in_context_message_ids ?? [],
    fileLinks: (agent.files_agents ?? []).map(fromLink),
  };
}

function fromLink(link: FileLinkInput): PortableFileLink {
  return {
    fileId: link.file_id,
    isOpen: link.is_open ?? true,
    visible: link.visible_content ?? null,
    startLine: link.start_line ?? null,
    endLine: link.end_line ?? null,
    lastAccessedAt: link.last_accessed_at === undefined ? null : fromWireTime(link.last_accessed_at),
  };
}

const defaultLimit = 100_000;

function fromBlock(block: BlockInput): PortableBlock {
  return {
    id: block.id,
    label: block.label,
    value: block.value ?? "",
    charLimit: block.limit ?? defaultLimit,
    description: block.description ?? null,
    metadata: block.metadata ?? {},
    readOnly: block.read_only ?? false,
    hidden: block.hidden ?? null,
    isTemplate: block.is_template ?? false,
    templateName: block.template_name ?? null,
    preserveOnMigration: block.preserve_on_migration ?? false,
    tags: block.tags ?? [],
  };
}

const defaultReturnLimit = 50_000;

function fromTool(tool: ToolInput): PortableTool {
  return {
    id: tool.id,
    name: tool.name,
    kind: kindOfToolType(tool.tool_type ?? "custom"),
    description: tool.description ?? null,
    sourceKind: tool.source_type ?? null,
    source: tool.source_code ?? null,
    jsonSchema: tool.json_schema ?? null,
    argsSchema: tool.args_json_schema ?? null,
    tags: tool.tags ?? [],
    returnCharLimit: tool.return_char_limit ?? defaultReturnLimit,
    pipRequirements: tool.pip_requirements ?? null,
    npmRequirements: tool.npm_requirements ?? null,
    needsApproval: tool.default_requires_approval ?? null,
    isParallel: tool.enable_parallel_execution ?? null,
    metadata: tool.metadata_ ?? null,
    createdBy: null,
    updatedBy: null,
  };
}

function fromSource(source: SourceInput): PortableFolder {
  return {
    id: source.id,
    name: source.name,
    description: source.description ?? null,
    instructions: source.instructions ?? null,
    metadata: source.metadata ?? null,
    embedding: source.embedding_config ? fromEmbeddingConfig(source.embedding_config) : null,
  };
}

function fromFile(file: FileInput): PortableFile {
  return {
    id: file.id,
    folderId: file.source_id,
    name: file.file_name ?? file.original_file_name ?? file.id,
    originalName: file.original_file_name ?? null,
    mediaType: file.file_type ?? null,
    size: file.file_size ?? null,
    status: "pending",
    error: null,
    totalChunks: null,
    chunksEmbedded: null,
    sourceCreatedAt: file.file_creation_date ?? null,
    sourceUpdatedAt: file.file_last_modified_date ?? null,
    content: file.content ?? null,
  };
}

function fromGroup(group: GroupInput): PortableGroup {
  const config = group.manager_config ?? {};
  return {
    id: group.id,
    kind: config.manager_type ?? "round_robin",
    description: group.description,
    managerAgentId: config.manager_agent_id ?? null,
    terminationToken: config.termination_token ?? null,
    maxTurns: config.max_turns ?? null,
    frequency: config.sleeptime_agent_frequency ?? null,
    maxBuffer: config.max_message_buffer_length ?? null,
    minBuffer: config.min_message_buffer_length ?? null,
    hidden: group.hidden ?? null,
    agentIds: group.agent_ids,
    sharedBlockIds: group.shared_block_ids ?? [],
  };
}

function fromServer(server: ServerInput): PortableMcpServer {
  const { command = "", args = [] } = server.stdio_config ?? {};
  return {
    id: server.id,
    name: server.server_name,
    transport: server.server_type,
    connection:
      server.server_type === "stdio" ? { command, args } : { url: server.server_url ?? "", tokenHeader: null },
    metadata: server.metadata_ ?? null,
  };
}
