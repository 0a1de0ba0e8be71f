/** Groups between core and wire. */
import { type Group, type GroupSettings, type GroupUpdate, type NewGroup, omitUndefined } from "@memoir/core";
import type { CreateGroupWire, GroupUpdateWire, GroupWire, ManagerWire } from "./schema.ts";

export function toGroupWire(group: Group): GroupWire {
  return {
    id: group.id,
    manager_type: group.kind,
    agent_ids: [...group.agentIds],
    description: group.description,
    project_id: group.projectId,
    template_id: group.templateId,
    base_template_id: group.baseTemplateId,
    deployment_id: group.deploymentId,
    shared_block_ids: [...group.sharedBlockIds],
    manager_agent_id: group.managerAgentId,
    termination_token: group.terminationToken,
    max_turns: group.maxTurns,
    sleeptime_agent_frequency: group.frequency,
    turns_counter: group.turns,
    last_processed_message_id: group.lastMessageId,
    max_message_buffer_length: group.maxBuffer,
    min_message_buffer_length: group.minBuffer,
    hidden: group.hidden,
  };
}

function fromManager(wire: ManagerWire): GroupSettings {
  return {
    kind: wire.manager_type,
    ...omitUndefined({
      managerAgentId: wire.manager_agent_id,
      terminationToken: wire.termination_token,
      maxTurns: wire.max_turns,
      frequency: wire.sleeptime_agent_frequency,
      maxBuffer: wire.max_message_buffer_length,
      minBuffer: wire.min_message_buffer_length,
    }),
  };
}

export function fromCreateGroup(wire: CreateGroupWire): NewGroup {
  return {
    agentIds: wire.agent_ids,
    description: wire.description,
    ...omitUndefined({
      settings: wire.manager_config && fromManager(wire.manager_config),
      sharedBlockIds: wire.shared_block_ids,
      projectId: wire.project_id,
      hidden: wire.hidden,
    }),
  };
}

export function fromGroupUpdate(wire: GroupUpdateWire): GroupUpdate {
  return omitUndefined({
    agentIds: wire.agent_ids,
    description: wire.description,
    settings: wire.manager_config && fromManager(wire.manager_config),
    sharedBlockIds: wire.shared_block_ids,
    projectId: wire.project_id,
  });
}
