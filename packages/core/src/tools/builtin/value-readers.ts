/** Reads single values of a call, or rejects them with what to send instead. */
import { refusal } from "../../memory/block-rules.ts";
import type { JsonValue } from "../../shared/json.ts";

export function readText(name: string, value: JsonValue): string {
  if (typeof value !== "string") throw refusal(`${name} must be a text. Nothing was done. Call again with a string.`);
  return cleanText(value);
}

export function readInteger(name: string, value: JsonValue): number {
  const number = typeof value === "string" && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw refusal(`${name} must be a whole number. Nothing was done. Call again with one, or leave it out.`);
}

export function readFlag(name: string, value: JsonValue): boolean {
  if (typeof value === "boolean") return value;
  throw refusal(`${name} must be true or false. Nothing was done. Call again with one of them, or leave it out.`);
}

export function readTexts(name: string, value: JsonValue): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.map(cleanText);
  throw refusal(`${name} must be a list of texts. Nothing was done. Call again with one, such as ["example"].`);
}

/** Databases store neither NUL nor lone surrogates. */
function cleanText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
