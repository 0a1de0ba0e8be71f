/** Pieces of JSON schema that types of both languages come to. */
import type { JsonObject, JsonValue } from "../../shared/json.ts";

const plainKinds: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean"]);

/** Values of one kind have a type, mixed ones none. */
export function toEnum(values: readonly JsonValue[]): JsonObject {
  const kinds = new Set(values.map((value) => (Number.isInteger(value) ? "integer" : typeof value)));
  const [kind = "", ...others] = kinds;
  return { ...(others.length === 0 && plainKinds.has(kind) ? { type: kind } : {}), enum: [...new Set(values)] };
}

/** Any of these; a union in a union is one. */
export function toUnion(schemas: readonly JsonObject[]): JsonObject {
  const [only, ...others] = schemas;
  if (!only || others.length === 0) return only ?? {};
  const isUnion = (schema: JsonObject) => Object.keys(schema).join() === "anyOf";
  return { anyOf: schemas.flatMap((schema) => (isUnion(schema) ? (schema.anyOf as JsonObject[]) : [schema])) };
}

export function toTuple(items: readonly JsonObject[], required = items.length): JsonObject {
  const places: JsonObject = items.length > 0 ? { prefixItems: [...items] } : {};
  return { type: "array", ...places, minItems: required, maxItems: items.length };
}

/** Whatever the properties are called. */
export function toObject(properties: Iterable<readonly [string, JsonObject]>, required: readonly string[]): JsonObject {
  return { type: "object", properties: Object.fromEntries(properties), required: [...required] };
}

export const nothing: JsonObject = { type: "null" };
