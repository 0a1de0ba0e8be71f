/** Indexes for finding expired deltas by age, and active runs without scanning all runs. */
import type { Migration } from "./migration.ts";

export const deltas: Migration = {
  name: "0013_deltas",
  statements: () => [
    `create index run_event_delta on run_event (created_at) where type = 'delta'`,
    `create index run_open_org on run (org_id, created_at, id) where ended_at is null`,
  ],
};
