/**
 * Databases for tests: a fresh one for each, on both dialects. `npm test` starts PostgreSQL and names it in
 * MEMOIR_TEST_POSTGRES; where there is none, the test skips and says so.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { onTestFinished, type TestContext } from "vitest";
import { Memoir, type MemoirOptions } from "../memoir.ts";
import type { SandboxSettings } from "../services/sandboxes/open-sandboxes.ts";
import { Store, type StoreOptions } from "../store/engine/store.ts";
import { ensureDefaults } from "../store/system.ts";

export const dialects = ["sqlite", "postgres"] as const;

export type DialectName = (typeof dialects)[number];

/** Where a fresh, empty database is; gone when the test ends. */
export async function createDatabase(dialect: DialectName, context: TestContext): Promise<string> {
  return dialect === "sqlite" ? createFile() : await createPostgres(context);
}

/** Where syncing to disk costs nothing, if there is room: what these tests ask for is order and content, not the disk. */
const fastFolder = findRoom("/dev/shm") >= 512 * 2 ** 20 ? "/dev/shm" : tmpdir();

function findRoom(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function createFile(): string {
  const folder = mkdtempSync(join(fastFolder, "memoir-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "memoir.db");
}

async function createPostgres(context: TestContext): Promise<string> {
  const admin = process.env.MEMOIR_TEST_POSTGRES;
  if (!admin) return context.skip("postgres: none is running here, which `npm test` starts");
  const name = `memoir_${randomBytes(6).toString("hex")}`;
  await runAsAdmin(admin, `create database ${name}`);
  onTestFinished(() => runAsAdmin(admin, `drop database if exists ${name} with (force)`));
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.toString();
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

/** A migrated store with the default organization in it. */
export async function openTestStore(
  dialect: DialectName,
  context: TestContext,
  options: Partial<StoreOptions> = {},
): Promise<Store> {
  const store = await Store.open({ database: await createDatabase(dialect, context), ...options });
  onTestFinished(() => store.close());
  await store.migrate();
  await ensureDefaults(store);
  return store;
}

export const testEncryptionKey = "a key for tests";

/** Tests install packages only from an index of their own. */
export const withoutIndex: SandboxSettings = {
  installs: { variables: { PIP_NO_INDEX: "1", npm_config_offline: "true" } },
  environments: { folder: join(tmpdir(), "memoir-test-environments") },
};

export async function openTestMemoir(
  dialect: DialectName,
  context: TestContext,
  options: Partial<MemoirOptions> = {},
): Promise<Memoir> {
  const database = await createDatabase(dialect, context);
  const memoir = new Memoir({ database, encryptionKey: testEncryptionKey, sandboxes: withoutIndex, ...options });
  await memoir.start();
  onTestFinished(() => memoir.close());
  return memoir;
}
