/**
 * Whether a key may override an agent's instructions, model and tools per message; keys of a whole organization may.
 */
import type { Migration } from "./migration.ts";

export const keyOverrides: Migration = {
  name: "0016_key_overrides",
  statements: () => [
    "alter table api_key add column may_override smallint not null default 0",
    "update api_key set may_override = 1 where agent_id is null",
  ],
};
