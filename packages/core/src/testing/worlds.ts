/** What tests of services start from: a running Memoir, its default user, and a second way into the same database. */
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, onTestFinished, type TestContext } from "vitest";
import { Memoir, type MemoirOptions } from "../memoir.ts";
import type { AgentView } from "../services/agent-view/agent-view.ts";
import type { NewAgent } from "../services/agents/agent-create.ts";
import type { Actor } from "../shared/actor.ts";
import { defaultOrgId } from "../shared/ids.ts";
import type { Scope } from "../store/engine/scope.ts";
import { Store } from "../store/engine/store.ts";
import { createDatabase, type DialectName, testEncryptionKey, withoutIndex } from "./databases.ts";

export interface World {
  readonly memoir: Memoir;
  readonly actor: Actor;
  readonly database: string;
  /** Rows of the default organization as they are stored. */
  readonly scope: Scope;
  readonly store: Store;
  /** An agent of the model that needs no key. */
  createAgent(input?: NewAgent): Promise<AgentView>;
  /** Another program on the same database. */
  openAnother(options?: Partial<MemoirOptions>): Promise<Memoir>;
}

export async function openWorld(
  dialect: DialectName,
  context: TestContext,
  options: Partial<MemoirOptions> = {},
): Promise<World> {
  const database = dialect === "sqlite" ? await copyFile(context) : await copyPostgres(context);
  const openAnother = async (others: Partial<MemoirOptions> = {}) => {
    const memoir = new Memoir({
      ...{ database, encryptionKey: testEncryptionKey, sandboxes: withoutIndex },
      ...options,
      ...others,
    });
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
    createAgent: (input = {}) => memoir.agents.create(actor, { model: "memoir/demo", ...input }),
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

/**
 * Worlds are copies of one database per test file that is migrated and has the base tools: making it takes longer than
 * most tests.
 */
const models: { file?: Promise<string>; postgres?: Promise<string> } = {};
const cleanups: (() => void | Promise<void>)[] = [];

afterAll(async () => {
  for (const clean of cleanups) await clean();
});

async function copyFile(context: TestContext): Promise<string> {
  models.file ??= makeFile();
  const database = await createDatabase("sqlite", context);
  copyFileSync(await models.file, database);
  return database;
}

async function makeFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "memoir-world-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, "memoir.db");
  await settle(database);
  return database;
}

async function copyPostgres(context: TestContext): Promise<string> {
  const admin = process.env.MEMOIR_TEST_POSTGRES;
  // Says why there is none.
  if (!admin) return await createDatabase("postgres", context);
  models.postgres ??= makePostgres(admin);
  const { name, url } = nameDatabase(admin);
  await runAsAdmin(admin, `create database ${name} template ${await models.postgres}`);
  onTestFinished(() => runAsAdmin(admin, `drop database if exists ${name} with (force)`));
  return url;
}

async function makePostgres(admin: string): Promise<string> {
  const { name, url } = nameDatabase(admin);
  await runAsAdmin(admin, `create database ${name}`);
  cleanups.push(() => runAsAdmin(admin, `drop database if exists ${name} with (force)`));
  await settle(url);
  return name;
}

async function settle(database: string): Promise<void> {
  const memoir = new Memoir({ database, encryptionKey: testEncryptionKey });
  await memoir.start();
  await memoir.close();
}

function nameDatabase(admin: string): { name: string; url: string } {
  const name = `memoir_${randomBytes(6).toString("hex")}`;
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { name, url: url.toString() };
}

async function runAsAdmin(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
