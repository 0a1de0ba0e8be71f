/** Pieces of replies are found by their age when their time is over, and runs under way without going through all others. */
import type { Migration } from "./migration.ts";

export const deltas: Migration = {
  name: "0013_deltas",
  statements: () => [
    `create index run_event_delta on run_event (created_at) where type = 'delta'`,
    `create index run_open_org on run (org_id, created_at, id) where ended_at is null`,
  ],
};
