/**
 * Strict tool calls need schemas that name every property as required and forbid others. Only schemas that already mean
 * that are sent strict. The usual trick for the rest, making optional properties nullable, would have models write null
 * where tools expect nothing.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../shared/json.ts";

/** Keywords that strict modes know, or that say nothing about values. */
const known = new Set([
  ..."type properties required additionalProperties items enum const anyOf description title default".split(" "),
]);

/** The same schema with other properties forbidden throughout; undefined when it cannot be strict. */
export function toStrictSchema(schema: JsonValue): JsonObject | undefined {
  if (!isJsonObject(schema) || Object.keys(schema).some((key) => !known.has(key))) return undefined;
  const { properties, required = [], additionalProperties, items, anyOf, ...rest } = schema;
  const strict: Record<string, JsonValue> = rest;
  if (schema.type === "object") {
    if (!isJsonObject(properties) || (additionalProperties ?? false) !== false) return undefined;
    const names = Object.keys(properties);
    if (!Array.isArray(required) || !names.every((name) => required.includes(name))) return undefined;
    const inner = mapStrict(names.map((name) => properties[name] as JsonValue));
    if (!inner) return undefined;
    strict.properties = Object.fromEntries(names.map((name, index) => [name, inner[index] as JsonObject]));
    strict.required = required;
    strict.additionalProperties = false;
  } else if (properties !== undefined || additionalProperties !== undefined) return undefined;
  if (items !== undefined) {
    const inner = toStrictSchema(items);
    if (!inner) return undefined;
    strict.items = inner;
  }
  if (anyOf !== undefined) {
    const inner = Array.isArray(anyOf) ? mapStrict(anyOf) : undefined;
    if (!inner) return undefined;
    strict.anyOf = inner;
  }
  return strict;
}

function mapStrict(schemas: readonly JsonValue[]): JsonObject[] | undefined {
  const strict = schemas.map(toStrictSchema);
  return strict.every((schema) => schema !== undefined) ? strict : undefined;
}
