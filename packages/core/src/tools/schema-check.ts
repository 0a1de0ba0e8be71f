/** Whether a value fits a JSON schema. Both are foreign: each step has a time, after which it is broken off. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../shared/json.ts";
import { runWithin, runWithinCpuTime } from "./run-within.ts";

export interface ValueCheck {
  readonly schema: JsonObject;
  readonly value: unknown;
  /** How the value is called in faults. */
  readonly whole: string;
}

const options = { strict: false, allErrors: true, coerceTypes: false, validateFormats: false };
/** Drafts differ in how they write tuples; few schemas say which one they follow, so the one that fits is taken. */
const createDrafts = () => [new Ajv2020(options), new Ajv(options)];
let drafts = createDrafts();
let isBrokenOff = false;

/** By the schema's text: tools are read from the database for every turn, their schemas rarely change. */
const validators = new Map<string, ValidateFunction>();
const maxValidators = 1_000;
const longestSchema = 500_000;
/** A schema that is none, or has no end, cannot be held against the model; the tool sees for itself. */
const takeAnything = new Ajv(options).compile({});

type Run = <T>(work: () => T) => { readonly value: T } | undefined;

/** Undefined when it could not be compiled in time. */
function findValidator(schema: JsonObject, run: Run): ValidateFunction | undefined {
  const key = JSON.stringify(schema);
  if (key.length > longestSchema) return takeAnything;
  const known = validators.get(key);
  if (known) return known;
  if (validators.size >= maxValidators) validators.clear();
  const compiled = run(() => compileWhole(schema));
  if (!compiled) return undefined;
  const validate = compiled.value ?? takeAnything;
  validators.set(key, validate);
  return validate;
}

/** Drafts that were broken off while they compiled are not used again. */
function compileWhole(schema: JsonObject): ValidateFunction | undefined {
  if (isBrokenOff) drafts = createDrafts();
  isBrokenOff = true;
  const validate = compile(schema);
  isBrokenOff = false;
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

/** For the thread that serves everybody. Undefined when it would take longer. */
const quickMs = 25;
const runQuickly: Run = (work) => runWithin(quickMs, work);
/** For a thread of its own: for compiling, and once more for the check. */
const patientMs = 2_000;
const runPatiently: Run = (work) => runWithinCpuTime(patientMs, work);

const runDirectly: Run = (work) => ({ value: work() });

/** For schemas without patterns and references. Returns what does not fit; undefined when it cannot be said at once. */
export function checkQuickly({ schema, value, whole }: ValueCheck): string[] | undefined {
  const { length } = JSON.stringify(schema);
  const validate = findValidator(schema, length <= smallSchema ? runDirectly : runQuickly);
  const isSmall = hasFewValues(value, mostWork / length);
  return validate && check(validate, value, whole, isSmall ? runDirectly : runQuickly);
}

/** Takes 30 ms at most to compile, once. The schemas of all builtin tools are smaller. */
const smallSchema = 2_000;
/**
 * A validator's work is at most the length of its schema times the number of values. A watched call costs 0.1 ms more than
 * a direct one; this much work takes 10 ms if the schema is made to be slow, and 0.01 ms otherwise.
 */
const mostWork = 1_000_000;
/** Limits of length count characters, which are far cheaper than values. */
const charactersPerValue = 100;

/** Stops counting at `max`. */
function hasFewValues(whole: unknown, max: number): boolean {
  const open = [whole];
  let count = 0;
  for (; open.length > 0 && count <= max; count++) {
    const value = open.pop();
    if (typeof value === "string") count += value.length / charactersPerValue;
    else if (typeof value === "object" && value !== null) {
      for (const name in value) {
        if (open.push((value as JsonObject)[name]) > max) return false;
        count += name.length / charactersPerValue;
      }
    }
  }
  return count <= max;
}

export function checkPatiently({ schema, value, whole }: ValueCheck): string[] {
  const validate = findValidator(schema, runPatiently) ?? takeAnything;
  return check(validate, value, whole, runPatiently) ?? [describeSlowness(whole)];
}

export const describeSlowness = (whole: string): string =>
  `${whole} take too long to check against the schema: send less`;

function check(validate: ValidateFunction, value: unknown, whole: string, run: Run): string[] | undefined {
  const checked = run(() => validate(value));
  if (!checked) return undefined;
  return checked.value ? [] : (validate.errors ?? []).map((fault) => describeFault(fault, whole));
}

function describeFault({ instancePath, message, params }: ErrorObject, whole: string): string {
  const place = instancePath === "" ? whole : instancePath.slice(1);
  if ("additionalProperty" in params) return `${place} must not have "${clip(String(params.additionalProperty))}"`;
  const allowed = "allowedValues" in params ? `: ${(params.allowedValues as unknown[]).join(", ")}` : "";
  return `${place} ${message}${allowed}`;
}

export function clip(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100).toWellFormed()}…` : name;
}
