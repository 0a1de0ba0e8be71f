/** Groups of agents with a strategy for taking turns. */
import { type SelectQueryBuilder, sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import { createCodec, flag, plain } from "../engine/codec.ts";
import { deleteById, type Entity, getById, insertEntities, updateById } from "../engine/entity.ts";
import { groupRows } from "../engine/grouping.ts";
import { isInList } from "../engine/in-list.ts";
import { countRows, listPage, type PageRequest } from "../engine/paging.ts";
import type { Tables } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";

export const groupKinds = ["round_robin", "supervisor", "dynamic", "sleeptime", "voice_sleeptime", "swarm"] as const;

export type GroupKind = (typeof groupKinds)[number];

export interface GroupRecord {
  readonly id: string;
  readonly kind: GroupKind;
  readonly description: string;
  readonly managerAgentId: string | null;
  readonly terminationToken: string | null;
  readonly maxTurns: number | null;
  /** Number of the manager's turns between two runs of the background agents. */
  readonly frequency: number | null;
  readonly turns: number | null;
  readonly lastMessageId: string | null;
  readonly maxBuffer: number | null;
  readonly minBuffer: number | null;
  readonly hidden: boolean | null;
  readonly projectId: string | null;
  readonly templateId: string | null;
  readonly baseTemplateId: string | null;
  readonly deploymentId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export interface Group extends GroupRecord {
  /** The members, in order. */
  readonly agentIds: readonly string[];
  readonly sharedBlockIds: readonly string[];
}

const groupEntity: Entity<GroupRecord, "group"> = {
  table: "group",
  name: "group",
  codec: createCodec<GroupRecord>("group", {
    id: plain("id"),
    kind: plain("kind"),
    description: plain("description"),
    managerAgentId: plain("manager_agent_id"),
    terminationToken: plain("termination_token"),
    maxTurns: plain("max_turns"),
    frequency: plain("frequency"),
    turns: plain("turns"),
    lastMessageId: plain("last_message_id"),
    maxBuffer: plain("max_buffer"),
    minBuffer: plain("min_buffer"),
    hidden: flag("hidden"),
    projectId: plain("project_id"),
    templateId: plain("template_id"),
    baseTemplateId: plain("base_template_id"),
    deploymentId: plain("deployment_id"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export interface GroupFilter {
  readonly kind?: GroupKind;
  readonly projectId?: string;
  readonly deploymentId?: string;
  /** Groups that have this agent as a member. */
  readonly agentId?: string;
  readonly showHidden?: boolean;
}

export async function getGroup(scope: Scope, id: string): Promise<Group> {
  const [group] = await loadMembers(scope, [await getById(scope, groupEntity, id)]);
  if (!group) throw notFound("group", id);
  return group;
}

export async function listGroups(scope: Scope, filter: GroupFilter, page: PageRequest): Promise<Group[]> {
  return await loadMembers(scope, await listPage(scope, groupEntity, filterGroups(scope, filter), page));
}

export const countGroups = (scope: Scope): Promise<number> => countRows(filterGroups(scope, {}));

function filterGroups(scope: Scope, filter: GroupFilter): SelectQueryBuilder<Tables, "group", object> {
  let query = scope.select("group");
  if (!filter.showHidden) {
    query = query.where((eb) => eb.or([eb("group.hidden", "is", null), eb("group.hidden", "=", 0)]));
  }
  if (filter.kind !== undefined) query = query.where("group.kind", "=", filter.kind);
  if (filter.projectId !== undefined) query = query.where("group.project_id", "=", filter.projectId);
  if (filter.deploymentId !== undefined) query = query.where("group.deployment_id", "=", filter.deploymentId);
  if (filter.agentId !== undefined) {
    const groups = scope.select("group_agent").select("group_id").where("agent_id", "=", filter.agentId);
    query = query.where(sql.ref("group.id"), "in", groups);
  }
  return query;
}

export const updateGroup = (scope: Scope, id: string, changes: Partial<GroupRecord>): Promise<void> =>
  updateById(scope, groupEntity, id, changes);

export async function replaceMembers(scope: Scope, groupId: string, agentIds: readonly string[]): Promise<void> {
  await scope.delete("group_agent").where("group_id", "=", groupId).execute();
  await insertMembers(scope, groupId, agentIds);
}

export async function replaceSharedBlocks(scope: Scope, groupId: string, blockIds: readonly string[]): Promise<void> {
  await scope.delete("group_block").where("group_id", "=", groupId).execute();
  await shareBlocks(scope, groupId, blockIds);
}

/** Idempotent: blocks that are already shared stay as they are. */
export async function shareBlocks(scope: Scope, groupId: string, blockIds: readonly string[]): Promise<void> {
  if (blockIds.length === 0) return;
  const rows = [...new Set(blockIds)].map((id) => ({ group_id: groupId, block_id: id }));
  await scope
    .insert("group_block", rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function unshareBlock(scope: Scope, groupId: string, blockId: string): Promise<void> {
  await scope.delete("group_block").where("group_id", "=", groupId).where("block_id", "=", blockId).execute();
}

/** Hides the group's messages from lists and searches. */
export async function hideGroupMessages(scope: Scope, groupId: string): Promise<void> {
  await scope
    .update("message")
    .set({ deleted_at: scope.now() })
    .where("group_id", "=", groupId)
    .where("deleted_at", "is", null)
    .execute();
}

export const deleteGroup = (scope: Scope, id: string): Promise<void> => deleteById(scope, groupEntity, id);

export async function insertGroup(scope: Scope, { agentIds, sharedBlockIds, ...record }: Group): Promise<void> {
  await insertEntities(scope, groupEntity, [record]);
  await insertMembers(scope, record.id, agentIds);
  await shareBlocks(scope, record.id, sharedBlockIds);
}

async function insertMembers(scope: Scope, groupId: string, agentIds: readonly string[]): Promise<void> {
  await scope.insertAll(
    "group_agent",
    [...new Set(agentIds)].map((id, position) => ({ group_id: groupId, agent_id: id, position })),
  );
}

/** Managed groups by agent id. */
export async function loadManagedGroups(scope: Scope, managerIds: readonly string[]): Promise<Map<string, Group>> {
  if (managerIds.length === 0) return new Map();
  const rows = await scope
    .select("group")
    .selectAll("group")
    .where(isInList(scope, "group.manager_agent_id", managerIds))
    .execute();
  const groups = await loadMembers(scope, rows.map(groupEntity.codec.decode));
  return new Map(groups.flatMap((group) => (group.managerAgentId === null ? [] : [[group.managerAgentId, group]])));
}

/** Kinds in which background agents maintain the memory of a chat agent. */
export const companionKinds: ReadonlySet<string> = new Set(["sleeptime", "voice_sleeptime"]);

/** The agents that share a block with this one. */
export async function listCompanionIds(scope: Scope, agentId: string): Promise<readonly string[]> {
  const group = (await loadManagedGroups(scope, [agentId])).get(agentId);
  return group && companionKinds.has(group.kind) ? group.agentIds : [];
}

/** The groups that have this agent as a member. */
export async function listGroupsOfMember(scope: Scope, agentId: string): Promise<Group[]> {
  const rows = await scope
    .select("group")
    .innerJoin("group_agent", "group_agent.group_id", "group.id")
    .selectAll("group")
    .where("group_agent.agent_id", "=", agentId)
    .execute();
  return await loadMembers(scope, rows.map(groupEntity.codec.decode));
}

async function loadMembers(scope: Scope, records: readonly GroupRecord[]): Promise<Group[]> {
  if (records.length === 0) return [];
  const ids = records.map(({ id }) => id);
  const members = await scope
    .select("group_agent")
    .select(["group_id", "agent_id"])
    .where(isInList(scope, "group_agent.group_id", ids))
    .orderBy("position")
    .execute();
  const shared = await scope
    .select("group_block")
    .select(["group_id", "block_id"])
    .where(isInList(scope, "group_block.group_id", ids))
    .execute();
  const agentIds = groupRows(
    members,
    (row) => row.group_id,
    (row) => row.agent_id,
  );
  const blockIds = groupRows(
    shared,
    (row) => row.group_id,
    (row) => row.block_id,
  );
  return records.map((record) => ({
    ...record,
    agentIds: agentIds.get(record.id) ?? [],
    sharedBlockIds: blockIds.get(record.id) ?? [],
  }));
}
