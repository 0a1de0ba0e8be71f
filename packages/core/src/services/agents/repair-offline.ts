/** Repairing an agent of a database that no Memoir of this process has open: nothing is migrated, no run is begun. */
import { MemoirError } from "../../shared/errors.ts";
import { defaultUserId } from "../../shared/ids.ts";
import type { Durability } from "../../store/engine/dialects/node-sqlite.ts";
import type { Store } from "../../store/engine/store.ts";
import { findAgentPlaces } from "../../store/system.ts";
import { withQuietStore } from "../offline/offline-store.ts";
import { examineAgent, fixAgent, type RepairReport } from "./agent-repair.ts";

export interface RepairRequest {
  readonly database: string;
  readonly durability?: Durability;
  /** An id, or a name that only one agent has. */
  readonly agent: string;
  /** Otherwise nothing is changed. */
  readonly isFix?: boolean;
}

export async function repairAgent({ agent, isFix = false, ...options }: RepairRequest): Promise<RepairReport> {
  return await withQuietStore({ ...options, readOnly: !isFix }, async (store) => {
    const { orgId, agentId } = await findAgentPlace(store, agent);
    if (!isFix) return await examineAgent(store.read(orgId), agentId);
    return await store.write(orgId, (scope) => fixAgent(scope, { orgId, userId: defaultUserId }, agentId));
  });
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
