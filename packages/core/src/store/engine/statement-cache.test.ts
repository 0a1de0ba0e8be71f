import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { maxStatements, StatementCache } from "./statement-cache.ts";

test("the cache of statements stays within its limit, and the newest stay", () => {
  const cache = new StatementCache();
  const statementOf = (index: number) => ({ sql: `statement ${index}` }) as CompiledQuery;
  for (let index = 0; index <= maxStatements; index++) cache.set(`key ${index}`, statementOf(index));
  expect(cache.get("key 0")).toBeUndefined();
  expect(cache.get("key 1")).toEqual(statementOf(1));
  expect(cache.get(`key ${maxStatements}`)).toEqual(statementOf(maxStatements));
});
