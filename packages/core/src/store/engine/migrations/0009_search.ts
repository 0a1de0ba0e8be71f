/**
 * Full-text and vector indexes of messages and passages; the owner's id is a term of the text index, so that it
 * restricts the search.
 */
import type { Migration } from "./migration.ts";

export const search: Migration = {
  name: "0009_search",
  statements: (flavor) => [
    ...flavor.textIndex("message", "agent_id", "search_text"),
    ...flavor.textIndex("passage", "owner_id", "body"),
    ...flavor.enableVectors,
    `create table message_vector (
       message_id text primary key references message (id) on delete cascade,
       org_id text not null references organization (id) on delete cascade,
       agent_id text not null,
       model text not null,
       dimension integer not null,
       vector ${flavor.vector} not null)`,
    `create index message_vector_agent on message_vector (agent_id, model)`,
    `create table passage_vector (
       passage_id text primary key references passage (id) on delete cascade,
       org_id text not null references organization (id) on delete cascade,
       owner_id text not null,
       model text not null,
       dimension integer not null,
       vector ${flavor.vector} not null)`,
    `create index passage_vector_owner on passage_vector (owner_id, model)`,
  ],
};
