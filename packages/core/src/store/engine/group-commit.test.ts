import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { defaultOrgId } from "../../shared/ids.ts";
import { openTestStore } from "../../testing/databases.ts";
import { addTags } from "../agents/tags.ts";

test("while another program holds the file, writers are refused in the end, and served when it lets go", async (context) => {
  const store = await openTestStore("sqlite", context);
  const other = new DatabaseSync(store.location);
  other.exec("begin immediate");
  const write = () => store.write(defaultOrgId, async (scope) => await scope.select("user").select("id").execute());
  const outcomes = await Promise.allSettled([write(), write()]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
  }
  other.exec("rollback");
  other.close();
  expect(await write()).toHaveLength(1);
});

test("a transaction that fails leaves nothing of itself, and those that share its commit whole", async (context) => {
  const store = await openTestStore("sqlite", context);
  const work = (index: number) =>
    store.write(defaultOrgId, async (scope) => {
      await scope.insert("audit", { id: `audit-${index}`, action: "test", created_at: index }).execute();
      // The third names an agent that does not exist.
      if (index === 3) await addTags(scope, "agent", "agent-none", ["x"]);
      return index;
    });
  await expect(work(3)).rejects.toThrow();
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(work));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  const rows = await store.read(defaultOrgId).select("audit").select("id").orderBy("id").execute();
  expect(rows.map(({ id }) => id)).toEqual(["audit-1", "audit-2", "audit-4"]);
});
