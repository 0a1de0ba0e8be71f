/**
 * Requirements of a tool's source: package names with versions, in the syntax of pip or npm. Addresses, paths and
 * installer options are rejected, so that none can be injected.
 */
import { createHash } from "node:crypto";
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import type { SandboxLanguage } from "../language.ts";

export interface Requirements {
  readonly language: SandboxLanguage;
  /** Sorted and without duplicates. */
  readonly packages: readonly string[];
}

const maxPackages = 100;
const longestPart = 200;

const pipName = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[A-Za-z0-9._,\s-]+\])?$/;
const pipVersion = /^[A-Za-z0-9][A-Za-z0-9.*+!_-]*$/;
const pipCondition = /^(?:===|[<>=!~]=|[<>])\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*$/;
const npmName = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;
const npmVersion = /^[A-Za-z0-9.^~<>=|*+\s-]+$/;

/**
 * The last of several entries for a package counts; entries are strings, or objects with a name and an optional
 * version.
 */
export function readRequirements(language: SandboxLanguage, entries: readonly JsonValue[]): Requirements {
  const field = language === "python" ? "pip_requirements" : "npm_requirements";
  const read = language === "python" ? readPip : readNpm;
  const found = new Map<string, string>();
  for (const entry of entries) {
    const [name, version] = splitEntry(entry);
    const isLong = name.length > longestPart || (version?.length ?? 0) > longestPart;
    if (isLong)
      throw refuse(field, `${field} names ${show(entry)}…: names and versions have at most ${longestPart} characters`);
    const requirement = read(name, version);
    if (!requirement)
      throw refuse(field, `${field} names ${show(entry)}: give the name of a package and, if wanted, its version`);
    found.set(requirement.name, requirement.text);
  }
  if (found.size > maxPackages)
    throw refuse(field, `${field} names ${found.size} packages: at most ${maxPackages} fit`);
  return { language, packages: [...found.values()].sort() };
}

type Named = { readonly name: string; readonly text: string } | undefined;

function splitEntry(entry: JsonValue): [name: string, version: string | undefined] {
  if (typeof entry === "string") return [entry.trim(), undefined];
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return ["", undefined];
  const { name, version } = entry as JsonObject;
  const isVersion = typeof version === "string" && version.trim() !== "";
  return [typeof name === "string" ? name.trim() : "", isVersion ? version.trim() : undefined];
}

function readPip(input: string, version: string | undefined): Named {
  const cut = input.search(/[<>=!~]/);
  const [name, range] = cut < 0 ? [input, ""] : [input.slice(0, cut).trimEnd(), input.slice(cut)];
  const match = name.match(pipName);
  if (!match || (range !== "" && (version !== undefined || !isPipRange(range)))) return undefined;
  if (version !== undefined && !pipVersion.test(version)) return undefined;
  const text = `${name}${version === undefined ? range : `==${version}`}`.replaceAll(/\s+/g, "");
  return { name: (match[1] ?? "").toLowerCase().replaceAll(/[._-]+/g, "-"), text };
}

/** Comma-separated conditions such as `>=1.0, <2.0`; pip accepts a trailing comma. */
function isPipRange(range: string): boolean {
  const conditions = range.replace(/,$/, "").split(",");
  return conditions.every((condition) => pipCondition.test(condition.trim()));
}

function readNpm(input: string, version: string | undefined): Named {
  const cut = input.indexOf("@", 1);
  const [name, range] =
    cut < 0 || version !== undefined ? [input, version] : [input.slice(0, cut), input.slice(cut + 1)];
  if (!npmName.test(name) || (range !== undefined && !npmVersion.test(range))) return undefined;
  return { name, text: range === undefined ? name : `${name}@${range}` };
}

function show(entry: JsonValue): string {
  return JSON.stringify(entry).slice(0, 100);
}

function refuse(field: string, message: string): MemoirError {
  return new MemoirError("invalid-argument", message, { details: { field } });
}

/** Equal packages for the same interpreter, given by `builtFor`, get the same name. */
export function nameSet({ language, packages }: Requirements, builtFor: string): string {
  return createHash("sha256")
    .update(JSON.stringify([language, builtFor, packages]))
    .digest("hex")
    .slice(0, 32);
}
