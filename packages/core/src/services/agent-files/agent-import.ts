/** Takes agents in from elsewhere, with everything they hold, in one transaction: all of it or nothing. */
import { countCharacters } from "../../memory/block-rules.ts";
import type { Runtime } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { kindTraits } from "../../shared/kind-traits.ts";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import { distinctRules } from "../../shared/tool-rules.ts";
import { attachBlocks } from "../../store/agents/agent-blocks.ts";
import { type Agent, getAgent, insertAgent } from "../../store/agents/agents.ts";
import { insertLinks } from "../../store/agents/portable-rows.ts";
import { addTags } from "../../store/agents/tags.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { attachFolders } from "../../store/files/folders.ts";
import { attachTools, listAgentTools } from "../../store/tools/tools.ts";
import type { Executors } from "../../tools/tool.ts";
import { pairWithCompanion } from "../agents/agent-companion.ts";
import { checkAgent, subagentTag } from "../agents/agent-create.ts";
import { listNotices } from "../agents/agent-notices.ts";
import { createBlocks } from "../blocks/blocks.ts";
import type { McpAccess } from "../mcp/mcp-connection.ts";
import {
  type FoundModels,
  fileLimits,
  findModels,
  type ModelSources,
  resolveCompaction,
  resolveEmbedding,
  resolveModel,
  withDefaultHandles,
} from "../models/resolve-model.ts";
import { encryptSecrets } from "../secrets/encrypt-secrets.ts";
import type {
  ImportOptions,
  ImportResult,
  PortableAgent,
  PortableAgents,
  PortableBlock,
  PortableFileLink,
} from "./agent-file-format.ts";
import { importFolders } from "./import-folders.ts";
import { importGroup, lookUp } from "./import-groups.ts";
import { importMessages } from "./import-messages.ts";
import { importServers, importTools } from "./import-tools.ts";

/** What has to be known before a transaction begins. */
export interface ImportPlan {
  readonly portable: PortableAgents;
  readonly options: ImportOptions;
  /** By agent. */
  readonly found: ReadonlyMap<string, FoundModels>;
  readonly embedding: EmbeddingConfig | undefined;
  readonly access: McpAccess;
  readonly executors: Executors;
}

export async function prepareImport(
  runtime: Runtime,
  { access, executors, ...sources }: ModelSources & Pick<ImportPlan, "access" | "executors">,
  actor: Actor,
  portable: PortableAgents,
  options: ImportOptions,
): Promise<ImportPlan> {
  const agents = portable.agents.map((agent) => overrideModels(agent, options));
  const found = new Map<string, FoundModels>();
  for (const agent of agents) {
    found.set(agent.id, await findModels(sources, actor, withDefaultHandles(agent, runtime.defaults)));
  }
  const embedding = options.embedding ? await sources.models.resolveEmbedding(actor, options.embedding) : undefined;
  return { portable: { ...portable, agents }, options, found, embedding, access, executors };
}

function overrideModels(agent: PortableAgent, { model, embedding }: ImportOptions): PortableAgent {
  return {
    ...agent,
    ...(model ? { model, modelConfig: undefined, modelSettings: undefined } : {}),
    ...(embedding ? { embedding, embeddingConfig: undefined } : {}),
  };
}

/** What was given under an id, and which row stands for it now. */
type Rows = ReadonlyMap<string, string>;

interface Imported {
  readonly blocks: ReadonlyMap<string, { readonly id: string; readonly label: string }>;
  readonly tools: Rows;
  readonly folders: Rows;
  readonly files: Rows;
}

export async function importAgents(
  runtime: Runtime,
  scope: Scope,
  actor: Actor,
  plan: ImportPlan,
): Promise<ImportResult> {
  const { portable, options, embedding, access } = plan;
  const notes: string[] = [];
  const servers = await importServers(scope, actor, portable.mcpServers, { access, notes });
  const imported: Imported = {
    tools: await importTools(scope, actor, portable.tools, { options, servers, notes }),
    blocks: await importBlocks(scope, actor, portable.blocks, notes),
    ...(await importFolders(scope, actor, portable, { embedding, notes })),
  };
  const agents = new Map<string, Agent>();
  for (const input of portable.agents) {
    agents.set(input.id, await importAgent(runtime, scope, actor, plan, input, imported));
  }
  const groups = new Map<string, string>();
  for (const group of portable.groups) {
    groups.set(
      group.id,
      await importGroup(scope, actor, group, { agents, blocks: imported.blocks, projectId: options.projectId }),
    );
  }
  for (const input of portable.agents) {
    const agent = lookUp(agents, input.id, "the import");
    await importMessages(scope, actor, agent, options.withoutMessages ? keepSystemOnly(input) : input, groups);
    const isManager = portable.groups.some(({ managerAgentId }) => managerAgentId === input.id);
    if (input.sleeptime && !isManager) await pairWithCompanion(runtime, scope, actor, agent);
    notes.push(...(await listAgentNotes(scope, agent.id, plan.executors)));
  }
  return { agentIds: [...agents.values()].map(({ id }) => id), notes };
}

/** Reads the agent again, because a group that is imported with it may have given it a partner. */
async function listAgentNotes(scope: Scope, id: string, executors: Executors): Promise<string[]> {
  const agent = await getAgent(scope, id);
  const notices = listNotices({ agent, tools: await listAgentTools(scope, id) }, executors);
  return notices.map((notice) => `agent "${agent.name}": ${notice}`);
}

function keepSystemOnly(input: PortableAgent): PortableAgent {
  const first = input.messages.find(({ id }) => id === input.contextIds[0]);
  const system = first?.role === "system" ? first : input.messages.find(({ role }) => role === "system");
  return { ...input, messages: system ? [system] : [], contextIds: system ? [system.id] : [] };
}

/** A text that is longer than its limit is kept, and the limit raised: nothing of it may be lost. */
async function importBlocks(
  scope: Scope,
  actor: Actor,
  blocks: readonly PortableBlock[],
  notes: string[],
): Promise<Imported["blocks"]> {
  const fitted = blocks.map(({ id: _, ...block }) => {
    const length = countCharacters(block.value);
    if (length <= block.charLimit) return block;
    notes.push(`block "${block.label}" has ${length} characters: its limit was raised from ${block.charLimit}`);
    return { ...block, charLimit: length };
  });
  const created = await createBlocks(scope, fitted, { kind: "import", userId: actor.userId });
  return new Map(created.flatMap((block, index) => (blocks[index] ? [[blocks[index].id, block]] : [])));
}

async function importAgent(
  runtime: Runtime,
  scope: Scope,
  actor: Actor,
  { options, found }: ImportPlan,
  input: PortableAgent,
  imported: Imported,
): Promise<Agent> {
  const where = `agent "${input.name}"`;
  const agent = newAgent(runtime, scope, actor, input, options, found.get(input.id) ?? {});
  await insertAgent(scope, agent);
  await attachTools(
    scope,
    agent.id,
    input.toolIds.map((id) => lookUp(imported.tools, id, where)),
  );
  await attachBlocks(
    scope,
    agent.id,
    input.blockIds.map((id) => lookUp(imported.blocks, id, where)),
  );
  // A folder without files may be named and not be there: older exports leave it out.
  await attachFolders(
    scope,
    agent.id,
    input.folderIds.flatMap((id) => imported.folders.get(id) ?? []),
  );
  await addTags(scope, "agent", agent.id, input.tags);
  await encryptSecrets(runtime, scope, actor, agent.id, fillSecrets(input.secrets, options.secrets));
  await insertLinks(scope, toLinks(agent, input.fileLinks, imported.files));
  return agent;
}

function newAgent(
  runtime: Runtime,
  scope: Scope,
  actor: Actor,
  input: PortableAgent,
  options: ImportOptions,
  found: FoundModels,
): Agent {
  const at = scope.now();
  const model = resolveModel(input, input.kind, runtime.defaults, found);
  const limits = fileLimits(model.contextWindow);
  const agent: Agent = {
    id: scope.newId("agent"),
    name: options.name ?? `${input.name}${options.nameSuffix ?? ""}`,
    kind: input.kind,
    description: input.description,
    system: input.system,
    metadata: input.metadata,
    model,
    embedding: resolveEmbedding(input, found),
    compaction: resolveCompaction(model, input.compaction ?? {}),
    responseFormat: input.responseFormat,
    toolRules: distinctRules(input.toolRules),
    toolPermissions: input.toolPermissions,
    timezone: input.timezone,
    autoclear: kindTraits[input.kind].forcesAutoclear || input.autoclear,
    sleeptime: input.sleeptime || null,
    hidden: input.tags.includes(subagentTag) ? true : input.hidden,
    maxFilesOpen: input.maxFilesOpen ?? limits.maxFilesOpen,
    fileViewChars: input.fileViewChars ?? limits.fileViewChars,
    lastRunAt: null,
    lastRunMs: null,
    lastStopReason: null,
    projectId: options.projectId ?? null,
    templateId: null,
    baseTemplateId: null,
    deploymentId: null,
    entityId: null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  };
  checkAgent(agent);
  return agent;
}

function fillSecrets(
  listed: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(listed).map(([name, value]) => [name, Object.hasOwn(values, name) ? (values[name] ?? "") : value]),
  );
}

/** At most so many are open as the agent may have; the most recently used stay so. */
function toLinks(agent: Agent, links: readonly PortableFileLink[], files: Rows) {
  const open = links
    .filter(({ isOpen }) => isOpen)
    .sort((left, right) => (right.lastAccessedAt ?? 0) - (left.lastAccessedAt ?? 0));
  const kept = new Set(open.slice(0, agent.maxFilesOpen));
  return links.map((link) => ({
    agentId: agent.id,
    fileId: lookUp(files, link.fileId, `agent "${agent.name}"`),
    isOpen: kept.has(link),
    visible: link.isOpen && !kept.has(link) ? null : link.visible,
    startLine: link.startLine,
    endLine: link.endLine,
    lastAccessedAt: link.lastAccessedAt,
  }));
}
