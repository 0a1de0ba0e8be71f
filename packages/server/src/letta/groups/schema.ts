/** Groups on the wire. */
import { groupKinds } from "@memoir/core";
import { z } from "zod";
import { optional, wireInteger, wireLine, wireList, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryEnum, queryText } from "../shared/query.ts";

const managerTypes = groupKinds;

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

export interface ManagerWire {
  manager_type: "round_robin" | "supervisor" | "dynamic" | "sleeptime" | "voice_sleeptime";
  manager_agent_id?: string;
  max_turns?: number;
  termination_token?: string;
  sleeptime_agent_frequency?: number;
  max_message_buffer_length?: number;
  min_message_buffer_length?: number;
}

const managerId = idSchema("agent");

/** One shape for making and changing: `manager` says whether a manager may be left out. */
const managerUnion = (manager: z.ZodType<string | undefined>): z.ZodType<ManagerWire> =>
  z.discriminatedUnion("manager_type", [
    z.object({ manager_type: z.literal("round_robin"), max_turns: optional(wireInteger) }),
    z.object({ manager_type: z.literal("supervisor"), manager_agent_id: manager }),
    z.object({
      manager_type: z.literal("dynamic"),
      manager_agent_id: manager,
      termination_token: optional(wireLine),
      max_turns: optional(wireInteger),
    }),
    z.object({
      manager_type: z.literal("sleeptime"),
      manager_agent_id: manager,
      sleeptime_agent_frequency: optional(wireInteger),
    }),
    z.object({
      manager_type: z.literal("voice_sleeptime"),
      manager_agent_id: manager,
      max_message_buffer_length: optional(wireInteger),
      min_message_buffer_length: optional(wireInteger),
    }),
  ]);

export interface CreateGroupWire {
  agent_ids: string[];
  description: string;
  manager_config?: ManagerWire;
  project_id?: string;
  shared_block_ids?: string[];
  hidden?: boolean;
}

export const createGroupShape = {
  agent_ids: wireList(idSchema("agent")),
  description: wireText,
  manager_config: optional(managerUnion(managerId)),
  project_id: optional(wireName),
  shared_block_ids: optional(wireList(idSchema("block"))),
  hidden: optional(z.boolean()),
};

export const CreateGroupWire: z.ZodType<CreateGroupWire> = z.object(createGroupShape).meta({ id: "GroupCreate" });

export interface GroupUpdateWire {
  agent_ids?: string[];
  description?: string;
  manager_config?: ManagerWire;
  project_id?: string;
  shared_block_ids?: string[];
}

export const GroupUpdateWire: z.ZodType<GroupUpdateWire> = z
  .object({
    agent_ids: optional(wireList(idSchema("agent"))),
    description: optional(wireText),
    manager_config: optional(managerUnion(optional(managerId))),
    project_id: optional(wireName),
    shared_block_ids: optional(wireList(idSchema("block"))),
  })
  .meta({ id: "GroupUpdate" });

export interface GroupListQuery extends PageQuery {
  manager_type?: GroupWire["manager_type"];
  project_id?: string;
  show_hidden_groups?: boolean;
}

export const GroupListQuery: z.ZodType<GroupListQuery> = z.object({
  ...pageShape,
  manager_type: queryEnum(...managerTypes),
  project_id: queryText,
  show_hidden_groups: queryBoolean,
});

export interface GroupParams {
  group_id: string;
}

export const GroupParams: z.ZodType<GroupParams> = z.object({ group_id: idSchema("group") });

export interface GroupBlockParams extends GroupParams {
  block_id: string;
}

export const GroupBlockParams: z.ZodType<GroupBlockParams> = z.object({
  group_id: idSchema("group"),
  block_id: idSchema("block"),
});

export interface GroupMessageParams extends GroupParams {
  message_id: string;
}

export const GroupMessageParams: z.ZodType<GroupMessageParams> = z.object({
  group_id: idSchema("group"),
  message_id: idSchema("message"),
});
