/** A chat agent's companion: a second agent that tends their shared memory between turns. */
import { memoryPersona } from "../../memory/prompts.ts";
import type { Runtime } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { deleteSecrets } from "../../store/access/secrets.ts";
import { attachBlocks, loadAgentBlocks } from "../../store/agents/agent-blocks.ts";
import { type Agent, deleteAgent, updateAgent } from "../../store/agents/agents.ts";
import {
  companionKinds,
  deleteGroup,
  type Group,
  insertGroup,
  listGroupsOfMember,
  loadManagedGroups,
} from "../../store/agents/groups.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { createAgent } from "./agent-create.ts";

const turnsBetweenRounds = 5;

/** Makes the companion and their group, unless there is one already. */
export async function pairWithCompanion(runtime: Runtime, scope: Scope, actor: Actor, agent: Agent): Promise<Group> {
  const existing = (await loadManagedGroups(scope, [agent.id])).get(agent.id);
  if (existing) return existing;
  const isVoice = agent.kind === "voice_convo_agent";
  const { agent: companion } = await createAgent(runtime, scope, actor, {
    name: `${agent.name}-sleeptime`,
    kind: isVoice ? "voice_sleeptime_agent" : "sleeptime_agent",
    modelConfig: agent.model,
    ...(agent.embedding ? { embeddingConfig: agent.embedding } : {}),
    blocks: [{ label: "memory_persona", ...memoryPersona }],
    timezone: agent.timezone,
    projectId: agent.projectId,
  });
  const shared = (await loadAgentBlocks(scope, [agent.id])).get(agent.id) ?? [];
  await attachBlocks(scope, companion.id, shared);
  const group = newPair(scope, actor, agent, companion, isVoice);
  await insertGroup(scope, group);
  return group;
}

function newPair(scope: Scope, actor: Actor, agent: Agent, companion: Agent, isVoice: boolean): Group {
  const at = scope.now();
  return {
    id: scope.newId("group"),
    kind: isVoice ? "voice_sleeptime" : "sleeptime",
    description: "",
    managerAgentId: agent.id,
    terminationToken: null,
    maxTurns: null,
    frequency: isVoice ? null : turnsBetweenRounds,
    turns: isVoice ? null : -1,
    lastMessageId: null,
    maxBuffer: isVoice ? 30 : null,
    minBuffer: isVoice ? 15 : null,
    hidden: null,
    projectId: agent.projectId,
    templateId: null,
    baseTemplateId: null,
    deploymentId: null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
    agentIds: [companion.id],
    sharedBlockIds: [],
  };
}

/** Before an agent goes: its companions go with it, and a manager loses its companion. */
export async function dissolvePairs(scope: Scope, agentId: string): Promise<void> {
  const managed = (await loadManagedGroups(scope, [agentId])).get(agentId);
  if (managed && companionKinds.has(managed.kind)) {
    await deleteGroup(scope, managed.id);
    for (const companion of managed.agentIds) {
      await deleteSecrets(scope, companion);
      await deleteAgent(scope, companion);
    }
  }
  for (const group of await listGroupsOfMember(scope, agentId)) {
    if (!companionKinds.has(group.kind)) continue;
    await deleteGroup(scope, group.id);
    if (group.managerAgentId !== null) await updateAgent(scope, group.managerAgentId, { sleeptime: null });
  }
}
