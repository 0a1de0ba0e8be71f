/** Groups on the wire. */
import { z } from "zod";

const managerTypes = ["round_robin", "supervisor", "dynamic", "sleeptime", "voice_sleeptime", "swarm"] as const;

export interface GroupWire {
  id: string;
  manager_type: (typeof managerTypes)[number];
  agent_ids: string[];
  description: string;
  project_id: string | null;
  template_id: string | null;
  base_template_id: string | null;
  deployment_id: string | null;
  shared_block_ids: string[];
  manager_agent_id: string | null;
  termination_token: string | null;
  max_turns: number | null;
  sleeptime_agent_frequency: number | null;
  turns_counter: number | null;
  last_processed_message_id: string | null;
  max_message_buffer_length: number | null;
  min_message_buffer_length: number | null;
  hidden: boolean | null;
}

export const GroupWire: z.ZodType<GroupWire> = z
  .strictObject({
    id: z.string(),
    manager_type: z.enum(managerTypes),
    agent_ids: z.array(z.string()),
    description: z.string(),
    project_id: z.string().nullable(),
    template_id: z.string().nullable(),
    base_template_id: z.string().nullable(),
    deployment_id: z.string().nullable(),
    shared_block_ids: z.array(z.string()),
    manager_agent_id: z.string().nullable(),
    termination_token: z.string().nullable(),
    max_turns: z.int().nullable(),
    sleeptime_agent_frequency: z.int().nullable(),
    turns_counter: z.int().nullable(),
    last_processed_message_id: z.string().nullable(),
    max_message_buffer_length: z.int().nullable(),
    min_message_buffer_length: z.int().nullable(),
    hidden: z.boolean().nullable(),
  })
  .meta({ id: "Group" });
