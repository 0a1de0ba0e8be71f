/**
 * JSON schemas as Gemini takes them: a part of OpenAPI's, without references, alternatives other than `anyOf`, lists of
 * types, or keywords it does not know. It refuses a whole request for one of them.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../shared/json.ts";

const plainKeywords = [
  ..."title description minItems maxItems minLength maxLength minimum maximum minProperties maxProperties".split(" "),
  "pattern",
];
const formats = new Set(["int32", "int64", "float", "double", "enum", "date-time"]);
/** A schema that holds itself is cut off here. */
const maxLevels = 12;

export function toGoogleSchema(schema: JsonValue): JsonObject {
  return convert(schema, schema, 0);
}

function convert(value: JsonValue | undefined, root: JsonValue, level: number): JsonObject {
  const schema = resolve(value, root);
  if (level > maxLevels) return { type: "OBJECT" };
  const next = (inner: JsonValue | undefined) => convert(inner, root, level + 1);
  const { type, isNullable, choices } = readType(schema);
  const { properties, required, items, enum: values, const: only, format } = schema;
  const clean: Record<string, JsonValue> = {};
  for (const key of plainKeywords) if (schema[key] !== undefined) clean[key] = schema[key];
  if (typeof format === "string" && formats.has(format)) clean.format = format;
  if (isNullable) clean.nullable = true;
  if (choices.length > 0) return { ...clean, anyOf: choices.map(next) };
  clean.type = type;
  if (type === "OBJECT" && isJsonObject(properties)) {
    const names = Object.keys(properties);
    if (names.length > 0) clean.properties = Object.fromEntries(names.map((name) => [name, next(properties[name])]));
    const needed = Array.isArray(required) ? required.filter((name) => names.includes(String(name))) : [];
    if (needed.length > 0) clean.required = needed;
  }
  // A list must say of what.
  if (type === "ARRAY") clean.items = items === undefined ? { type: "STRING" } : next(items);
  const allowed = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const texts = allowed.filter((each) => typeof each === "string");
  if (type === "STRING" && texts.length > 0) clean.enum = texts;
  else if (allowed.length > 0) clean.description = describeValues(schema, allowed);
  return clean;
}

/** Only texts may be listed; of numbers it can only be told. */
function describeValues({ description }: JsonObject, allowed: readonly JsonValue[]): string {
  const told = `One of: ${allowed.map((value) => JSON.stringify(value)).join(", ")}`;
  return typeof description === "string" ? `${description} ${told}` : told;
}

interface ReadType {
  readonly type: string;
  readonly isNullable: boolean;
  /** Alternatives, where there is more than one. */
  readonly choices: readonly JsonValue[];
}

function readType(schema: JsonObject): ReadType {
  const { type, anyOf, oneOf, nullable } = schema;
  const alternatives = [anyOf, oneOf].find((list) => Array.isArray(list)) as readonly JsonValue[] | undefined;
  if (alternatives) {
    return {
      type: "OBJECT",
      isNullable: nullable === true || alternatives.some(isNull),
      choices: alternatives.filter((choice) => !isNull(choice)),
    };
  }
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
  const real = types.filter((each) => each !== "null");
  const isNullable = nullable === true || (types.length > real.length && real.length > 0);
  if (real.length > 1) {
    const { description: _, ...rest } = schema;
    return { type: "", isNullable, choices: real.map((each) => ({ ...rest, type: each })) };
  }
  return { type: (real[0] ?? guessType(schema)).toUpperCase(), isNullable, choices: [] };
}

function guessType({ properties, items, enum: values, const: only }: JsonObject): string {
  if (properties !== undefined) return "object";
  if (items !== undefined) return "array";
  const [value] = Array.isArray(values) ? values : [only];
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "string";
}

function isNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && (schema.type === "null" || schema.const === null);
}

/** The schema itself instead of its name, and all of them in one where all must hold. */
function resolve(value: JsonValue | undefined, root: JsonValue): JsonObject {
  let schema = isJsonObject(value) ? value : {};
  for (let hops = 0; typeof schema.$ref === "string" && hops < maxLevels; hops++) {
    const { $ref, ...rest } = schema;
    schema = { ...follow(root, $ref), ...rest };
  }
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  return allOf.reduce<JsonObject>((merged, each) => merge(merged, resolve(each, root)), rest);
}

function merge(first: JsonObject, second: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...second, ...first };
  if (isJsonObject(first.properties) && isJsonObject(second.properties)) {
    merged.properties = { ...second.properties, ...first.properties };
  }
  if (Array.isArray(first.required) && Array.isArray(second.required)) {
    merged.required = [...first.required, ...second.required];
  }
  return merged;
}

function follow(root: JsonValue, pointer: string): JsonObject {
  const steps = pointer.split("/").slice(1);
  const found = steps.reduce<JsonValue | undefined>(
    (value, step) => (isJsonObject(value) ? value[decodeStep(step)] : undefined),
    root,
  );
  return isJsonObject(found) ? found : {};
}

function decodeStep(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
}
