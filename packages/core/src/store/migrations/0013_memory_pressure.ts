/** When an agent was told that its context is filling up, so that it is told once each time. */
import type { Migration } from "./migration.ts";

export const memoryPressure: Migration = {
  name: "0013_memory_pressure",
  statements: () => [`alter table conversation add column warned_at bigint`],
};
