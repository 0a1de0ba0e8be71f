import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { Memoir } from "../memoir.ts";
import { mountSmallDisk } from "../testing/database-faults.ts";
import { createDatabase, dialects, openTestStore, testEncryptionKey } from "../testing/databases.ts";
import { tell } from "../testing/talker.ts";
import { Store } from "./engine/store.ts";
import { Readiness } from "./readiness.ts";
import { ensureDefaults } from "./system.ts";

const eager = { writeEveryMs: 0, checkEveryMs: 0 };

test.for(dialects)("%s: a database that works is ready", async (dialect, context) => {
  const readiness = new Readiness(await openTestStore(dialect, context), eager);
  onTestFinished(() => readiness.close());
  for (let count = 0; count < 3; count++) await readiness.check();
});

test("sqlite: a full disk is not ready, and is again when there is room", async (context) => {
  const disk = mountSmallDisk(context, 8);
  const store = await Store.open({ database: join(disk.folder, "memoir.db") });
  onTestFinished(() => store.close());
  await store.migrate();
  await ensureDefaults(store);
  const readiness = new Readiness(store, { ...eager, checkEveryMs: Number.POSITIVE_INFINITY });
  await readiness.check();
  disk.fill();
  await expect(readiness.check()).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("no space left"),
  });
  disk.free();
  await readiness.check();
});

test("sqlite: a damaged file is not ready, and messages say what is wrong", async (context) => {
  const database = await createDatabase("sqlite", context);
  const open = async () => {
    const memoir = new Memoir({ database, encryptionKey: testEncryptionKey });
    onTestFinished(() => memoir.close());
    await memoir.start();
    return memoir;
  };
  const first = await open();
  const { agent } = await first.agents.create(first.defaultActor, { model: "memoir/demo" });
  await tell(first, agent.id, "hello");
  await first.close();
  await damage(database);
  const memoir = await open();
  await expect(tell(memoir, agent.id, "still there?")).rejects.toSatisfy((error) =>
    /malformed|damaged/.test(String(error)),
  );
  await vi.waitUntil(
    () =>
      memoir.checkReady().then(
        () => false,
        (error) => String(error).includes("damaged"),
      ),
    { timeout: 20_000 },
  );
});

/** Overwrites the pages of the messages. */
async function damage(database: string): Promise<void> {
  const store = await Store.open({ database });
  const { rows } = await sql<{
    pageno: number;
  }>`select rootpage as pageno from sqlite_schema where tbl_name = 'message'`.execute(store.unscoped);
  await store.close();
  const file = openSync(database, "r+");
  for (const { pageno } of rows)
    if (pageno > 0) writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, (pageno - 1) * 4096);
  closeSync(file);
}
