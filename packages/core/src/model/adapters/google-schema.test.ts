import { expect, test } from "vitest";
import type { JsonValue } from "../../shared/json.ts";
import { toGoogleSchema } from "./google-schema.ts";

test.for<[string, JsonValue, JsonValue]>([
  [
    "keywords it does not know are left out",
    {
      type: "object",
      properties: { a: { type: "string", format: "uri", examples: ["x"], minLength: 1 } },
      required: ["a", "gone"],
      additionalProperties: false,
      $schema: "x",
    },
    { type: "OBJECT", properties: { a: { type: "STRING", minLength: 1 } }, required: ["a"] },
  ],
  [
    "references are followed",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/Point", description: "where" } },
      $defs: { Point: { type: "object", properties: { x: { type: "number" } } } },
    },
    {
      type: "OBJECT",
      properties: { a: { type: "OBJECT", description: "where", properties: { x: { type: "NUMBER" } } } },
    },
  ],
  [
    "null among the types becomes a flag",
    { type: ["string", "null"], description: "d" },
    { type: "STRING", nullable: true, description: "d" },
  ],
  [
    "an alternative that is null becomes a flag",
    { anyOf: [{ type: "integer" }, { type: "null" }] },
    { nullable: true, anyOf: [{ type: "INTEGER" }] },
  ],
  [
    "several types become alternatives",
    { type: ["string", "integer"] },
    { anyOf: [{ type: "STRING" }, { type: "INTEGER" }] },
  ],
  ["oneOf is anyOf", { oneOf: [{ const: "a" }] }, { anyOf: [{ type: "STRING", enum: ["a"] }] }],
  [
    "allOf is one",
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: "string" } }, required: ["b"] },
      ],
    },
    { type: "OBJECT", properties: { a: { type: "STRING" }, b: { type: "STRING" } }, required: ["a", "b"] },
  ],
  ["only texts are listed", { type: "integer", enum: [1, 2] }, { type: "INTEGER", description: "One of: 1, 2" }],
  ["a list says of what", { type: "array" }, { type: "ARRAY", items: { type: "STRING" } }],
])("%s", ([, schema, expected]) => {
  expect(toGoogleSchema(schema)).toEqual(expected);
});

test("a schema that holds itself comes to an end", () => {
  const schema = {
    $ref: "#/$defs/Node",
    $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
  };
  expect(JSON.stringify(toGoogleSchema(schema)).length).toBeLessThan(1_000);
});
