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
  input: PortableGroup,
  { agents, blocks, projectId }: Membership,
): Promise<string> {
  const at = scope.now();
  const where = `group "${input.id}"`;
  const manager = input.managerAgentId === null ? undefined : lookUp(agents, input.managerAgentId, where);
  const group: Group = {
    id: scope.newId("group"),
    kind: input.kind,
    description: input.description,
    managerAgentId: manager?.id ?? null,
    terminationToken: input.terminationToken,
    maxTurns: input.maxTurns,
    frequency: input.frequency,
    turns: input.kind === "sleeptime" && input.frequency !== null ? -1 : null,
    lastMessageId: null,
    maxBuffer: input.maxBuffer,
    minBuffer: input.minBuffer,
    hidden: input.hidden,
    projectId: projectId ?? null,
    templateId: null,
    baseTemplateId: null,
    deploymentId: null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
    agentIds: [...new Set(input.agentIds.map((id) => lookUp(agents, id, where).id))],
    sharedBlockIds: [...new Set(input.sharedBlockIds.map((id) => lookUp(blocks, id, where).id))],
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
