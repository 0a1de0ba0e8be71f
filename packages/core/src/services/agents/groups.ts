/** What callers can do with groups as records: who belongs to one, and by which rule its members take turns. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { getAgent, getAgents, updateAgent } from "../../store/agents/agents.ts";
import {
  companionKinds,
  countGroups,
  deleteGroup,
  type Group,
  type GroupFilter,
  getGroup,
  hideGroupMessages,
  insertGroup,
  listGroups,
  replaceMembers,
  replaceSharedBlocks,
  shareBlocks,
  unshareBlock,
  updateGroup,
} from "../../store/agents/groups.ts";
import { getBlock, getBlocks } from "../../store/blocks/blocks.ts";
import { listMessages } from "../../store/conversations/message-list.ts";
import type { Message } from "../../store/conversations/messages.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { type GroupSettings, resolveSettings } from "./group-settings.ts";

export interface NewGroup {
  readonly agentIds: readonly string[];
  readonly description: string;
  /** Round robin, unless given. */
  readonly settings?: GroupSettings;
  readonly sharedBlockIds?: readonly string[];
  readonly projectId?: string | null;
  readonly hidden?: boolean | null;
  readonly templateId?: string | null;
  readonly baseTemplateId?: string | null;
  readonly deploymentId?: string | null;
}

/** Only what is given changes; lists replace the whole set. */
export interface GroupUpdate {
  readonly agentIds?: readonly string[];
  readonly description?: string;
  readonly settings?: GroupSettings;
  readonly sharedBlockIds?: readonly string[];
  readonly projectId?: string;
}

export interface GroupService {
  create(actor: Actor, group: NewGroup): Promise<Group>;
  get(actor: Actor, id: string): Promise<Group>;
  list(actor: Actor, filter: GroupFilter, page: PageRequest): Promise<Group[]>;
  /** Those it is a member of. */
  listOfAgent(actor: Actor, agentId: string, filter: Pick<GroupFilter, "kind">, page: PageRequest): Promise<Group[]>;
  count(actor: Actor): Promise<number>;
  update(actor: Actor, id: string, update: GroupUpdate): Promise<Group>;
  /** Its members stay. */
  delete(actor: Actor, id: string): Promise<void>;
  attachBlock(actor: Actor, id: string, blockId: string): Promise<void>;
  detachBlock(actor: Actor, id: string, blockId: string): Promise<void>;
  /** What was said in it, by all its members, oldest first. */
  listMessages(actor: Actor, id: string, page: Omit<PageRequest, "order">): Promise<Message[]>;
  /** Takes that out of lists and searches; what members have in context stays there. */
  reset(actor: Actor, id: string): Promise<void>;
}

export function createGroupService(runtime: Runtime): GroupService {
  const read = (actor: Actor) => readScope(runtime, actor);
  return {
    create: (actor, input) => write(runtime, actor, (scope) => createGroup(scope, actor, input)),
    get: (actor, id) => getGroup(read(actor), id),
    list: (actor, filter, page) => listGroups(read(actor), filter, page),
    listOfAgent: async (actor, agentId, { kind }, page) => {
      await getAgent(read(actor), agentId);
      return await listGroups(read(actor), { agentId, kind, showHidden: true }, page);
    },
    count: (actor) => countGroups(read(actor)),
    update: (actor, id, update) => write(runtime, actor, (scope) => applyUpdate(scope, actor, id, update)),
    delete: (actor, id) =>
      write(runtime, actor, async (scope) => {
        const { kind, managerAgentId } = await getGroup(scope, id);
        await deleteGroup(scope, id);
        // Without the group nobody tends the manager's memory any more.
        if (managerAgentId !== null && companionKinds.has(kind)) {
          await updateAgent(scope, managerAgentId, { sleeptime: null });
        }
      }),
    attachBlock: (actor, id, blockId) =>
      write(runtime, actor, async (scope) => {
        await getGroup(scope, id);
        await getBlock(scope, blockId);
        await shareBlocks(scope, id, [blockId]);
      }),
    detachBlock: (actor, id, blockId) =>
      write(runtime, actor, async (scope) => {
        await getGroup(scope, id);
        await getBlock(scope, blockId);
        await unshareBlock(scope, id, blockId);
      }),
    listMessages: async (actor, id, { limit, after, before }) => {
      await getGroup(read(actor), id);
      const page = { limit, after, before, from: "oldest" } as const;
      return await listMessages(read(actor), { inDefault: false }, page, { groupId: id });
    },
    reset: (actor, id) =>
      write(runtime, actor, async (scope) => {
        await getGroup(scope, id);
        await hideGroupMessages(scope, id);
      }),
  };
}

export async function createGroup(scope: Scope, actor: Actor, input: NewGroup): Promise<Group> {
  const settings = resolveSettings(input.settings ?? { kind: "round_robin" });
  await checkMembers(scope, input.agentIds, settings.managerAgentId, input.sharedBlockIds ?? []);
  const at = scope.now();
  const group: Group = {
    ...settings,
    id: scope.newId("group"),
    description: input.description,
    lastMessageId: null,
    hidden: input.hidden ?? null,
    projectId: input.projectId ?? null,
    templateId: input.templateId ?? null,
    baseTemplateId: input.baseTemplateId ?? null,
    deploymentId: input.deploymentId ?? null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
    agentIds: [...new Set(input.agentIds)],
    sharedBlockIds: [...new Set(input.sharedBlockIds)],
  };
  await insertGroup(scope, group);
  return group;
}

async function applyUpdate(scope: Scope, actor: Actor, id: string, update: GroupUpdate): Promise<Group> {
  // First, so that two who write at once take turns.
  await updateGroup(scope, id, { updatedAt: scope.now(), updatedBy: actor.userId });
  const group = await getGroup(scope, id);
  const settings = update.settings && resolveSettings(update.settings, group);
  await checkMembers(scope, update.agentIds ?? [], settings?.managerAgentId ?? null, update.sharedBlockIds ?? []);
  await updateGroup(scope, id, {
    ...settings,
    description: update.description,
    projectId: update.projectId,
  });
  if (update.agentIds) await replaceMembers(scope, id, update.agentIds);
  if (update.sharedBlockIds) await replaceSharedBlocks(scope, id, update.sharedBlockIds);
  return await getGroup(scope, id);
}

async function checkMembers(
  scope: Scope,
  agentIds: readonly string[],
  managerId: string | null,
  blockIds: readonly string[],
): Promise<void> {
  await getAgents(scope, [...new Set([...agentIds, ...(managerId === null ? [] : [managerId])])]);
  await getBlocks(scope, [...new Set(blockIds)]);
}
