/** Compares a database with what its clients know, and tells them how the requests under way ended. */
import type { Client } from "./client.ts";
import type { Database } from "./database.ts";
import { findDefects } from "./defects.ts";
import { type Observed, observe } from "./observe.ts";
import { readRows } from "./rows.ts";
import type { SharedBlocks } from "./shared.ts";
import { compareWorlds, emptyWorld } from "./world.ts";

export type Checked = {
  problems: string[];
  /** Requests that were never answered, and how many of them had happened. */
  unanswered: number;
  happened: number;
};

/** No request may be under way. */
export async function check(database: Database, clients: readonly Client[], shared: SharedBlocks): Promise<Checked> {
  const damage = await database.findDamage();
  const rows = await database.look(readRows);
  const observed: Observed = rows ? observe(rows) : { worlds: new Map(), ids: new Map() };
  const checked: Checked = { problems: [...damage, ...(rows ? findDefects(rows) : [])], unanswered: 0, happened: 0 };
  checked.problems.push(...shared.settle(observed.worlds.get("shared")?.blocks ?? {}));
  for (const client of clients) settleClient(client, observed, checked);
  const owners = new Set(["shared", ...clients.map(({ name }) => name)]);
  const strangers = [...observed.worlds.keys()].filter((owner) => !owners.has(owner));
  checked.problems.push(...strangers.map((owner) => `there are things of ${owner}, whom nobody knows`));
  return checked;
}

/** The client's world must be there as it is, or with its open request: then that has happened. */
function settleClient(client: Client, { worlds, ids }: Observed, checked: Checked): void {
  const found = worlds.get(client.name) ?? emptyWorld();
  const problems = compareWorlds(client.world, found);
  if (client.pending) {
    checked.unanswered++;
    const next = structuredClone(client.world);
    client.pending.apply(next);
    if (problems.length > 0 && compareWorlds(next, found).length === 0) {
      checked.happened++;
      client.world = next;
      problems.length = 0;
    }
  }
  client.pending = undefined;
  client.ids = ids.get(client.name) ?? new Map();
  checked.problems.push(...problems, ...client.problems.splice(0));
}
