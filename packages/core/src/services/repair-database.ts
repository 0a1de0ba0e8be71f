/** Repairing an agent of a database that no Memoir of this process has open: nothing is migrated, no run is begun. */
import { existsSync } from "node:fs";
import { MemoirError } from "../errors.ts";
import { defaultUserId } from "../ids.ts";
import type { Durability } from "../store/dialects/node-sqlite.ts";
import { listPending } from "../store/migrate.ts";
import { isPostgresUrl, Store } from "../store/store.ts";
import { findAgentPlaces, listRecordedMigrations } from "../store/system.ts";
import { examineAgent, fixAgent, type RepairReport } from "./repair.ts";

export interface RepairRequest {
  readonly database: string;
  readonly durability?: Durability;
  /** An id, or a name that only one agent has. */
  readonly agent: string;
  /** Otherwise nothing is changed. */
  readonly isFix?: boolean;
}

export async function repairAgent({ agent, isFix = false, ...options }: RepairRequest): Promise<RepairReport> {
  refuseMissingFile(options.database);
  const store = await Store.open({ ...options, poolSize: 2, readOnly: !isFix });
  try {
    await refuseOldRevision(store);
    const { orgId, agentId } = await findAgentPlace(store, agent);
    if (!isFix) return await examineAgent(store.read(orgId), agentId);
    return await store.write(orgId, (scope) => fixAgent(scope, { orgId, userId: defaultUserId }, agentId));
  } finally {
    await store.close();
  }
}

function refuseMissingFile(database: string): void {
  if (isPostgresUrl(database) || existsSync(database)) return;
  throw new MemoirError("unavailable", `there is no database at ${database}: name it with --database`);
}

async function refuseOldRevision(store: Store): Promise<void> {
  const pending = listPending(await listRecordedMigrations(store), store.flavor);
  if (pending.length === 0) return;
  throw new MemoirError("unavailable", "the database is of an older revision: start memoir serve once, then try again");
}

async function findAgentPlace(store: Store, agent: string) {
  const [place, ...others] = await findAgentPlaces(store, agent);
  if (!place) {
    throw new MemoirError("not-found", `there is no agent with the id or name "${agent}"`, {
      details: { entity: "agent", id: agent },
    });
  }
  if (others.length === 0) return place;
  const ids = [place, ...others].map(({ agentId }) => agentId).join(", ");
  throw new MemoirError("invalid-argument", `several agents are named "${agent}"; use an id: ${ids}`);
}
