/** Groups of agents. */
import type { Migration } from "./migration.ts";

export const groups: Migration = {
  name: "0007_groups",
  statements: (flavor) => [
    `create table "group" (
       id text primary key,
       org_id text not null references organization (id) on delete cascade,
       kind text not null,
       description text not null,
       manager_agent_id text references agent (id) on delete restrict,
       termination_token text,
       max_turns integer,
       frequency integer,
       turns integer,
       last_message_id text,
       max_buffer integer,
       min_buffer integer,
       hidden smallint,
       project_id text,
       template_id text,
       base_template_id text,
       deployment_id text,
       created_at bigint not null,
       updated_at bigint not null,
       created_by text,
       updated_by text)`,
    `create index group_manager on "group" (manager_agent_id)`,
    `create index group_org on "group" (org_id, created_at, id)`,
    `create table group_agent (
       org_id text not null references organization (id) on delete cascade,
       group_id text not null references "group" (id) on delete cascade,
       agent_id text not null references agent (id) on delete cascade,
       position integer not null,
       primary key (group_id, agent_id)) ${flavor.clustered}`,
    `create index group_agent_agent on group_agent (agent_id)`,
    `create table group_block (
       org_id text not null references organization (id) on delete cascade,
       group_id text not null references "group" (id) on delete cascade,
       block_id text not null references block (id) on delete cascade,
       primary key (group_id, block_id)) ${flavor.clustered}`,
    `create index group_block_block on group_block (block_id)`,
  ],
};
