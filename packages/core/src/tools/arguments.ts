/** Reads and checks what a model wrote as the arguments of a call. Every refusal says what to send instead. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { MemoirError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { runWithin } from "./run-within.ts";
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

const options = { strict: false, allErrors: true, coerceTypes: false, validateFormats: false };
/** Drafts differ in how they write tuples; few schemas say which one they follow, so the one that fits is taken. */
const createDrafts = () => [new Ajv2020(options), new Ajv(options)];
let drafts = createDrafts();

/** By the schema's text: tools are read from the database for every turn, their schemas rarely change. */
const validators = new Map<string, ValidateFunction>();
const mostValidators = 1_000;
const longestSchema = 500_000;
const compileMs = 1_000;
const checkMs = 500;
/** A schema that is none, or has no end, cannot be held against the model; the tool sees for itself. */
const takeAnything = new Ajv(options).compile({});

function getValidator(schema: JsonObject): ValidateFunction {
  const key = JSON.stringify(schema);
  if (key.length > longestSchema) return takeAnything;
  const known = validators.get(key);
  if (known) return known;
  if (validators.size >= mostValidators) validators.clear();
  const compiled = runWithin(compileMs, () => compile(schema));
  if (!compiled) drafts = createDrafts();
  const validate = compiled?.value ?? takeAnything;
  validators.set(key, validate);
  return validate;
}

function compile({ $async: _, $schema: __, ...schema }: JsonObject): ValidateFunction | undefined {
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
  return undefined;
}

export function checkArguments(tool: string, schema: JsonObject, args: JsonObject): void {
  const unknown = findUnknownArguments(schema, args).map((name) => `there is no argument "${clip(name)}"`);
  const faults = [...unknown, ...findFaults(schema, args, "the arguments")];
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
  if (names.length === 0 || names.length > mostNames) return "";
  const needed = new Set(Array.isArray(required) ? required : []);
  return `It takes ${names.map((name) => (needed.has(name) ? `${name} (required)` : name)).join(", ")}. `;
}

const mostNames = 30;

function clip(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100).toWellFormed()}…` : name;
}

/** What is wrong with some of a tool's arguments, each for itself. */
export function findMisfit(schema: JsonObject, some: JsonObject): string | undefined {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
  const faults = Object.entries(some).flatMap(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) return [`it has no argument "${name}"`];
    return findFaults(property, value, name);
  });
  return faults.length > 0 ? listFaults(faults) : undefined;
}

const mostFaults = 10;

function listFaults(faults: readonly string[]): string {
  const more = faults.length - mostFaults;
  return [...faults.slice(0, mostFaults), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function findFaults(schema: JsonObject, value: unknown, whole: string): string[] {
  const validate = getValidator(schema);
  const checked = runWithin(checkMs, () => validate(value));
  if (!checked) return [`${whole} take too long to check against the schema: send less`];
  if (checked.value) return [];
  return (validate.errors ?? []).map((fault) => describeFault(fault, whole));
}

function describeFault({ instancePath, message, params }: ErrorObject, whole: string): string {
  const place = instancePath === "" ? whole : instancePath.slice(1);
  if ("additionalProperty" in params) return `${place} must not have "${clip(String(params.additionalProperty))}"`;
  const allowed = "allowedValues" in params ? `: ${(params.allowedValues as unknown[]).join(", ")}` : "";
  return `${place} ${message}${allowed}`;
}
