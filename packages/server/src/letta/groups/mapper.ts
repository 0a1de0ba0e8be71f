/** Groups from core to wire. */
import type { Group } from "@memoir/core";
import type { GroupWire } from "./schema.ts";

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
