/** Reads JSON bodies. What a database or a response could choke on is taken out or refused here, at the door. */
import { maxBodyDepth, maxBodyValues } from "./limits.ts";
import { ValidationError } from "./validation-error.ts";

const unsafeKey = "__proto__";

/** Nothing in, nothing out: an empty body counts as absent. */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === "") return undefined;
  rejectTooMuch(text);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, hasUnsafeKey(text) ? dropUnsafeKeys : undefined);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw invalidJson(`JSON decode error: ${reason}`);
  }
  return hasUnstorableText(text) ? cleanValue(parsed) : parsed;
}

/** Text both databases can store: without NUL and without halves of surrogate pairs. */
export function cleanText(text: string): string {
  const withoutNul = text.includes("\u0000") ? text.replaceAll("\u0000", "") : text;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.replaceAll(/\p{Surrogate}/gu, "");
}

function invalidJson(msg: string): ValidationError {
  return new ValidationError([{ type: "json_invalid", loc: ["body", 0], msg, input: {} }]);
}

/** Before the text is parsed: a value takes many times the memory of the two characters that it may be written with. */
function rejectTooMuch(text: string): void {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === 0x5c) index++;
      else if (character === 0x22) isInString = false;
    } else if (character === 0x22) isInString = true;
    else if (character === 0x5b || character === 0x7b) {
      if (++depth > maxBodyDepth) throw invalidJson(`the body is nested more than ${maxBodyDepth} levels deep`);
      values++;
    } else if (character === 0x5d || character === 0x7d) depth--;
    else if (character === 0x2c && ++values > maxBodyValues) {
      throw invalidJson(`the body holds more than ${maxBodyValues} values`);
    }
  }
}

/** Keys that would reach an object's prototype; written with escapes they are found too. */
function hasUnsafeKey(text: string): boolean {
  return /__proto__|\\u005f/i.test(text);
}

function dropUnsafeKeys(key: string, value: unknown): unknown {
  return key === unsafeKey ? undefined : value;
}

function hasUnstorableText(text: string): boolean {
  return /\\u0000|\\ud[89a-f]/i.test(text);
}

function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== "object" || value === null) return value;
  const cleaned = Object.entries(value).map(([key, inner]) => [cleanText(key), cleanValue(inner)] as const);
  // A key may only now have become an unsafe one.
  return Object.fromEntries(cleaned.filter(([key]) => key !== unsafeKey));
}
