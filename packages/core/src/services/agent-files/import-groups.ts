/** Groups of imported agents, and how parts of an import find each other. */
import type { Actor } from "../../shared/actor.ts";
import { MemoirError } from "../../shared/errors.ts";
import { type Agent, updateAgent } from "../../store/agents/agents.ts";
import { companionKinds, type Group, insertGroup } from "../../store/agents/groups.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { PortableGroup } from "./agent-file-format.ts";

interface Membership {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly blocks: ReadonlyMap<string, { readonly id: string }>;
  readonly projectId: string | undefined;
}

export async function importGroup(
  scope: Scope,
  actor: Actor,
  given: PortableGroup,
  { agents, blocks, projectId }: Membership,
): Promise<string> {
  const at = scope.now();
  const where = `group "${given.id}"`;
  const manager = given.managerAgentId === null ? undefined : lookUp(agents, given.managerAgentId, where);
  const group: Group = {
    id: scope.newId("group"),
    kind: given.kind,
    description: given.description,
    managerAgentId: manager?.id ?? null,
    terminationToken: given.terminationToken,
    maxTurns: given.maxTurns,
    frequency: given.frequency,
    turns: given.kind === "sleeptime" && given.frequency !== null ? -1 : null,
    lastMessageId: null,
    maxBuffer: given.maxBuffer,
    minBuffer: given.minBuffer,
    hidden: given.hidden,
    projectId: projectId ?? null,
    templateId: null,
    baseTemplateId: null,
    deploymentId: null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
    agentIds: [...new Set(given.agentIds.map((id) => lookUp(agents, id, where).id))],
    sharedBlockIds: [...new Set(given.sharedBlockIds.map((id) => lookUp(blocks, id, where).id))],
  };
  await insertGroup(scope, group);
  if (manager && companionKinds.has(group.kind)) await updateAgent(scope, manager.id, { sleeptime: true });
  return group.id;
}

/** The row that stands for an id of the import. */
export function lookUp<T>(rows: ReadonlyMap<string, T>, id: string, where: string): T {
  const row = rows.get(id);
  if (row !== undefined) return row;
  throw new MemoirError("invalid-argument", `${where} names ${id}, which is not part of the import`, {
    details: { id },
  });
}
