/** Makes an agent with everything it starts with, inside one transaction. */
import { blockDescriptions, systemPrompts } from "../../memory/prompts.ts";
import { isTimezone } from "../../memory/time.ts";
import type { Runtime } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { AgentKind } from "../../shared/agent-kinds.ts";
import type { CompactionSettings } from "../../shared/compaction-settings.ts";
import { invalidInput, MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { exitTools, kindTraits } from "../../shared/kind-traits.ts";
import type { EmbeddingConfig, ModelConfig, ResponseFormat } from "../../shared/model-config.ts";
import { type ToolPermissions, tidyPermissions } from "../../shared/tool-permissions.ts";
import { distinctRules, type ToolRule } from "../../shared/tool-rules.ts";
import { attachBlocks } from "../../store/agents/agent-blocks.ts";
import { type Agent, insertAgent } from "../../store/agents/agents.ts";
import { getIdentities, type Identity, linkIdentities } from "../../store/agents/identities.ts";
import { addTags, compareBytes, gitMemoryTag, sortedTags } from "../../store/agents/tags.ts";
import { getBlocks } from "../../store/blocks/blocks.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { loadFileLinks } from "../../store/files/file-links.ts";
import { type Folder, getFolders, insertFolder } from "../../store/files/folders.ts";
import { attachTools, getTools, type Tool } from "../../store/tools/tools.ts";
import type { AgentView } from "../agent-view/agent-view.ts";
import { apiCause, createBlocks, type NewBlock, type TaggedBlock, withAllTags } from "../blocks/blocks.ts";
import { type InitialMessage, startConversation } from "../conversations/first-messages.ts";
import { addAgentFolders, fileTools } from "../files/agent-folders.ts";
import {
  builtinEmbedding,
  type EmbeddingRequest,
  type FoundModels,
  fileLimits,
  type ModelRequest,
  resolveCompaction,
  resolveEmbedding,
  resolveModel,
} from "../models/resolve-model.ts";
import { encryptSecrets, type SecretTexts } from "../secrets/encrypt-secrets.ts";
import { findOrRestoreTools } from "../tools/base-tools.ts";
import { randomAgentName } from "./agent-names.ts";

export interface NewAgent extends ModelRequest, EmbeddingRequest {
  readonly name?: string;
  readonly kind?: AgentKind;
  readonly description?: string | null;
  readonly metadata?: JsonObject | null;
  readonly system?: string;
  readonly blocks?: readonly NewBlock[];
  readonly blockIds?: readonly string[];
  /** By name. */
  readonly tools?: readonly string[];
  readonly toolIds?: readonly string[];
  readonly includeBaseTools?: boolean;
  readonly includeMultiAgentTools?: boolean;
  readonly includeBaseToolRules?: boolean;
  readonly toolRules?: readonly ToolRule[];
  readonly toolPermissions?: ToolPermissions;
  readonly tags?: readonly string[];
  readonly identityIds?: readonly string[];
  readonly folderIds?: readonly string[];
  readonly includeDefaultFolder?: boolean;
  readonly secrets?: SecretTexts;
  readonly initialMessages?: readonly InitialMessage[];
  readonly compaction?: Partial<CompactionSettings>;
  readonly responseFormat?: ResponseFormat | null;
  readonly timezone?: string;
  readonly autoclear?: boolean;
  readonly sleeptime?: boolean | null;
  readonly maxFilesOpen?: number;
  readonly fileViewChars?: number;
  readonly hidden?: boolean | null;
  readonly projectId?: string | null;
  readonly templateId?: string | null;
  readonly baseTemplateId?: string | null;
  readonly deploymentId?: string | null;
  readonly entityId?: string | null;
  /** Ask the model for a word first; no agent is made if none comes. */
  readonly checkModel?: boolean;
}

/** Agents with this tag are tools of other agents and stay out of lists. */
export const subagentTag = "role:subagent";

/** Of agents that name none. */
export const defaultKind: AgentKind = "letta_v1_agent";

const noMultiAgentTools =
  "Memoir cannot run the tools by which agents write to each other yet. Leave includeMultiAgentTools out.";

/** The view is put together from what was made, so that creating reads nothing back. */
export async function createAgent(
  runtime: Runtime,
  scope: Scope,
  actor: Actor,
  input: NewAgent,
  found: FoundModels = {},
): Promise<AgentView> {
  const kind = input.kind ?? defaultKind;
  if (kind === "voice_convo_agent" && !input.sleeptime) {
    throw invalidInput("enable_sleeptime", "a voice_convo_agent needs enable_sleeptime: true");
  }
  if (input.includeMultiAgentTools) throw new MemoirError("not-implemented", noMultiAgentTools);
  const model = resolveModel(input, kind, runtime.defaults, found);
  const tools = await resolveTools(scope, actor, kind, input);
  const embedding = resolveEmbedding(input, found);
  const agent = newAgent(scope, actor, { ...input, kind }, { model, embedding, tools });
  await insertAgent(scope, agent);
  await attachTools(
    scope,
    agent.id,
    tools.map(({ id }) => id),
  );
  const blocks = await giveBlocks(scope, actor, agent, input);
  await addTags(scope, "agent", agent.id, input.tags ?? []);
  const folders = await giveFolders(scope, actor, agent, input);
  return {
    agent,
    blocks,
    files: folders.length === 0 ? [] : ((await loadFileLinks(scope, [agent.id])).get(agent.id) ?? []),
    tools,
    tags: sortedTags(input.tags ?? []),
    identities: await giveIdentities(scope, agent.id, input.identityIds ?? []),
    folders,
    secrets: input.secrets ? await encryptSecrets(runtime, scope, actor, agent.id, input.secrets) : [],
    contextMessageIds: await startConversation(scope, actor, agent, {
      blocks,
      isGit: isGitEnabled(input),
      initialMessages: input.initialMessages,
    }),
    group: null,
  };
}

interface Equipment {
  readonly model: ModelConfig;
  readonly embedding: EmbeddingConfig | null;
  readonly tools: readonly Tool[];
}

function newAgent(
  scope: Scope,
  actor: Actor,
  input: NewAgent & { kind: AgentKind },
  { model, embedding, tools }: Equipment,
): Agent {
  const at = scope.now();
  const limits = fileLimits(model.contextWindow);
  const agent: Agent = {
    id: scope.newId("agent"),
    name: input.name ?? randomAgentName(),
    kind: input.kind,
    description: input.description ?? null,
    system: input.system ?? systemPrompts[input.kind],
    metadata: input.metadata ?? null,
    model,
    embedding,
    compaction: resolveCompaction(model, input.compaction),
    responseFormat: input.responseFormat ?? null,
    toolRules: resolveToolRules(input, model, tools),
    toolPermissions: input.toolPermissions ? tidyPermissions(input.toolPermissions) : null,
    timezone: input.timezone ?? "UTC",
    autoclear: kindTraits[input.kind].forcesAutoclear || (input.autoclear ?? false),
    sleeptime: input.sleeptime ?? null,
    hidden: input.tags?.includes(subagentTag) ? true : (input.hidden ?? null),
    maxFilesOpen: input.maxFilesOpen ?? limits.maxFilesOpen,
    fileViewChars: input.fileViewChars ?? limits.fileViewChars,
    lastRunAt: null,
    lastRunMs: null,
    lastStopReason: null,
    projectId: input.projectId ?? null,
    templateId: input.templateId ?? null,
    baseTemplateId: input.baseTemplateId ?? null,
    deploymentId: input.deploymentId ?? null,
    entityId: input.entityId ?? null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  };
  checkAgent(agent);
  return agent;
}

const maxOpenFiles = 1000;

/** The rules every write of an agent keeps. */
export function checkAgent(agent: Pick<Agent, "name" | "timezone" | "maxFilesOpen" | "fileViewChars">): void {
  if (!/^[\p{L}\p{M}\p{N} _'-]+$/u.test(agent.name)) {
    throw invalidInput(
      "name",
      `the agent name "${agent.name}" may hold letters, digits, spaces, and the characters _ - ' only, at least one`,
    );
  }
  if (!isTimezone(agent.timezone)) {
    throw invalidInput("timezone", `timezone "${agent.timezone}" is not known; use a name such as Europe/Paris or UTC`);
  }
  if (agent.maxFilesOpen < 1 || agent.maxFilesOpen > maxOpenFiles) {
    throw new MemoirError(
      "invalid-argument",
      `max_files_open is ${agent.maxFilesOpen}; it must be from 1 to ${maxOpenFiles}`,
      { details: { field: "max_files_open" } },
    );
  }
  if (agent.fileViewChars < 1) {
    throw invalidInput("per_file_view_window_char_limit", "per_file_view_window_char_limit must be at least 1");
  }
}

async function resolveTools(scope: Scope, actor: Actor, kind: AgentKind, input: NewAgent): Promise<Tool[]> {
  const hasFolders = input.includeDefaultFolder || (input.folderIds?.length ?? 0) > 0;
  const names = new Set([...baseToolNames(kind, input), ...(hasFolders ? fileTools : []), ...(input.tools ?? [])]);
  const byName = await findOrRestoreTools(scope, [...names], actor.userId);
  const missing = [...names].filter((name) => !byName.some((tool) => tool.name === name));
  if (missing.length > 0) {
    throw new MemoirError("invalid-argument", `Tools not found by name: ${missing.join(", ")}`, {
      details: { field: "tools" },
    });
  }
  const byId = await getToolsOrRefuse(scope, input.toolIds ?? []);
  const distinct = new Map([...byName, ...byId].map((tool) => [tool.id, tool]));
  return [...distinct.values()].sort((left, right) => compareBytes(left.name, right.name));
}

function baseToolNames(kind: AgentKind, input: NewAgent): readonly string[] {
  return input.includeBaseTools === false ? [] : kindTraits[kind].baseTools;
}

/** Ids that do not exist are the caller's mistake (400), as names are. */
export async function getToolsOrRefuse(scope: Scope, ids: readonly string[]): Promise<Tool[]> {
  try {
    return await getTools(scope, ids);
  } catch (error) {
    if (!(error instanceof MemoirError && error.code === "not-found")) throw error;
    throw new MemoirError("invalid-argument", `Tools not found by id: ${error.details.id}`, {
      details: { field: "tool_ids" },
      cause: error,
    });
  }
}

const baseKinds: ReadonlySet<string> = new Set(["core", "memory", "sleeptime"]);

function resolveToolRules(
  input: NewAgent & { kind: AgentKind },
  model: ModelConfig,
  tools: readonly Tool[],
): ToolRule[] {
  const rules = distinctRules(input.toolRules ?? []);
  const endsOrContinues = new Set(rules.filter(({ type }) => type === "exit" || type === "continue").map(toolOf));
  const add = (rule: ToolRule) => {
    if (!rules.some((other) => other.tool === rule.tool && other.type === rule.type)) rules.push(rule);
  };
  if (wantsBaseRules(input, model)) {
    for (const { name, kind } of tools) {
      // The caller has said what follows a call of this tool.
      if (endsOrContinues.has(name)) continue;
      if (exitTools.has(name)) add({ type: "exit", tool: name });
      else if (baseKinds.has(kind)) add({ type: "continue", tool: name });
    }
  }
  for (const { name, needsApproval } of tools) {
    if (needsApproval) add({ type: "approval", tool: name });
  }
  return rules;
}

const toolOf = ({ tool }: ToolRule): string => tool;

/** These follow tool descriptions well enough without rules. */
const unruledModels = ["claude-4-sonnet", "claude-3-5-sonnet", "gpt-5", "gemini-2.5-pro"];

function wantsBaseRules(input: NewAgent & { kind: AgentKind }, { model }: ModelConfig): boolean {
  if (input.kind === "sleeptime_agent") return input.includeBaseToolRules ?? true;
  if (input.includeBaseToolRules !== undefined) return input.includeBaseToolRules;
  if (!model.includes("mini") && unruledModels.some((name) => model.includes(name))) return false;
  const isPlainChat = input.kind === "letta_v1_agent" && input.includeBaseTools !== false && !input.sleeptime;
  return !isPlainChat || (input.toolRules?.length ?? 0) > 0;
}

async function giveBlocks(scope: Scope, actor: Actor, agent: Agent, input: NewAgent): Promise<TaggedBlock[]> {
  const isGit = isGitEnabled(input);
  const inline = (input.blocks ?? []).map((block) => ({
    ...block,
    description: block.description ?? stockDescription(block.label),
    label: isGit && !block.label.startsWith("system/") ? `system/${block.label}` : block.label,
  }));
  const created = await createBlocks(scope, inline, apiCause(actor));
  const existing = await withAllTags(scope, await getBlocks(scope, [...new Set(input.blockIds)]));
  const blocks = [...created, ...existing];
  await attachBlocks(scope, agent.id, blocks);
  return blocks;
}

function isGitEnabled({ tags }: NewAgent): boolean {
  return tags?.includes(gitMemoryTag) ?? false;
}

function stockDescription(label: string): string | null {
  if (label === "human" || label === "system/human") return blockDescriptions.human;
  if (label === "persona" || label === "system/persona") return blockDescriptions.persona;
  return null;
}

export async function giveIdentities(
  scope: Scope,
  agentId: string,
  identityIds: readonly string[],
): Promise<readonly Identity[]> {
  const identities = await getIdentities(scope, [...new Set(identityIds)]);
  await linkIdentities(
    scope,
    "agent",
    identities.map(({ id }) => ({ ownerId: agentId, identityId: id })),
  );
  return identities.sort((left, right) => left.createdAt - right.createdAt || compareBytes(left.id, right.id));
}

async function giveFolders(scope: Scope, actor: Actor, agent: Agent, input: NewAgent): Promise<readonly Folder[]> {
  const folders = await getFolders(scope, [...new Set(input.folderIds)]);
  if (input.includeDefaultFolder) folders.push(await createDefaultFolder(scope, actor, agent));
  await addAgentFolders(
    scope,
    agent,
    folders.map(({ id }) => id),
  );
  return folders;
}

async function createDefaultFolder(scope: Scope, actor: Actor, agent: Agent): Promise<Folder> {
  const at = scope.now();
  const folder: Folder = {
    id: scope.newId("source"),
    name: `${agent.name} External Data Source`,
    description: null,
    instructions: null,
    metadata: null,
    embedding: agent.embedding ?? builtinEmbedding(),
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  };
  await insertFolder(scope, folder);
  return folder;
}
