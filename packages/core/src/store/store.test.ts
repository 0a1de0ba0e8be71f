import { sql } from "kysely";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { defaultOrgId } from "../ids.ts";
import { openTestStore } from "../testing/databases.ts";

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

async function waitUntilGone(admin: Client, pid: number): Promise<void> {
  for (;;) {
    const { rowCount } = await admin.query("select from pg_stat_activity where pid = $1", [pid]);
    if (rowCount === 0) return;
  }
}
