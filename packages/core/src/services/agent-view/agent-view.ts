/** An agent together with what it holds, as far as the caller asked. Many agents cost as many queries as one. */
import type { Runtime } from "../../runtime.ts";
import { notFound } from "../../shared/errors.ts";
import { listSecrets } from "../../store/access/secrets.ts";
import { loadAgentBlocks } from "../../store/agents/agent-blocks.ts";
import { type Agent, findAgent } from "../../store/agents/agents.ts";
import { type Group, loadManagedGroups } from "../../store/agents/groups.ts";
import { type Identity, loadIdentities } from "../../store/agents/identities.ts";
import { loadTags } from "../../store/agents/tags.ts";
import { loadContextMessageIds } from "../../store/conversations/conversations.ts";
import { groupRows } from "../../store/engine/grouping.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { loadFileLinks, type NamedLink } from "../../store/files/file-links.ts";
import { type Folder, loadAgentFolders } from "../../store/files/folders.ts";
import { loadAgentTools, type Tool } from "../../store/tools/tools.ts";
import { type TaggedBlock, withAllTags } from "../blocks/blocks.ts";
import { type AgentSecret, secretPlace } from "../secrets/secret-scope.ts";

export const agentRelations = ["blocks", "tools", "folders", "tags", "identities", "secrets", "group"] as const;

export type AgentRelation = (typeof agentRelations)[number];

export const allRelations: ReadonlySet<AgentRelation> = new Set(agentRelations);
export const noRelations: ReadonlySet<AgentRelation> = new Set();

/** Relations that were not asked for are empty. */
export interface AgentView {
  readonly agent: Agent;
  /** What its default conversation has in context, the system message first. */
  readonly contextMessageIds: readonly string[];
  readonly blocks: readonly TaggedBlock[];
  /** The files of its folders, open or closed: they stand in the prompt as blocks do, and come with them. */
  readonly files: readonly NamedLink[];
  readonly tools: readonly Tool[];
  readonly folders: readonly Folder[];
  readonly tags: readonly string[];
  readonly identities: readonly Identity[];
  readonly secrets: readonly AgentSecret[];
  readonly group: Group | null;
}

export async function viewAgent(
  runtime: Runtime,
  scope: Scope,
  id: string,
  relations: ReadonlySet<AgentRelation>,
): Promise<AgentView> {
  const agent = await findAgent(scope, id);
  const [view] = agent ? await viewAgents(runtime, scope, [agent], relations) : [];
  if (!view) throw notFound("agent", id);
  return view;
}

export async function viewAgents(
  runtime: Runtime,
  scope: Scope,
  agents: readonly Agent[],
  relations: ReadonlySet<AgentRelation>,
): Promise<AgentView[]> {
  const ids = agents.map(({ id }) => id);
  const wanted = (relation: AgentRelation) => (relations.has(relation) ? ids : []);
  const contexts = await loadContextMessageIds(scope, ids);
  const blocks = await loadTaggedBlocks(scope, wanted("blocks"));
  const files = await loadFileLinks(scope, wanted("blocks"));
  const tools = await loadAgentTools(scope, wanted("tools"));
  const folders = await loadAgentFolders(scope, wanted("folders"));
  const tags = await loadTags(scope, "agent", wanted("tags"));
  const identities = await loadIdentities(scope, "agent", wanted("identities"));
  const secrets = await loadSecrets(runtime, scope, wanted("secrets"));
  const groups = await loadManagedGroups(scope, wanted("group"));
  return agents.map((agent) => ({
    agent,
    contextMessageIds: contexts.get(agent.id) ?? [],
    blocks: blocks.get(agent.id) ?? [],
    files: files.get(agent.id) ?? [],
    tools: tools.get(agent.id) ?? [],
    folders: folders.get(agent.id) ?? [],
    tags: tags.get(agent.id) ?? [],
    identities: identities.get(agent.id) ?? [],
    secrets: secrets.get(agent.id) ?? [],
    group: groups.get(agent.id) ?? null,
  }));
}

async function loadTaggedBlocks(scope: Scope, agentIds: readonly string[]): Promise<Map<string, TaggedBlock[]>> {
  const held = await loadAgentBlocks(scope, agentIds);
  const distinct = new Map([...held.values()].flat().map((block) => [block.id, block]));
  const tagged = new Map((await withAllTags(scope, [...distinct.values()])).map((block) => [block.id, block]));
  return new Map(
    [...held].map(([agentId, blocks]) => [agentId, blocks.flatMap((block) => tagged.get(block.id) ?? [])]),
  );
}

async function loadSecrets(
  runtime: Runtime,
  scope: Scope,
  agentIds: readonly string[],
): Promise<Map<string, AgentSecret[]>> {
  return groupRows(
    await listSecrets(scope, agentIds),
    ({ ownerId }) => ownerId,
    (secret) => ({
      id: secret.id,
      name: secret.name,
      value: runtime.vault.decrypt(secret, secretPlace(scope, secret.ownerId, secret.name)),
      description: secret.description,
    }),
  );
}
