/** Every migration, in order. */
import { tenants } from "./0001_tenants.ts";
import { memory } from "./0002_memory.ts";
import { conversations } from "./0003_conversations.ts";
import { tools } from "./0004_tools.ts";
import { archives } from "./0005_archives.ts";
import { runs } from "./0006_runs.ts";
import { groups } from "./0007_groups.ts";
import { models } from "./0008_models.ts";
import { search } from "./0009_search.ts";
import { openRuns } from "./0010_open_runs.ts";
import { longConversations } from "./0011_long_conversations.ts";
import { filesAndGroups } from "./0012_files_and_groups.ts";
import { deltas } from "./0013_deltas.ts";
import { approvals } from "./0014_approvals.ts";
import { toolPermissions } from "./0015_tool_permissions.ts";
import { keyOverrides } from "./0016_key_overrides.ts";
import { takeovers } from "./0017_takeovers.ts";
import { tokenCounts } from "./0018_token_counts.ts";
import { outboxClaims } from "./0019_outbox_claims.ts";
import type { Migration } from "./migration.ts";

export const migrations: readonly Migration[] = [
  tenants,
  memory,
  conversations,
  tools,
  archives,
  runs,
  groups,
  models,
  search,
  openRuns,
  longConversations,
  filesAndGroups,
  deltas,
  approvals,
  toolPermissions,
  keyOverrides,
  takeovers,
  tokenCounts,
  outboxClaims,
];
