/** Counts takeovers of a run since its last event, so that a run that crashes the process is not retried forever. */
import type { Migration } from "./migration.ts";

export const takeovers: Migration = {
  name: "0017_takeovers",
  statements: () => ["alter table run add column takeovers integer not null default 0"],
};
