/** What tests of services start from: a running Memoir, its default user, and a second way into the same database. */
import { onTestFinished, type TestContext } from "vitest";
import type { Actor } from "../actor.ts";
import { defaultOrgId } from "../ids.ts";
import { Memoir, type MemoirOptions } from "../memoir.ts";
import type { NewAgent } from "../services/agent-create.ts";
import type { AgentView } from "../services/agent-view.ts";
import type { Scope } from "../store/scope.ts";
import { Store } from "../store/store.ts";
import { createDatabase, type DialectName, testEncryptionKey } from "./databases.ts";

export interface World {
  readonly memoir: Memoir;
  readonly actor: Actor;
  readonly database: string;
  /** Rows of the default organization as they are stored. */
  readonly scope: Scope;
  readonly store: Store;
  /** An agent of the model that needs no key. */
  createAgent(given?: NewAgent): Promise<AgentView>;
  /** Another program on the same database. */
  openAnother(options?: Partial<MemoirOptions>): Promise<Memoir>;
}

export async function openWorld(
  dialect: DialectName,
  context: TestContext,
  options: Partial<MemoirOptions> = {},
): Promise<World> {
  const database = await createDatabase(dialect, context);
  const openAnother = async (others: Partial<MemoirOptions> = {}) => {
    const memoir = new Memoir({ database, encryptionKey: testEncryptionKey, ...options, ...others });
    onTestFinished(() => memoir.close());
    await memoir.start();
    return memoir;
  };
  const memoir = await openAnother();
  const store = await Store.open({ database });
  onTestFinished(() => store.close());
  const actor = memoir.defaultActor;
  return {
    memoir,
    actor,
    database,
    store,
    scope: store.read(defaultOrgId),
    openAnother,
    createAgent: (given = {}) => memoir.agents.create(actor, { model: "memoir/demo", ...given }),
  };
}

/** A second organization with a user of its own, known to a Memoir that starts after it was made. */
export async function openNeighbour(world: World): Promise<{ memoir: Memoir; actor: Actor }> {
  const { store } = world;
  const at = store.now();
  const actor: Actor = { orgId: "org-neighbour", userId: "user-neighbour" };
  await store.unscoped
    .insertInto("organization")
    .values({ id: actor.orgId, name: "neighbour", base_tools_key: null, created_at: at, updated_at: at })
    .execute();
  await store.unscoped
    .insertInto("user")
    .values({ id: actor.userId, org_id: actor.orgId, name: "n", role: "owner", created_at: at, updated_at: at })
    .execute();
  return { memoir: await world.openAnother(), actor };
}
