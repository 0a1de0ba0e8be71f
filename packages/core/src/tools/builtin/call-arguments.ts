/** Reads single arguments of a call. The schema was checked before; what is optional there may be needed here. */
import { refusal } from "../../memory/block-rules.ts";
import type { JsonObject } from "../../shared/json.ts";

/** An empty text is a text. `remedy` says what to write there. */
export function readText(args: JsonObject, name: string, remedy: string): string {
  const text = findText(args, name);
  if (text === undefined) throw refusal(`${name} is required. Nothing was done. ${remedy}`);
  return text;
}

/** Undefined where it is left out or null. NUL cannot be stored, halves of characters neither. */
export function findText(args: JsonObject, name: string): string | undefined {
  const value = args[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw refusal(`${name} must be a text. Nothing was done. Call again with a string.`);
  return cleanText(value);
}

export function findInteger(args: JsonObject, name: string): number | undefined {
  const value = args[name] ?? undefined;
  if (value === undefined) return undefined;
  const number = typeof value === "string" && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw refusal(`${name} must be a whole number. Nothing was done. Call again with one, or leave it out.`);
}

/** How many results to return: at least one, and never so many that they bury everything else. */
export function readLimit(args: JsonObject, name: string): number {
  const limit = findInteger(args, name) ?? defaultLimit;
  if (limit >= 1) return Math.min(limit, highestLimit);
  throw refusal(`${name} is ${limit}; it must be at least 1. Leave it out to get ${defaultLimit} results.`);
}

const defaultLimit = 5;
const highestLimit = 100;

export function findTexts(args: JsonObject, name: string): string[] | undefined {
  const value = args[name] ?? undefined;
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.map(cleanText);
  throw refusal(`${name} must be a list of texts. Nothing was done. Call again with one, such as ["example"].`);
}

function cleanText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
