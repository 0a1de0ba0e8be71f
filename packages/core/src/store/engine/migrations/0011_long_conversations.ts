/**
 * When an agent was told that its context is filling up, so that it is told once each time. And an index from which an
 * agent's messages can be counted without reading them: that took 90 ms of a turn once there were 110,000.
 */
import type { Migration } from "./migration.ts";

export const longConversations: Migration = {
  name: "0011_long_conversations",
  statements: () => [
    `alter table conversation add column warned_at bigint`,
    `drop index message_agent`,
    `create index message_agent on message (agent_id, seq, org_id)`,
  ],
};
