/**
 * Several servers started at the same instant on one empty database. PostgreSQL: one of them migrates it, the others wait,
 * all of them serve, and no write of one is lost to another. SQLite: one serves, the others are refused. Repeated, because
 * chance decides which comes first.
 */
import { expect, onTestFinished, type TestContext, test, vi } from "vitest";
import { whyMissing } from "../support/services.ts";
import { createPostgresDatabase, createSqliteDatabase, type Database } from "./database.ts";
import { type ServerProcess, startMemoir } from "./process.ts";
import { checkScene, createScene, makeSharedBlocks, type Scene, workTogether } from "./scene.ts";

const repetitions = [1, 2];
const timeout = { timeout: 300_000 };

test.for(repetitions)(
  "of three servers on one SQLite file one serves, and the others say so, time %i",
  timeout,
  async () => {
    const database = createSqliteDatabase();
    onTestFinished(database.remove);
    const servers = Array.from({ length: 3 }, () => startMemoir({ database: database.address }));
    const started = await Promise.allSettled(servers.map(({ ready }) => ready));
    const urls = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(urls).toHaveLength(1);
    expect((await fetch(`${urls[0]}/v1/agents/`)).status).toBe(200);
    for (const server of servers) server.kill("SIGTERM");
    expect((await Promise.all(servers.map(({ ended }) => ended))).toSorted()).toEqual([0, 1, 1]);
    const refusals = servers.filter((server) => server.output().includes("another Memoir server"));
    expect(refusals).toHaveLength(2);
  },
);

test.for(repetitions)("two servers on one PostgreSQL, time %i", timeout, async (_, context) =>
  startTogether(await createPostgres(context), 2),
);

test.for(repetitions)("five servers on one PostgreSQL, time %i", timeout, async (_, context) =>
  startTogether(await createPostgres(context), 5),
);

async function createPostgres(context: TestContext): Promise<Database> {
  const admin = process.env.MEMOIR_TEST_POSTGRES;
  return admin ? await createPostgresDatabase(admin) : context.skip(whyMissing("postgres"));
}

async function startTogether(database: Database, count: number): Promise<void> {
  onTestFinished(database.remove);
  const scene = createScene(database, 1);
  const servers = Array.from({ length: count }, () => startMemoir({ database: database.address }));
  const urls = await Promise.all(servers.map(({ ready }) => ready));
  await writeThroughAll(scene, urls);
  const complaints = await Promise.all(servers.map(stopAndListen));
  const migrations = await findOddMigrations(database);
  await checkScene(scene, "after all have stopped", [...complaints.flat(), ...migrations]);
}

async function writeThroughAll(scene: Scene, urls: readonly string[]): Promise<void> {
  await makeSharedBlocks(scene, urls[0] ?? "");
  const stop = new AbortController();
  const working = workTogether(scene, urls, stop.signal);
  const isDone = () => scene.clients.every(({ acknowledged, failures }) => acknowledged > 10 || failures.length > 0);
  await vi.waitUntil(isDone, { timeout: 120_000 });
  stop.abort();
  await working;
  for (const { name, failures, problems } of scene.clients) {
    problems.push(...failures.splice(0).map((failure) => `${name} was answered ${failure}`));
  }
}

/** Everything a server said that it would not say on a good day. */
async function stopAndListen(server: ServerProcess): Promise<string[]> {
  server.kill("SIGTERM");
  const status = await server.ended;
  const complaints = server
    .output()
    .split("\n")
    .filter((line) => /"level":[456]0|^memoir: /.test(line));
  return status === 0 ? complaints : [...complaints, `it ended with ${status}:\n${server.output()}`];
}

async function findOddMigrations(database: Database): Promise<string[]> {
  const rows = await database.look((query) => query("select name from memoir_migration"));
  const names = (rows ?? []).map(({ name }) => String(name));
  const isOnce = names.length > 0 && new Set(names).size === names.length;
  return isOnce ? [] : [`migrations were recorded as ${names.join(", ")}`];
}
