/** Reads and checks what a model wrote as the arguments of a call. Every refusal says what to send instead. */
import { MemoirError } from "../shared/errors.ts";
import type { JsonObject } from "../shared/json.ts";
import { clip } from "./schema-check.ts";
import { findKnownFaults } from "./threaded-check.ts";
import { findUnknownArguments } from "./unknown-arguments.ts";

export function parseArguments(text: string): JsonObject {
  const parsed = text.trim() === "" ? {} : readJson(text);
  // Some models write the JSON as a text inside the JSON.
  const value = typeof parsed === "string" ? readJson(parsed) : parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MemoirError("tool-failed", "The arguments are not a JSON object. Call the tool again with an object.");
  }
  return value as JsonObject;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new MemoirError(
      "tool-failed",
      `The arguments are not valid JSON (${reason}). Nothing was done. Call the tool again with one complete JSON object.`,
    );
  }
}

export function checkArguments(tool: string, schema: JsonObject, args: JsonObject): void {
  const unknown = findUnknownArguments(schema, args).map((name) => `there is no argument "${clip(name)}"`);
  const faults = [...unknown, ...findKnownFaults({ schema, value: args, whole: "the arguments" })];
  if (faults.length === 0) return;
  throw new MemoirError(
    "tool-failed",
    `The arguments of ${tool} do not fit: ${listFaults(faults)}. ${unknown.length > 0 ? listArguments(schema) : ""}` +
      "Nothing was done. Correct them and call it again.",
  );
}

/** So that a model need not look up what it misspelled. */
function listArguments({ properties, required }: JsonObject): string {
  const names = Object.keys((properties ?? {}) as JsonObject);
  if (names.length === 0 || names.length > maxNames) return "";
  const needed = new Set(Array.isArray(required) ? required : []);
  return `It takes ${names.map((name) => (needed.has(name) ? `${name} (required)` : name)).join(", ")}. `;
}

const maxNames = 30;

/** What is wrong with some of a tool's arguments, each for itself. */
export function findMisfit(schema: JsonObject, some: JsonObject): string | undefined {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
  const faults = Object.entries(some).flatMap(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) return [`it has no argument "${name}"`];
    return findKnownFaults({ schema: property, value, whole: name });
  });
  return faults.length > 0 ? listFaults(faults) : undefined;
}

const maxFaults = 10;

function listFaults(faults: readonly string[]): string {
  const more = faults.length - maxFaults;
  return [...faults.slice(0, maxFaults), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
