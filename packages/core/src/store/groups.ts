/** Agents that work together under one way of taking turns. */
import { createCodec, flag, plain } from "./codec.ts";
import { deleteById, type Entity, insertEntities } from "./entity.ts";
import { groupRows } from "./grouping.ts";
import type { Scope } from "./scope.ts";

export type GroupKind = "round_robin" | "supervisor" | "dynamic" | "sleeptime" | "voice_sleeptime" | "swarm";

export interface GroupRecord {
  readonly id: string;
  readonly kind: GroupKind;
  readonly description: string;
  readonly managerAgentId: string | null;
  readonly terminationToken: string | null;
  readonly maxTurns: number | null;
  /** How many of the manager's turns pass between two rounds of the background agents. */
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
  /** The members, in their order. */
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

export const deleteGroup = (scope: Scope, id: string): Promise<void> => deleteById(scope, groupEntity, id);

export async function insertGroup(scope: Scope, { agentIds, sharedBlockIds, ...record }: Group): Promise<void> {
  await insertEntities(scope, groupEntity, [record]);
  await scope.insertAll(
    "group_agent",
    agentIds.map((id, position) => ({ group_id: record.id, agent_id: id, position })),
  );
  await scope.insertAll(
    "group_block",
    sharedBlockIds.map((id) => ({ group_id: record.id, block_id: id })),
  );
}

/** The group each agent manages, by agent. */
export async function loadManagedGroups(scope: Scope, managerIds: readonly string[]): Promise<Map<string, Group>> {
  if (managerIds.length === 0) return new Map();
  const rows = await scope.select("group").selectAll("group").where("manager_agent_id", "in", managerIds).execute();
  const groups = await loadMembers(scope, rows.map(groupEntity.codec.decode));
  return new Map(groups.flatMap((group) => (group.managerAgentId === null ? [] : [[group.managerAgentId, group]])));
}

/** Groups of a chat agent and the agents that tend its memory. */
export const companionKinds: ReadonlySet<string> = new Set(["sleeptime", "voice_sleeptime"]);

/** The agents that share a block attached to this one. */
export async function listCompanionIds(scope: Scope, agentId: string): Promise<readonly string[]> {
  const group = (await loadManagedGroups(scope, [agentId])).get(agentId);
  return group && companionKinds.has(group.kind) ? group.agentIds : [];
}

/** The groups an agent is a member of. */
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
    .where("group_id", "in", ids)
    .orderBy("position")
    .execute();
  const shared = await scope
    .select("group_block")
    .select(["group_id", "block_id"])
    .where("group_id", "in", ids)
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
