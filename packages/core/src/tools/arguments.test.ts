/** Arguments are held against the schema whichever draft it is written in. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { checkArguments } from "./arguments.ts";

const check = (x: JsonObject, value: unknown, more: JsonObject = {}) =>
  checkArguments("roll", { ...more, type: "object", properties: { x } }, { x: value } as JsonObject);

describe("tuples", () => {
  test.for<[string, JsonObject]>([
    ["of today", { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], minItems: 2, maxItems: 2 }],
    ["of old", { type: "array", items: [{ type: "integer" }, { type: "string" }], additionalItems: false }],
  ])("%s", ([, schema]) => {
    expect(() => check(schema, [1, "a"])).not.toThrow();
    expect(() => check(schema, ["a", 1])).toThrow(/x\/0 must be integer; x\/1 must be string/);
    expect(() => check(schema, [1, "a", 2])).toThrow("must NOT have more than 2 items");
  });
});

test.for([
  "https://json-schema.org/draft/2020-12/schema",
  "http://json-schema.org/draft-07/schema#",
  "https://schemas.example/odd",
])("a schema that says it follows %s is followed", ($schema) => {
  expect(() => check({ type: "integer" }, "a", { $schema })).toThrow("x must be integer");
});

test("a schema that is none lets everything through", () => {
  expect(() => check({ type: "odd" }, "a")).not.toThrow();
});

describe("schemas that would keep everybody waiting", () => {
  test.for([
    ["a pattern that goes back and forth", { type: "string", pattern: "^(a+)+$" }, `${"a".repeat(60)}!`],
    [
      "a list whose items are compared with each other",
      { uniqueItems: true },
      Array.from({ length: 60_000 }, (_, a) => ({ a })),
    ],
  ] as const)("%s is given up, and the next check is made", ([, property, x]) => {
    expect(() => check(property, x)).toThrow("take too long to check");
    expect(() => check({ type: "string" }, 1)).toThrow("x must be string");
  });

  test("one that unfolds is not held against the model, and the next is read", () => {
    let wide: JsonObject = { type: "string" };
    for (let level = 0; level < 17; level++) wide = { anyOf: [wide, wide] };
    expect(() => check(wide, 1)).not.toThrow();
    expect(() => check({ type: "boolean" }, 1)).toThrow("x must be boolean");
  });

  test("of very many faults only the first are told", () => {
    const items = Array.from({ length: 1_000 }, () => 1);
    expect(() => check({ items: { type: "string" } }, items)).toThrow(/x\/9 must be string; and 990 more\. Nothing/);
  });
});
