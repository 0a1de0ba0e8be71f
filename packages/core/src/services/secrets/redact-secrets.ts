/**
 * Takes the values of secrets out of what a tool's code gives back, before it is shown to a model or kept anywhere. Only
 * what stands there letter by letter is found: a program that means to give a secret away can disguise it.
 */
import type { SandboxResult } from "../../sandbox/sandbox.ts";
import type { JsonValue } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";

export type HideSecrets = (text: string) => string;
/** The same in every text of a value. */
export type HideValue = (value: JsonValue) => JsonValue;

/** Shorter ones would be found in any text. */
const shortest = 6;

/** Each value is replaced by the name it goes by, so that whoever reads the text knows what stood there. */
export function createSecretFilter(secrets: Readonly<Record<string, string>>): HideSecrets {
  const named = Object.entries(secrets)
    .map(([name, value]) => ({ value: value.trim(), label: `[secret ${name}]` }))
    .filter(({ value }) => value.length >= shortest)
    // One may be the beginning of another.
    .sort((left, right) => right.value.length - left.value.length);
  return (text) => named.reduce((clean, { value, label }) => clean.replaceAll(value, () => label), text);
}

export function hideSecrets(result: SandboxResult, hide: HideSecrets): SandboxResult {
  const printed = { stdout: result.stdout.map(hide), stderr: result.stderr.map(hide) };
  if (result.status === "error")
    return { ...result, ...printed, type: hide(result.type), message: hide(result.message) };
  const changes = result.changes.map(({ label, value }) => ({ label, value: hide(value) }));
  return { ...result, ...printed, value: hideInValue(result.value, hide), changes };
}

/** What lies deeper has no use, and following it would end in the middle. */
const deepest = 500;

export function hideInValue(value: JsonValue, hide: HideSecrets, depth = 0): JsonValue {
  if (typeof value === "string") return hide(value);
  if (typeof value === "number") {
    const text = String(value);
    return hide(text) === text ? value : hide(text);
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth === deepest)
    throw new ToolFailure(`what was given is nested more than ${deepest} levels deep: make it flatter`);
  const inside = (item: JsonValue) => hideInValue(item, hide, depth + 1);
  if (Array.isArray(value)) return value.map(inside);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key), inside(item)]));
}
