/** Query parameters: everything arrives as text, once or several times. */
import { z } from "zod";
import { boundedList, boundedText } from "../../limits.ts";
import type { Optional } from "./fields.ts";

const last = (value: unknown) => (Array.isArray(value) ? value.at(-1) : value);
const list = (value: unknown) => (value === undefined || Array.isArray(value) ? value : [value]);

const words: Readonly<Record<string, boolean>> = {
  true: true,
  "1": true,
  yes: true,
  on: true,
  t: true,
  y: true,
  false: false,
  "0": false,
  no: false,
  off: false,
  f: false,
  n: false,
};

/** Ids, cursors, names to look for. */
const queryWord = boundedText(2_000);
const maxQueryItems = 1_000;

export const queryText: Optional<string> = z.preprocess(last, queryWord.optional());

export const queryBoolean: Optional<boolean> = z.preprocess((value) => {
  const text = last(value);
  return typeof text === "string" ? (words[text.toLowerCase()] ?? text) : text;
}, z.boolean().optional());

export function queryInteger(least = 0, most = 2_147_483_647): Optional<number> {
  return z.preprocess((value) => {
    const text = last(value);
    return typeof text === "string" && /^[+-]?\d+$/.test(text.trim()) ? Number(text) : text;
  }, z.int().min(least).max(most).optional());
}

export function queryEnum<const V extends string>(...values: readonly V[]): Optional<V> {
  return z.preprocess(last, z.enum(values).optional());
}

export function queryList<T>(item: z.ZodType<T>): Optional<T[]> {
  return z.preprocess(list, boundedList(item, { max: maxQueryItems }).optional());
}

export const queryTexts: Optional<string[]> = queryList(queryWord);
