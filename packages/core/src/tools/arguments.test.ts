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
