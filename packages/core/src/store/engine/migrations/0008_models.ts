/** Providers configured by users, and their models; API keys are rows of `secret`. */
import type { Migration } from "./migration.ts";

export const models: Migration = {
  name: "0008_models",
  statements: () => [
    `create table provider (
       id text primary key,
       org_id text not null references organization (id) on delete cascade,
       name text not null,
       kind text not null,
       base_url text,
       region text,
       api_version text,
       last_synced_at bigint,
       deleted_at bigint,
       created_at bigint not null,
       updated_at bigint not null,
       created_by text,
       updated_by text)`,
    `create unique index provider_name on provider (org_id, name)`,
    `create table model (
       id text primary key,
       org_id text not null references organization (id) on delete cascade,
       provider_id text not null references provider (id) on delete cascade,
       kind text not null,
       handle text not null,
       name text not null,
       display_name text not null,
       is_enabled smallint not null,
       endpoint_kind text not null,
       context_window integer,
       dimension integer,
       created_at bigint not null,
       updated_at bigint not null)`,
    `create unique index model_handle on model (org_id, handle, kind)`,
    `create index model_provider on model (provider_id)`,
  ],
};
