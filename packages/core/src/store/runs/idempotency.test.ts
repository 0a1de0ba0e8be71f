import { expect, test } from "vitest";
import { defaultOrgId } from "../../shared/ids.ts";
import { dialects, openTestStore } from "../../testing/databases.ts";
import { listOrgsWithOld } from "../system.ts";
import { deleteOldTokens, saveToken } from "./idempotency.ts";

test.for(dialects)("%s: names of requests go when nobody would make them again", async (dialect, context) => {
  const store = await openTestStore(dialect, context);
  await store.write(defaultOrgId, (scope) => saveToken(scope, "token", "run-1"));
  const later = store.now() + 1_000_000;
  expect(await listOrgsWithOld(store, "idempotency_key", 0)).toEqual([]);
  expect(await listOrgsWithOld(store, "idempotency_key", later)).toEqual([defaultOrgId]);
  const sweep = (moment: number) => store.write(defaultOrgId, (scope) => deleteOldTokens(scope, moment, 10));
  expect([await sweep(0), await sweep(later), await sweep(later)]).toEqual([0, 1, 0]);
});
