/**
 * Agents with everything they hold, cut loose from a database: what an agent file says, in our own names. Ids are those of
 * the place it comes from and only tie its parts together; whoever takes it in gives new ones.
 */
import type { CompactionSettings } from "../../shared/compaction-settings.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import type { Agent } from "../../store/agents/agents.ts";
import type { Group } from "../../store/agents/groups.ts";
import type { Message } from "../../store/conversations/messages.ts";
import type { McpServer } from "../../store/tools/mcp-servers.ts";
import type { Tool } from "../../store/tools/tools.ts";
import type { TaggedBlock } from "../blocks/blocks.ts";
import type { EmbeddingRequest, ModelRequest } from "../models/resolve-model.ts";

export interface PortableAgents {
  readonly agents: readonly PortableAgent[];
  readonly groups: readonly PortableGroup[];
  readonly blocks: readonly PortableBlock[];
  readonly folders: readonly PortableFolder[];
  readonly files: readonly PortableFile[];
  readonly tools: readonly PortableTool[];
  readonly mcpServers: readonly PortableMcpServer[];
}

type AgentSettings = Pick<
  Agent,
  | "id"
  | "name"
  | "kind"
  | "description"
  | "system"
  | "metadata"
  | "responseFormat"
  | "toolRules"
  | "toolPermissions"
  | "timezone"
  | "autoclear"
  | "hidden"
>;

export interface PortableAgent
  extends AgentSettings,
    Pick<ModelRequest, "model" | "modelConfig" | "modelSettings">,
    Pick<EmbeddingRequest, "embedding" | "embeddingConfig"> {
  /** Null: the usual settings of its model. */
  readonly compaction: Partial<CompactionSettings> | null;
  /** A companion is wanted that is not among these agents. */
  readonly sleeptime: boolean;
  /** Null: by the size of the model's window. */
  readonly maxFilesOpen: number | null;
  readonly fileViewChars: number | null;
  readonly tags: readonly string[];
  readonly toolIds: readonly string[];
  readonly blockIds: readonly string[];
  readonly folderIds: readonly string[];
  /** The values of an agent that goes out are empty. */
  readonly secrets: Readonly<Record<string, string>>;
  /** In the order they were said. */
  readonly messages: readonly PortableMessage[];
  /** What the model is to see, in order, the system message first. */
  readonly contextIds: readonly string[];
  readonly fileLinks: readonly PortableFileLink[];
}

export type PortableMessage = Pick<
  Message,
  "id" | "role" | "content" | "toolCalls" | "toolReturns" | "toolCallId" | "approvals" | "name" | "model" | "groupId"
> & { readonly createdAt: number | null };

export interface PortableFileLink {
  readonly id?: string;
  readonly fileId: string;
  readonly isOpen: boolean;
  readonly visible: string | null;
  readonly startLine: number | null;
  readonly endLine: number | null;
  readonly lastAccessedAt: number | null;
}

export type PortableBlock = Pick<
  TaggedBlock,
  | "id"
  | "label"
  | "value"
  | "charLimit"
  | "description"
  | "metadata"
  | "readOnly"
  | "hidden"
  | "isTemplate"
  | "templateName"
  | "preserveOnMigration"
  | "tags"
>;

export type PortableTool = Omit<Tool, "createdAt" | "updatedAt" | "projectId">;

export interface PortableFolder {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly metadata: JsonObject | null;
  /** Null: the built-in embedder. */
  readonly embedding: EmbeddingConfig | null;
}

export interface PortableFile {
  readonly id: string;
  readonly folderId: string;
  readonly name: string;
  readonly originalName: string | null;
  readonly mediaType: string | null;
  readonly size: number | null;
  readonly status: string;
  readonly error: string | null;
  readonly totalChunks: number | null;
  readonly chunksEmbedded: number | null;
  readonly sourceCreatedAt: string | null;
  readonly sourceUpdatedAt: string | null;
  readonly content: string | null;
}

export type PortableGroup = Pick<
  Group,
  | "id"
  | "kind"
  | "description"
  | "managerAgentId"
  | "terminationToken"
  | "maxTurns"
  | "frequency"
  | "maxBuffer"
  | "minBuffer"
  | "hidden"
  | "agentIds"
  | "sharedBlockIds"
>;

/** Without anything secret: no token, no headers, no environment. */
export type PortableMcpServer = Pick<McpServer, "id" | "name" | "transport" | "connection" | "metadata">;

export interface ExportOptions {
  /** Whose messages go along, in place of the default conversation's. */
  readonly conversationId?: string;
  readonly withoutMessages?: boolean;
}

export interface ImportOptions {
  /** Tools of one's own that exist by the same name take over what is imported (true), or stay as they are. */
  readonly overrideTools?: boolean;
  /** Added to the name of each agent. */
  readonly nameSuffix?: string;
  /** The name of every agent, in place of its own; no suffix is added. */
  readonly name?: string;
  /** Handles, in place of what the agents and folders come with. */
  readonly model?: string;
  readonly embedding?: string;
  /** Values for the secrets that the agents list by name; others are not for them. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly projectId?: string;
  /** Only the system message comes along. */
  readonly withoutMessages?: boolean;
}

export interface ImportResult {
  /** In the order given. */
  readonly agentIds: readonly string[];
  /** What is not as it was given, in plain words. */
  readonly notes: readonly string[];
}
