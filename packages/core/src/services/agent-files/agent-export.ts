/** Reads an agent with all it holds, and the agents of its group, into something that can leave the database. */
import { withImageData } from "../../memory/images.ts";
import type { Runtime } from "../../runtime.ts";
import { notFound } from "../../shared/errors.ts";
import { getAgents } from "../../store/agents/agents.ts";
import { type Group, loadManagedGroups } from "../../store/agents/groups.ts";
import { findFiles, listLinks, listServersOfTools } from "../../store/agents/portable-rows.ts";
import { listContextRows } from "../../store/conversations/context-rows.ts";
import {
  type Conversation,
  getDefaultConversation,
  getLiveConversation,
} from "../../store/conversations/conversations.ts";
import { findMessage, type Message } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { FileLink } from "../../store/files/file-links.ts";
import { loadFileTexts } from "../../store/files/files.ts";
import type { Folder } from "../../store/files/folders.ts";
import type { McpServer } from "../../store/tools/mcp-servers.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { type AgentView, allRelations, viewAgents } from "../agent-view/agent-view.ts";
import type { TaggedBlock } from "../blocks/blocks.ts";
import { resolveCompaction } from "../models/resolve-model.ts";
import type {
  ExportOptions,
  PortableAgent,
  PortableAgents,
  PortableBlock,
  PortableFile,
  PortableFileLink,
  PortableFolder,
  PortableGroup,
  PortableMcpServer,
  PortableMessage,
  PortableTool,
} from "./agent-file-format.ts";

export async function exportAgent(
  runtime: Runtime,
  scope: Scope,
  agentId: string,
  options: ExportOptions,
): Promise<PortableAgents> {
  const { views, groups } = await findTogether(runtime, scope, agentId);
  const agents: PortableAgent[] = [];
  for (const view of views) agents.push(await toPortable(scope, view, view.agent.id === agentId ? options : {}));
  const linked = agents.flatMap(({ fileLinks }) => fileLinks.map(({ fileId }) => fileId));
  const tools = byId(views.flatMap((view) => view.tools));
  return {
    agents: options.withoutMessages ? agents.map(withoutMessages) : agents,
    groups: groups.map(toGroup),
    blocks: byId(views.flatMap((view) => view.blocks)).map(toBlock),
    folders: byId(views.flatMap((view) => view.folders)).map(toFolder),
    files: await loadFiles(scope, linked),
    tools: tools.map(toTool),
    mcpServers: (
      await listServersOfTools(
        scope,
        tools.map(({ id }) => id),
      )
    ).map(toServer),
  };
}

/** The agent, the members of the group it manages, and theirs. */
async function findTogether(
  runtime: Runtime,
  scope: Scope,
  agentId: string,
): Promise<{ views: AgentView[]; groups: Group[] }> {
  const views: AgentView[] = [];
  const groups: Group[] = [];
  const seen = new Set([agentId]);
  for (let next: readonly string[] = [agentId]; next.length > 0; ) {
    views.push(...(await viewAgents(runtime, scope, await getAgents(scope, next), allRelations)));
    const managed = await loadManagedGroups(scope, next);
    const found = next.flatMap((id) => managed.get(id) ?? []);
    groups.push(...found);
    next = [...new Set(found.flatMap(({ agentIds }) => agentIds))].filter((id) => !seen.has(id));
    for (const id of next) seen.add(id);
  }
  return { views, groups };
}

async function toPortable(
  scope: Scope,
  view: AgentView,
  { conversationId, withoutMessages: isScrubbed }: ExportOptions,
): Promise<PortableAgent> {
  const { agent } = view;
  const conversation = await findConversation(scope, agent.id, conversationId);
  const messages = isScrubbed ? [] : await listContext(scope, conversation);
  return {
    id: agent.id,
    name: agent.name,
    kind: agent.kind,
    description: agent.description,
    system: agent.system,
    metadata: agent.metadata,
    responseFormat: agent.responseFormat,
    toolRules: agent.toolRules,
    toolPermissions: agent.toolPermissions,
    timezone: agent.timezone,
    autoclear: agent.autoclear,
    hidden: agent.hidden,
    modelConfig: agent.model,
    ...(agent.embedding ? { embeddingConfig: agent.embedding } : {}),
    compaction: isSame(agent.compaction, resolveCompaction(agent.model)) ? null : agent.compaction,
    sleeptime: false,
    maxFilesOpen: agent.maxFilesOpen,
    fileViewChars: agent.fileViewChars,
    tags: view.tags,
    toolIds: view.tools.map(({ id }) => id),
    blockIds: view.blocks.map(({ id }) => id),
    folderIds: view.folders.map(({ id }) => id),
    secrets: Object.fromEntries(view.secrets.map(({ name }) => [name, ""])),
    messages: messages.map(toMessage),
    contextIds: messages.map(({ id }) => id),
    fileLinks: (await listLinks(scope, agent.id)).map(toLink),
  };
}

const withoutMessages = (agent: PortableAgent): PortableAgent => ({ ...agent, messages: [], contextIds: [] });

const isSame = (left: object, right: object): boolean => JSON.stringify(left) === JSON.stringify(right);

async function findConversation(scope: Scope, agentId: string, id: string | undefined): Promise<Conversation> {
  if (id === undefined) return await getDefaultConversation(scope, agentId);
  const conversation = await getLiveConversation(scope, id);
  if (conversation.agentId !== agentId) throw notFound("conversation", id);
  return conversation;
}

/** What the model sees, as it is stored. */
async function listContext(scope: Scope, conversation: Conversation): Promise<Message[]> {
  const heads: Message[] = [];
  for (const id of [conversation.systemMessageId, conversation.summaryMessageId]) {
    const message = id === null ? undefined : await findMessage(scope, id);
    if (message) heads.push(message);
  }
  const rows = await listContextRows(scope, conversation);
  return await withImageData(scope, [...heads, ...rows.map(({ message }) => message)]);
}

function toMessage(message: Message): PortableMessage {
  return {
    id: message.id,
    role: message.role,
    content: message.content,
    toolCalls: message.toolCalls,
    toolReturns: message.toolReturns,
    toolCallId: message.toolCallId,
    approvals: message.approvals,
    name: message.name,
    model: message.model,
    groupId: null,
    createdAt: message.createdAt,
  };
}

function toLink(link: FileLink): PortableFileLink {
  return {
    id: link.id,
    fileId: link.fileId,
    isOpen: link.isOpen,
    visible: link.visible,
    startLine: link.startLine,
    endLine: link.endLine,
    lastAccessedAt: link.lastAccessedAt,
  };
}

function toBlock(block: TaggedBlock): PortableBlock {
  return {
    id: block.id,
    label: block.label,
    value: block.value,
    charLimit: block.charLimit,
    description: block.description,
    metadata: block.metadata,
    readOnly: block.readOnly,
    hidden: block.hidden,
    isTemplate: block.isTemplate,
    templateName: block.templateName,
    preserveOnMigration: block.preserveOnMigration,
    tags: block.tags,
  };
}

function toTool({ createdAt: _, updatedAt: __, projectId: ___, ...tool }: Tool): PortableTool {
  return tool;
}

function toGroup(group: Group): PortableGroup {
  return {
    id: group.id,
    kind: group.kind,
    description: group.description,
    managerAgentId: group.managerAgentId,
    terminationToken: group.terminationToken,
    maxTurns: group.maxTurns,
    frequency: group.frequency,
    maxBuffer: group.maxBuffer,
    minBuffer: group.minBuffer,
    hidden: group.hidden,
    agentIds: group.agentIds,
    sharedBlockIds: group.sharedBlockIds,
  };
}

function toFolder(folder: Folder): PortableFolder {
  return {
    id: folder.id,
    name: folder.name,
    description: folder.description,
    instructions: folder.instructions,
    metadata: folder.metadata,
    embedding: folder.embedding,
  };
}

async function loadFiles(scope: Scope, ids: readonly string[]): Promise<PortableFile[]> {
  const files = await findFiles(scope, ids);
  const texts = await loadFileTexts(
    scope,
    files.map(({ id }) => id),
  );
  return files.map((file) => ({
    id: file.id,
    folderId: file.folderId,
    name: file.name,
    originalName: file.originalName,
    mediaType: file.mediaType,
    size: file.size,
    status: file.status,
    error: file.error,
    totalChunks: file.totalChunks,
    chunksEmbedded: file.chunksEmbedded,
    sourceCreatedAt: file.sourceCreatedAt,
    sourceUpdatedAt: file.sourceUpdatedAt,
    content: texts.get(file.id) ?? null,
  }));
}

/** What it is told in confidence stays here. */
function toServer({ id, name, transport, connection, metadata }: McpServer): PortableMcpServer {
  return { id, name, transport, connection, metadata };
}

function byId<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
