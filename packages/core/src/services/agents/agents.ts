/** What callers can do with agents. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { AgentKind } from "../../shared/agent-kinds.ts";
import type { CompactionSettings } from "../../shared/compaction-settings.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { ResponseFormat } from "../../shared/model-config.ts";
import { type ToolPermissions, tidyPermissions } from "../../shared/tool-permissions.ts";
import { distinctRules, type ToolRule } from "../../shared/tool-rules.ts";
import { deleteSecrets } from "../../store/access/secrets.ts";
import { attachBlocks, detachAllBlocks, detachBlock } from "../../store/agents/agent-blocks.ts";
import {
  type Agent,
  type AgentFilter,
  type AgentOrder,
  countAgents,
  deleteAgent,
  getAgent,
  listAgents,
  loadAgentKinds,
  lockAgent,
  updateAgent,
} from "../../store/agents/agents.ts";
import { listCompanionIds } from "../../store/agents/groups.ts";
import { getIdentity, linkIdentities, unlinkIdentities } from "../../store/agents/identities.ts";
import { replaceTags } from "../../store/agents/tags.ts";
import { getBlock, getBlocks } from "../../store/blocks/blocks.ts";
import { deleteIsolatedBlocks } from "../../store/blocks/conversation-blocks.ts";
import { isReferenceViolation } from "../../store/engine/constraint-errors.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { getFolders } from "../../store/files/folders.ts";
import type { Executors } from "../../tools/tool.ts";
import { type AgentRelation, type AgentView, allRelations, viewAgent, viewAgents } from "../agent-view/agent-view.ts";
import { replaceContext } from "../conversations/set-context.ts";
import { replaceAgentFolders } from "../files/agent-folders.ts";
import {
  type EmbeddingRequest,
  type FoundModels,
  findModels,
  type ModelRequest,
  type ModelSources,
  resolveEmbedding,
  resolveModel,
  updateCompaction,
  withDefaultHandles,
} from "../models/resolve-model.ts";
import { encryptSecrets, type SecretTexts } from "../secrets/encrypt-secrets.ts";
import { dissolvePairs, pairWithCompanion } from "./agent-companion.ts";
import {
  checkAgent,
  createAgent,
  defaultKind,
  getToolsOrRefuse,
  giveIdentities,
  type NewAgent,
} from "./agent-create.ts";
import { listNotices } from "./agent-notices.ts";
import { replaceAgentTools } from "./agent-tools.ts";

/** Only what is given changes; lists replace the whole set. */
export interface AgentUpdate extends ModelRequest, EmbeddingRequest {
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
  readonly system?: string;
  readonly toolIds?: readonly string[];
  readonly blockIds?: readonly string[];
  readonly folderIds?: readonly string[];
  readonly identityIds?: readonly string[];
  readonly tags?: readonly string[];
  readonly toolRules?: readonly ToolRule[];
  /** Replaces them as a whole; one that forbids nothing takes them away. */
  readonly toolPermissions?: ToolPermissions;
  /** The context of the default conversation, the system message first. */
  readonly contextMessageIds?: readonly string[];
  /** Replaces the whole set; null keeps the value that is stored under the name. */
  readonly secrets?: SecretTexts;
  readonly compaction?: Partial<CompactionSettings>;
  readonly responseFormat?: ResponseFormat;
  readonly autoclear?: boolean;
  readonly sleeptime?: boolean;
  readonly lastRunAt?: number;
  readonly lastRunMs?: number;
  readonly lastStopReason?: string;
  readonly timezone?: string;
  readonly maxFilesOpen?: number;
  readonly fileViewChars?: number;
  readonly hidden?: boolean;
  readonly projectId?: string;
  readonly templateId?: string;
  readonly baseTemplateId?: string;
}

export interface AgentService {
  create(actor: Actor, agent: NewAgent): Promise<AgentView>;
  /** What of the agent does not work yet, in sentences for its owner; needs the relation `tools`. */
  notices(view: AgentView): readonly string[];
  get(actor: Actor, id: string, relations?: ReadonlySet<AgentRelation>): Promise<AgentView>;
  /** Its kind alone, without its context or anything it holds. */
  getKind(actor: Actor, id: string): Promise<AgentKind>;
  /** Of several at once; those that do not exist are left out. */
  loadKinds(actor: Actor, ids: readonly string[]): Promise<Map<string, AgentKind>>;
  list(actor: Actor, request: AgentListRequest): Promise<AgentView[]>;
  count(actor: Actor, filter?: AgentFilter): Promise<number>;
  update(actor: Actor, id: string, update: AgentUpdate): Promise<AgentView>;
  delete(actor: Actor, id: string): Promise<void>;
  attachBlock(actor: Actor, id: string, blockId: string): Promise<AgentView>;
  detachBlock(actor: Actor, id: string, blockId: string): Promise<AgentView>;
  attachIdentity(actor: Actor, id: string, identityId: string): Promise<void>;
  detachIdentity(actor: Actor, id: string, identityId: string): Promise<void>;
}

export interface AgentListRequest {
  readonly filter?: AgentFilter;
  readonly page: PageRequest;
  readonly orderBy?: AgentOrder;
  readonly relations?: ReadonlySet<AgentRelation>;
}

export function createAgentService(runtime: Runtime, sources: ModelSources, executors: Executors): AgentService {
  const notices = (seen: AgentView) => listNotices(seen, executors);
  const view = (scope: Scope, id: string, relations = allRelations) => viewAgent(runtime, scope, id, relations);
  return {
    create: async (actor, input) => {
      const found = await findModels(sources, actor, withDefaultHandles(input, runtime.defaults));
      if (input.checkModel) {
        await sources.models.check(actor, resolveModel(input, input.kind ?? defaultKind, runtime.defaults, found));
      }
      const view = await write(runtime, actor, async (scope) => {
        const created = await createAgent(runtime, scope, actor, input, found);
        if (!created.agent.sleeptime) return created;
        return { ...created, group: await pairWithCompanion(runtime, scope, actor, created.agent) };
      });
      for (const notice of notices(view)) runtime.log.warn({ agentId: view.agent.id }, notice);
      return view;
    },
    notices,
    get: (actor, id, relations) => view(readScope(runtime, actor), id, relations),
    getKind: async (actor, id) => (await getAgent(readScope(runtime, actor), id)).kind,
    loadKinds: (actor, ids) => loadAgentKinds(readScope(runtime, actor), ids),
    list: async (actor, { filter = {}, page, orderBy, relations = allRelations }) => {
      const scope = readScope(runtime, actor);
      return await viewAgents(runtime, scope, await listAgents(scope, filter, page, orderBy), relations);
    },
    count: (actor, filter) => countAgents(readScope(runtime, actor), filter),
    update: async (actor, id, update) => {
      const keepsModel = update.model === undefined && update.modelConfig === undefined;
      const isResized = keepsModel && update.contextWindow !== undefined;
      const current = isResized ? (await getAgent(readScope(runtime, actor), id)).model : undefined;
      const found = await findModels(sources, actor, update, current);
      return await write(runtime, actor, async (scope) => {
        await applyUpdate(runtime, scope, actor, await lockAgent(scope, id), update, found);
        return await view(scope, id);
      });
    },
    delete: (actor, id) => write(runtime, actor, (scope) => removeAgent(scope, id)),
    attachBlock: (actor, id, blockId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, id);
        const block = await getBlock(scope, blockId);
        for (const holder of [id, ...(await listCompanionIds(scope, id))]) await attachBlocks(scope, holder, [block]);
        return await view(scope, id);
      }),
    detachBlock: (actor, id, blockId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, id);
        await detachBlock(scope, id, blockId);
        return await view(scope, id);
      }),
    attachIdentity: (actor, id, identityId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, id);
        await getIdentity(scope, identityId);
        await linkIdentities(scope, "agent", [{ ownerId: id, identityId }]);
      }),
    detachIdentity: (actor, id, identityId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, id);
        await getIdentity(scope, identityId);
        await unlinkIdentities(scope, "agent", { ownerId: id, identityId });
      }),
  };
}

/** With its messages, its companions and its secrets. */
export async function removeAgent(scope: Scope, id: string): Promise<void> {
  await getAgent(scope, id);
  await dissolvePairs(scope, id);
  await deleteSecrets(scope, id);
  await deleteIsolatedBlocks(scope, { agentId: id });
  try {
    await deleteAgent(scope, id);
  } catch (error) {
    if (!isReferenceViolation(error)) throw error;
    throw new MemoirError(
      "conflict",
      `agent "${id}" manages a group: delete the group or give it another manager first`,
      {
        details: { entity: "agent", id },
        cause: error,
      },
    );
  }
}

async function applyUpdate(
  runtime: Runtime,
  scope: Scope,
  actor: Actor,
  agent: Agent,
  update: AgentUpdate,
  found: FoundModels,
): Promise<void> {
  const model = mergeModel(runtime, agent, update, found);
  const next: Agent = {
    ...mergeUpdate(agent, update),
    model,
    compaction: updateCompaction(agent.compaction, update.compaction ?? {}, agent.model, model),
    embedding: mergeEmbedding(agent, update, found),
    updatedAt: scope.now(),
    updatedBy: actor.userId,
  };
  checkAgent(next);
  await updateAgent(scope, agent.id, next);
  // With folders come tools for files, and whoever names the tools has the last word.
  if (update.folderIds) {
    await getFolders(scope, update.folderIds);
    await replaceAgentFolders(scope, next, update.folderIds);
  }
  if (update.toolIds) {
    await replaceAgentTools(scope, next, await getToolsOrRefuse(scope, update.toolIds));
  }
  if (update.blockIds) {
    const blocks = await getBlocks(scope, update.blockIds);
    await detachAllBlocks(scope, agent.id);
    await attachBlocks(scope, agent.id, blocks);
  }
  if (update.identityIds) {
    await unlinkIdentities(scope, "agent", { ownerId: agent.id });
    await giveIdentities(scope, agent.id, update.identityIds);
  }
  if (update.tags) await replaceTags(scope, "agent", agent.id, update.tags);
  if (update.secrets) await encryptSecrets(runtime, scope, actor, agent.id, update.secrets);
  if (update.contextMessageIds) await replaceContext(scope, agent.id, update.contextMessageIds);
  if (update.sleeptime) await pairWithCompanion(runtime, scope, actor, next);
}

function mergeUpdate(agent: Agent, update: AgentUpdate): Agent {
  const input = <K extends keyof Agent & keyof AgentUpdate>(field: K): Agent[K] =>
    (update[field] === undefined ? agent[field] : update[field]) as Agent[K];
  return {
    ...agent,
    name: input("name"),
    description: input("description"),
    metadata: input("metadata"),
    system: input("system"),
    toolRules: distinctRules(input("toolRules")),
    toolPermissions: update.toolPermissions ? tidyPermissions(update.toolPermissions) : agent.toolPermissions,
    responseFormat: input("responseFormat"),
    autoclear: input("autoclear"),
    sleeptime: input("sleeptime"),
    lastRunAt: input("lastRunAt"),
    lastRunMs: input("lastRunMs"),
    lastStopReason: input("lastStopReason"),
    timezone: input("timezone"),
    maxFilesOpen: input("maxFilesOpen"),
    fileViewChars: input("fileViewChars"),
    hidden: input("hidden"),
    projectId: input("projectId"),
    templateId: input("templateId"),
    baseTemplateId: input("baseTemplateId"),
  };
}

function mergeEmbedding(agent: Agent, update: AgentUpdate, found: FoundModels): Agent["embedding"] {
  const isNamed = update.embedding !== undefined || update.embeddingConfig !== undefined;
  return isNamed ? resolveEmbedding(update, found) : agent.embedding;
}

const modelFields = [
  "model",
  "modelConfig",
  "modelSettings",
  "contextWindow",
  "maxOutputTokens",
  "reasoning",
  "parallelToolCalls",
] as const satisfies readonly (keyof ModelRequest)[];

function mergeModel(runtime: Runtime, agent: Agent, update: AgentUpdate, found: FoundModels): Agent["model"] {
  if (modelFields.every((field) => update[field] === undefined)) return agent.model;
  const isNewModel = update.model !== undefined || update.modelConfig !== undefined;
  const request = isNewModel ? update : { ...update, modelConfig: agent.model };
  const config = resolveModel(request, agent.kind, runtime.defaults, found);
  return update.maxOutputTokens === null ? { ...config, maxOutputTokens: null } : config;
}
