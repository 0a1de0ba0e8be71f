/** Pending approvals: calls that wait for a person or for a client that executes the tool. */
import type { Migration } from "./migration.ts";

export const approvals: Migration = {
  name: "0014_approvals",
  statements: () => [
    `create table approval (
       id text primary key,
       org_id text not null references organization (id) on delete cascade,
       agent_id text not null references agent (id) on delete cascade,
       conversation_id text not null references conversation (id) on delete cascade,
       run_id text not null references run (id) on delete cascade,
       question text not null,
       answers text not null,
       resumed_by text,
       expires_at bigint not null,
       created_at bigint not null,
       ended_at bigint)`,
    // A conversation has at most one pending approval.
    `create unique index approval_open on approval (conversation_id) where ended_at is null`,
    `create index approval_expiry on approval (expires_at) where ended_at is null`,
    `create index approval_org on approval (org_id, created_at, id) where ended_at is null`,
    `create index approval_conversation on approval (conversation_id, created_at)`,
    `create index approval_run on approval (run_id)`,
    `create index approval_agent on approval (agent_id)`,
  ],
};
