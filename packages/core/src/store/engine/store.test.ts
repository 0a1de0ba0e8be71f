import { once } from "node:events";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { sql } from "kysely";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { defaultOrgId } from "../../shared/ids.ts";
import { createDatabase, dialects, openTestStore } from "../../testing/databases.ts";
import { inspectTables } from "../../testing/rows.ts";
import { ThreadNeeded } from "../../threads/threads.ts";
import { Store } from "./store.ts";

test("postgres: a connection that breaks inside a transaction fails that transaction and nothing else", async (context) => {
  const store = await openTestStore("postgres", context);
  const admin = new Client({ connectionString: process.env.MEMOIR_TEST_POSTGRES });
  await admin.connect();
  onTestFinished(() => admin.end());
  const broken = store.write(defaultOrgId, async (scope) => {
    const { pid } = await scope
      .select("user")
      .select(sql<number>`pg_backend_pid()`.as("pid"))
      .executeTakeFirstOrThrow();
    await admin.query("select pg_terminate_backend($1)", [pid]);
    await waitUntilGone(admin, pid);
    // Long enough for the news to arrive while no statement is waiting for an answer.
    await admin.query("select pg_sleep(0.05)");
    await scope.select("user").selectAll().execute();
  });
  await expect(broken).rejects.toThrow();
  expect(await store.read(defaultOrgId).select("user").select("id").execute()).toHaveLength(1);
});

test.for(dialects)("%s: what fails within something that fails takes all of it along", async (dialect, context) => {
  const store = await openTestStore(dialect, context);
  await store.write(defaultOrgId, async (scope) => {
    const add = (id: string) => scope.insertAll("audit", [{ id, action: "test", created_at: 1 }]);
    const fail = async (work: () => Promise<unknown>) => {
      const failing = scope.nested(async () => {
        await work();
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
    };
    await add("audit-1");
    await fail(async () => {
      await add("audit-2");
      await fail(() => add("audit-3"));
    });
  });
  const rows = await store.read(defaultOrgId).select("audit").select("id").execute();
  expect(rows.map(({ id }) => id)).toEqual(["audit-1"]);
});

test.for(dialects)(
  "%s: a transaction that needs a thread is rolled back, waits for it outside, and runs again",
  async (dialect, context) => {
    const store = await openTestStore(dialect, context);
    const found: string[] = [];
    await store.write(defaultOrgId, async (scope) => {
      await scope.insertAll("audit", [{ id: `audit-${found.length}`, action: "test", created_at: 1 }]);
      if (found.length > 0) return;
      throw new ThreadNeeded(async (owner) => {
        // Nothing is locked meanwhile, and nothing was kept.
        const kept = await store.write(defaultOrgId, (other) => other.select("audit").select("id").execute());
        found.push(owner, String(kept.length));
      });
    });
    expect(found).toEqual([defaultOrgId, "0"]);
    const rows = await store.read(defaultOrgId).select("audit").select("id").execute();
    expect(rows.map(({ id }) => id)).toEqual(["audit-2"]);
  },
);

test("sqlite: a program that opens a file while another is making it waits its turn", async (context) => {
  const database = await createDatabase("sqlite", context);
  const other = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
     const { DatabaseSync } = require("node:sqlite");
     const file = new DatabaseSync(workerData);
     file.exec("begin exclusive; create table theirs (id text)");
     parentPort.postMessage("held");
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
     file.exec("commit");
     file.close();`,
    { eval: true, workerData: database },
  );
  await once(other, "message");
  const store = await Store.open({ database });
  onTestFinished(() => store.close());
  await store.migrate();
  expect((await inspectTables(store)).map(({ name }) => name)).toEqual(expect.arrayContaining(["agent", "theirs"]));
});

async function waitUntilGone(admin: Client, pid: number): Promise<void> {
  for (;;) {
    const { rowCount } = await admin.query("select from pg_stat_activity where pid = $1", [pid]);
    if (rowCount === 0) return;
  }
}

test("sqlite: a store that never read leaves one complete file when it closes", async (context) => {
  const database = await createDatabase("sqlite", context);
  const store = await Store.open({ database });
  await store.migrate();
  await store.close();
  expect(existsSync(`${database}-wal`)).toBe(false);
  const copy = await Store.open({ database, readOnly: true });
  onTestFinished(() => copy.close());
  expect((await inspectTables(copy)).map(({ name }) => name)).toContain("agent");
});

test.for(["mysql://localhost/memoir", "mongodb://h/d", "redis://h"])(
  "%s is no database Memoir can open",
  async (database) => {
    await expect(Store.open({ database })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { field: "database" },
    });
  },
);

test("sqlite: a file:// address opens the file it names", async (context) => {
  const database = await createDatabase("sqlite", context);
  const store = await Store.open({ database: pathToFileURL(database).href });
  onTestFinished(() => store.close());
  expect(store.location).toBe(database);
});
