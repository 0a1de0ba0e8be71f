/** The grades of schemas, each with the reason that an importer of tools is shown. */
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import { gradeSchema, type SchemaGrade } from "./schema-health.ts";

const closed = { additionalProperties: false };
const object = (properties: JsonValue, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...closed,
  ...more,
});
const text = { type: "string" };

test.for<[string, JsonValue, SchemaGrade, string?]>([
  ["every property named", object({ a: text }, { required: ["a"] }), "strict"],
  ["an optional property", object({ a: text }), "strict"],
  ["nothing to send", object({}), "strict"],
  ["a union", object({ a: { anyOf: [text, { type: "null" }] } }), "strict"],
  ["a list of types", object({ a: { type: ["string", "null"] } }), "strict"],
  ["an array of objects", object({ a: { type: "array", items: object({ b: text }) } }), "strict"],
  ["a tuple", object({ a: { type: "array", prefixItems: [text] } }), "strict"],
  ["an open object", { type: "object", properties: {} }, "loose", "root: additionalProperties is not false"],
  ["an open one inside", object({ a: { type: "object" } }), "loose", "root.a: additionalProperties is not false"],
  [
    "a dictionary",
    object({ a: { type: "object", additionalProperties: text } }),
    "loose",
    "root.a: additionalProperties",
  ],
  ["no object", text, "invalid", "root: it is not the schema of an object"],
  ["no schema", null, "invalid", "root: it is not the schema of an object"],
  ["no type", object({ a: { description: "any" } }), "invalid", "root.a: it says no type"],
  ["an unknown type", object({ a: { type: ["string", "text"] } }), "invalid", 'root.a: the type "text" is not known'],
  ["properties in a list", object([]), "invalid", "root: properties is no object"],
  ["required as a flag", object({ a: text }, { required: true }), "invalid", "root: required is no list"],
  ["required and absent", object({}, { required: ["a"] }), "invalid", 'root: required names "a"'],
  ["an array of what", object({ a: { type: "array" } }), "invalid", "root.a: it is an array without items"],
  [
    "a required object that must be empty",
    object({ a: object({ b: text }) }, { required: ["a"] }),
    "invalid",
    "root.a: it is required, and nothing has to be in it",
  ],
  ["a fault in a union", object({ a: { anyOf: [text, {}] } }), "invalid", "root.a.anyOf.1: it says no type"],
  ["a property that is no schema", object({ a: true }), "invalid", "root.a: it is no schema"],
])("%s", ([, schema, grade, reason]) => {
  const health = gradeSchema(schema);
  expect(health.grade).toBe(grade);
  expect(health.reasons).toEqual(reason === undefined ? [] : expect.arrayContaining([expect.stringContaining(reason)]));
});

test("a schema that goes on and on is graded too", () => {
  let schema: JsonObject = text;
  for (let depth = 0; depth < 5_000; depth++) schema = object({ a: schema });
  expect(gradeSchema(schema)).toMatchObject({ grade: "invalid", reasons: [expect.stringContaining("too deeply")] });
});
