/**
 * Models write numbers, lists and objects as texts now and then. Where a schema asks for something else than a text, and
 * the text is one of those, it is taken for what it says. All of them fit afterwards, or all stay as they were.
 */
import { type JsonObject, type JsonValue, parseJson } from "../shared/json.ts";
import { thoughtArgument } from "../shared/kind-traits.ts";
import { findUnknownArguments } from "./unknown-arguments.ts";

/** Models that saw older conversations write these beside a tool's own arguments. */
const thoughtArguments: ReadonlySet<string> = new Set([thoughtArgument, "inner_thoughts"]);

export function fitArguments(schema: JsonObject, input: JsonObject): JsonObject {
  const thoughts = new Set(findUnknownArguments(schema, input).filter((name) => thoughtArguments.has(name)));
  const args = Object.fromEntries(Object.entries(input).filter(([name]) => !thoughts.has(name)));
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonValue>>;
  const fitted: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(args)) {
    const types = Object.hasOwn(properties, name) ? typesOf(properties[name]) : [];
    if (typeof value !== "string" || types.length === 0 || types.includes("string")) {
      fitted.push([name, value]);
      continue;
    }
    const read = readText(value);
    if (read === undefined || !types.includes(typeOf(read))) return args;
    fitted.push([name, read]);
  }
  return Object.fromEntries(fitted);
}

function typesOf(property: JsonValue | undefined): string[] {
  if (typeof property !== "object" || property === null || Array.isArray(property)) return [];
  const { type, anyOf } = property as JsonObject;
  if (Array.isArray(anyOf)) return anyOf.flatMap(typesOf);
  const types = (Array.isArray(type) ? type : type === undefined ? [] : [type]) as string[];
  // A whole number is a number too.
  return types.includes("number") ? [...types, "integer"] : types;
}

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "object" ? "object" : typeof value;
}

const pythonWords: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["True", true],
  ["False", false],
  ["None", null],
]);

function readText(text: string): JsonValue | undefined {
  const trimmed = text.trim();
  const word = pythonWords.get(trimmed);
  if (word !== undefined) return word;
  return parseJson(trimmed);
}
