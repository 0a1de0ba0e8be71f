import { expect, test } from "vitest";
import type { JsonObject } from "../../shared/json.ts";
import { toStrictSchema } from "./strict-schema.ts";

const word = { type: "string", description: "A word." };

test("a schema that requires all it names is closed, at every depth", () => {
  const inner = { type: "object", properties: { word }, required: ["word"] };
  const schema = {
    type: "object",
    properties: { list: { type: "array", items: inner }, either: { anyOf: [inner, { type: "null" }] } },
    required: ["list", "either"],
  };
  const closed = { ...inner, additionalProperties: false };
  expect(toStrictSchema(schema)).toEqual({
    ...schema,
    properties: { list: { type: "array", items: closed }, either: { anyOf: [closed, { type: "null" }] } },
    additionalProperties: false,
  });
});

test.for<[string, JsonObject]>([
  ["an optional property", { type: "object", properties: { word }, required: [] }],
  ["any further properties", { type: "object", properties: { word }, required: ["word"], additionalProperties: true }],
  ["properties that are not named", { type: "object" }],
  ["a keyword strict modes may not know", { type: "string", pattern: "^a" }],
  [
    "an optional property deep inside",
    { type: "array", items: { type: "object", properties: { word }, required: [] } },
  ],
  ["properties of no object", { properties: { word }, required: ["word"] }],
])("a schema with %s is not strict", ([, schema]) => {
  expect(toStrictSchema(schema)).toBeUndefined();
});
