/** Reads and checks what a model wrote as the arguments of a call. Every refusal says what to send instead. */
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { MemoirError } from "../errors.ts";
import type { JsonObject } from "../json.ts";

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

const options = { strict: false, allErrors: true, coerceTypes: false, validateFormats: false };
/** Drafts differ in how they write tuples; few schemas say which one they follow, so the one that fits is taken. */
const drafts = [new Ajv2020(options), new Ajv(options)];

/** By the schema's text: tools are read from the database for every turn, their schemas rarely change. */
const validators = new Map<string, ValidateFunction>();
const mostValidators = 1_000;

function getValidator(schema: JsonObject): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known) return known;
  if (validators.size >= mostValidators) validators.clear();
  const validate = compile(schema);
  validators.set(key, validate);
  return validate;
}

function compile({ $async: _, $schema: __, ...schema }: JsonObject): ValidateFunction {
  // What checks later would count as valid now, and bring the program down when it is not.
  for (const ajv of drafts) {
    try {
      return ajv.compile(schema);
    } catch {
      // Not in this draft.
    } finally {
      // It is kept here; its own memory of it would grow for ever.
      ajv.removeSchema(schema);
    }
  }
  // A schema that is none cannot be held against the model; the tool sees for itself.
  return new Ajv(options).compile({});
}

export function checkArguments(tool: string, schema: JsonObject, args: JsonObject): void {
  const faults = findFaults(schema, args, "the arguments");
  if (faults.length === 0) return;
  throw new MemoirError(
    "tool-failed",
    `The arguments of ${tool} do not fit: ${faults.join("; ")}. Nothing was done. Correct them and call it again.`,
  );
}

/** What is wrong with some of a tool's arguments, each for itself. */
export function findMisfit(schema: JsonObject, some: JsonObject): string | undefined {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
  const faults = Object.entries(some).flatMap(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) return [`it has no argument "${name}"`];
    return findFaults(property, value, name);
  });
  return faults.length > 0 ? faults.join("; ") : undefined;
}

function findFaults(schema: JsonObject, value: unknown, whole: string): string[] {
  const validate = getValidator(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const allowed = "allowedValues" in params ? `: ${(params.allowedValues as unknown[]).join(", ")}` : "";
    return `${instancePath === "" ? whole : instancePath.slice(1)} ${message}${allowed}`;
  });
}
