/** How often a run was taken over since its last event: one that ends the process each time must not go on forever. */
import type { Migration } from "./migration.ts";

export const takeovers: Migration = {
  name: "0017_takeovers",
  statements: () => ["alter table run add column takeovers integer not null default 0"],
};
