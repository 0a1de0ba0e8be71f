/**
 * Distinguishes claimed webhooks from those that wait for their next attempt, so that a crash costs the former no
 * attempt.
 */
import type { Migration } from "./migration.ts";

export const outboxClaims: Migration = {
  name: "0019_outbox_claims",
  statements: () => ["alter table outbox add column claimed_until bigint"],
};
