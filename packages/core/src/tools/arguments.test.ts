/** Arguments are held against the schema whichever draft it is written in. */
import { Script } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { JsonObject } from "../shared/json.ts";
import { withThreads } from "../threads/threads.ts";
import { checkArguments } from "./arguments.ts";
import { builtinTools } from "./builtin/list.ts";

const check = (x: JsonObject, value: unknown, more: JsonObject = {}) =>
  withThreads("org", () =>
    checkArguments("roll", { ...more, type: "object", properties: { x } }, { x: value } as JsonObject),
  );

describe("tuples", () => {
  test.for<[string, JsonObject]>([
    ["of today", { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], minItems: 2, maxItems: 2 }],
    ["of old", { type: "array", items: [{ type: "integer" }, { type: "string" }], additionalItems: false }],
  ])("%s", async ([, schema]) => {
    await expect(check(schema, [1, "a"])).resolves.toBeUndefined();
    await expect(check(schema, ["a", 1])).rejects.toThrow(/x\/0 must be integer; x\/1 must be string/);
    await expect(check(schema, [1, "a", 2])).rejects.toThrow("must NOT have more than 2 items");
  });
});

test.for([
  "https://json-schema.org/draft/2020-12/schema",
  "http://json-schema.org/draft-07/schema#",
  "https://schemas.example/odd",
])("a schema that says it follows %s is followed", async ($schema) => {
  await expect(check({ type: "integer" }, "a", { $schema })).rejects.toThrow("x must be integer");
});

test("a schema that is none lets everything through", async () => {
  await expect(check({ type: "odd" }, "a")).resolves.toBeUndefined();
});

describe("schemas that would keep everybody waiting", () => {
  test.for([
    ["a pattern that goes back and forth", { type: "string", pattern: "^(a+)+$" }, `${"a".repeat(60)}!`],
    [
      "a list whose items are compared with each other",
      { uniqueItems: true },
      Array.from({ length: 60_000 }, (_, a) => ({ a })),
    ],
  ] as const)("%s is given up, and the next check is made", async ([, property, x]) => {
    await expect(check(property, x)).rejects.toThrow("take too long to check");
    await expect(check({ type: "string" }, 1)).rejects.toThrow("x must be string");
  });

  test("others are served while a slow pattern is tried", async () => {
    let turns = 0;
    const serve = setInterval(() => turns++, 1);
    await expect(check({ type: "string", pattern: "^(b+)+$" }, `${"b".repeat(60)}!`)).rejects.toThrow("take too long");
    clearInterval(serve);
    expect(turns).toBeGreaterThan(0);
  });

  test("patterns are held against the model, in its own words", async () => {
    const schema = { type: "string", pattern: "^[A-Z]{3}$" };
    await expect(check(schema, "EUR")).resolves.toBeUndefined();
    await expect(check(schema, "euro")).rejects.toThrow('x must match pattern "^[A-Z]{3}$"');
  });

  test("one that unfolds is not held against the model, and the next is read", async () => {
    let wide: JsonObject = { type: "string" };
    for (let level = 0; level < 17; level++) wide = { anyOf: [wide, wide] };
    await expect(check(wide, 1)).resolves.toBeUndefined();
    await expect(check({ type: "boolean" }, 1)).rejects.toThrow("x must be boolean");
  });

  test("of very many faults only the first are told", async () => {
    const items = Array.from({ length: 1_000 }, () => 1);
    await expect(check({ items: { type: "string" } }, items)).rejects.toThrow(
      /x\/9 must be string; and 990 more\. Nothing/,
    );
  });
});

describe("checks that are called without a watch on their time", () => {
  const watched = () => {
    const spy = vi.spyOn(Script.prototype, "runInContext");
    onTestFinished(() => spy.mockRestore());
    return spy;
  };

  test.for(builtinTools.map(({ name, parameters }) => [name, parameters] as const))(
    "500 calls of %s cost no watch once its schema is compiled",
    ([name, parameters]) => {
      const args = { label: "human", new_string: "Fact. ".repeat(1_000) };
      const tryCheck = () => {
        try {
          checkArguments(name, parameters as unknown as JsonObject, args);
        } catch (error) {
          expect(error).toHaveProperty("code", "tool-failed");
        }
      };
      tryCheck();
      const spy = watched();
      for (let call = 0; call < 500; call++) tryCheck();
      expect(spy).not.toHaveBeenCalled();
    },
  );

  test.for<[string, JsonObject, unknown]>([
    ["many values", { items: { type: "integer" } }, Array.from({ length: 100_000 }, (_, index) => index)],
    ["a very long text", { type: "string", maxLength: 10 ** 9 }, "a".repeat(10 ** 7)],
    ["a long schema", { allOf: Array.from({ length: 500 }, () => ({ items: { minimum: 0 } })) }, Array(1_000).fill(1)],
  ])("%s: the check is watched", async ([, schema, value]) => {
    await check(schema, value);
    const spy = watched();
    await check(schema, value);
    expect(spy).toHaveBeenCalled();
  });
});
