/** Organizations isolate tenants: every other table references one. */
import type { Migration } from "./migration.ts";

export const tenants: Migration = {
  name: "0001_tenants",
  statements: () => [
    `create table organization (
       id text primary key,
       name text not null,
       base_tools_key text,
       created_at bigint not null,
       updated_at bigint not null)`,
    `create table "user" (
       id text primary key,
       org_id text not null references organization (id) on delete cascade,
       name text not null,
       role text not null,
       created_at bigint not null,
       updated_at bigint not null)`,
    `create index user_org on "user" (org_id, created_at, id)`,
    `create table api_key (
       id text primary key,
       org_id text not null references organization (id) on delete cascade,
       user_id text not null references "user" (id) on delete cascade,
       name text not null,
       hash text not null unique,
       role text not null,
       agent_id text,
       conversation_id text,
       created_at bigint not null,
       expires_at bigint,
       revoked_at bigint,
       last_used_at bigint)`,
    `create index api_key_org on api_key (org_id, created_at, id)`,
    `create table audit (
       id text primary key,
       org_id text not null references organization (id) on delete cascade,
       user_id text,
       api_key_id text,
       action text not null,
       target text,
       detail text,
       created_at bigint not null)`,
    `create index audit_org on audit (org_id, created_at, id)`,
  ],
};
