import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { defaultOrgId, newId } from "../../shared/ids.ts";
import { dialects, openTestStore } from "../../testing/databases.ts";
import { insertOrganization } from "../system.ts";
import { prepare } from "./prepared.ts";

const listTaken = prepare((scope, values: { action: string; after: number }) =>
  scope
    .select("audit")
    .select("id")
    .where("action", "=", values.action)
    .where("created_at", ">", values.after)
    .orderBy("id"),
);

describe.each(dialects)("%s", (dialect) => {
  test("a statement that was built once sees the values and the organization of each call", async (context) => {
    const store = await openTestStore(dialect, context);
    const orgs = [defaultOrgId, newId("org")] as const;
    await insertOrganization(store, { id: orgs[1], name: "other", createdAt: 1 });
    for (const [index, orgId] of orgs.entries()) {
      await store.write(orgId, async (scope) => {
        const rows = ["read", "write"].flatMap((action) =>
          [1, 2].map((at) => ({ id: `audit-${index}-${action}-${at}`, action, created_at: at })),
        );
        await scope.insertAll("audit", rows);
      });
    }
    const list = async (orgId: string, action: string, after: number) =>
      (await listTaken(store.read(orgId), { action, after })).map(({ id }) => id);
    expect(await list(orgs[0], "read", 0)).toEqual(["audit-0-read-1", "audit-0-read-2"]);
    expect(await list(orgs[1], "read", 0)).toEqual(["audit-1-read-1", "audit-1-read-2"]);
    expect(await list(orgs[1], "write", 1)).toEqual(["audit-1-write-2"]);
  });

  test("rows inserted together may each have columns of their own", async (context) => {
    const store = await openTestStore(dialect, context);
    const [plain, told] = [
      { id: "audit-1", action: "a", created_at: 1 },
      { action: "b", id: "audit-2", created_at: 2, target: "x" },
    ];
    for (const rows of [
      [plain],
      [told],
      [
        { ...plain, id: "audit-3" },
        { ...told, id: "audit-4" },
      ],
    ]) {
      await store.write(defaultOrgId, (scope) => scope.insertAll("audit", rows));
    }
    const rows = await store
      .read(defaultOrgId)
      .select("audit")
      .select(["id", "action", "target"])
      .orderBy("id")
      .execute();
    expect(rows.map((row) => Object.values(row))).toEqual([
      ["audit-1", "a", null],
      ["audit-2", "b", "x"],
      ["audit-3", "a", null],
      ["audit-4", "b", "x"],
    ]);
  });

  test("a row with a computed value, or with none, changes nothing for the rows after it", async (context) => {
    const store = await openTestStore(dialect, context);
    const add = (row: { readonly id: string; readonly action: unknown; readonly target?: unknown }) =>
      store.write(defaultOrgId, (scope) => scope.insertAll("audit", [{ ...row, created_at: 1 } as never]));
    await add({ id: "audit-1", action: sql`upper(cast(${"computed"} as text))`, target: "x" });
    await add({ id: "audit-2", action: "plain", target: "x" });
    await add({ id: "audit-3", action: "plain", target: undefined });
    await add({ id: "audit-4", action: sql`upper(cast(${"computed"} as text))`, target: "x" });
    const rows = await store.read(defaultOrgId).select("audit").select(["action", "target"]).orderBy("id").execute();
    expect(rows.map((row) => Object.values(row))).toEqual([
      ["COMPUTED", "x"],
      ["plain", "x"],
      ["plain", null],
      ["COMPUTED", "x"],
    ]);
  });

  test("a value that never reaches the statement is a mistake", async (context) => {
    const store = await openTestStore(dialect, context);
    const scope = store.read(defaultOrgId);
    const deaf = prepare((template, _: { action: string }) => template.select("audit").select("id"));
    await expect(deaf(scope, { action: "read" })).rejects.toThrow('"action" is no value of the statement');
  });

  test("a statement of another organization is not run for having a value equal to the caller's own", async (context) => {
    const store = await openTestStore(dialect, context);
    const [own, other] = [defaultOrgId, newId("org")];
    await insertOrganization(store, { id: other, name: "other", createdAt: 1 });
    await store.write(other, (scope) => scope.insertAll("audit", [{ id: "audit-1", action: own, created_at: 1 }]));
    const leak = prepare((_, values: { action: string }) =>
      store.read(other).select("audit").select("id").where("action", "=", values.action),
    );
    await expect(leak(store.read(own), { action: own })).rejects.toThrow("a statement of no organization");
  });
});
