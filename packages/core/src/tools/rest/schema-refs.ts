/**
 * Schemas of an OpenAPI document as models and our own checks take them: references put in place, words that only OpenAPI
 * has left out or said in JSON Schema.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../shared/json.ts";

/** The document, and how much of it may still be written out for this tool. */
export interface Writing {
  readonly document: JsonObject;
  left: number;
}

/** More than this no model can fill in; documents can be made that unfold without end. */
export const maxSchemaNodes = 5_000;

export class TooLargeSchema extends Error {}

const plainWords: ReadonlySet<string> = new Set(
  (
    "type title description enum const default format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf " +
    "minLength maxLength minItems maxItems uniqueItems minProperties maxProperties required"
  ).split(" "),
);
const schemaWords: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);
const listWords: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);

/** Follows `$ref` inside the document; undefined where it leads out of it or nowhere. */
export function resolveRef(document: JsonObject, value: JsonValue | undefined): JsonObject | undefined {
  let found = value;
  for (let hops = 0; hops < 20; hops++) {
    if (!isJsonObject(found)) return undefined;
    if (typeof found.$ref !== "string") return found;
    found = findRef(document, found.$ref);
  }
  return undefined;
}

function findRef(document: JsonObject, ref: string): JsonValue | undefined {
  if (!ref.startsWith("#/")) return undefined;
  return ref
    .slice(2)
    .split("/")
    .map((part) => safeDecode(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<JsonValue | undefined>((value, part) => {
      const isOwn = typeof value === "object" && value !== null && Object.hasOwn(value, part);
      return isOwn ? (value as JsonObject)[part] : undefined;
    }, document);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `path` holds the references on the way here: what comes back to itself is left open. */
export function writeSchema(writing: Writing, value: JsonValue | undefined, path: readonly string[] = []): JsonObject {
  if (--writing.left < 0) throw new TooLargeSchema();
  if (!isJsonObject(value)) return {};
  if (typeof value.$ref === "string") {
    const { $ref, ...beside } = value;
    if (path.includes($ref)) return {};
    const inner = writeSchema(writing, findRef(writing.document, $ref), [...path, $ref]);
    return typeof beside.description === "string" ? { ...inner, description: beside.description } : inner;
  }
  const written: Record<string, JsonValue> = {};
  for (const [word, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    if (plainWords.has(word)) written[word] = inner;
    else if (schemaWords.has(word)) {
      written[word] = typeof inner === "boolean" ? inner : writeSchema(writing, inner, path);
    } else if (listWords.has(word) && Array.isArray(inner)) {
      written[word] = inner.map((item) => writeSchema(writing, item, path));
    } else if (word === "properties" && isJsonObject(inner)) written.properties = writeProperties(writing, inner, path);
  }
  return withoutOldWords(written, value);
}

/** What only answers hold is not asked for. */
function writeProperties(writing: Writing, properties: JsonObject, path: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, property]) => resolveRef(writing.document, property)?.readOnly !== true)
      .map(([name, property]) => [name, writeSchema(writing, property, path)]),
  );
}

/** OpenAPI 3.0 says `nullable`, and of limits only that they are excluded. */
function withoutOldWords(written: Record<string, JsonValue>, input: JsonObject): JsonObject {
  const { properties, required } = written;
  if (isJsonObject(properties) && Array.isArray(required)) {
    written.required = required.filter((name) => typeof name === "string" && Object.hasOwn(properties, name));
  }
  for (const [limit, excluded] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof written[excluded] !== "boolean") continue;
    if (written[excluded] && written[limit] !== undefined) {
      written[excluded] = written[limit];
      delete written[limit];
    } else delete written[excluded];
  }
  if (input.nullable === true && typeof written.type === "string") {
    written.type = [written.type, "null"];
    if (Array.isArray(written.enum) && !written.enum.includes(null)) written.enum = [...written.enum, null];
  }
  return written;
}
