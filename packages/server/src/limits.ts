/** Limits of requests. Each is checked before the parts it counts are parsed: parsing them is what costs. */
import { z } from "zod";

export const maxBodyBytes = 32 * 1024 * 1024;
/** Objects, lists, texts, numbers in one JSON body: a million take about 60 MB. */
export const maxBodyValues = 1_000_000;
export const maxBodyDepth = 128;
/** Values in one free-form object, such as metadata or the JSON schema of a tool. */
export const maxJsonValues = 100_000;
export const maxJsonKeys = 10_000;
/** A statement of SQLite has room for 32,766 values: enough for a link to each of these. */
export const maxItems = 5_000;

/** Items of one page: a page that is asked for may be longer, and comes as long as this. Clients ask on until one is empty. */
export const maxPageSize = 1_000;
/** Seconds. */
export const defaultRequestTimeout = 300;

export interface ListLimits {
  readonly min?: number;
  readonly max?: number;
}

export function boundedText(max: number): z.ZodString {
  // Aborts, so that no pattern looks at a text that is too long.
  return z.string().max(max, { abort: true });
}

export function boundedList<T>(item: z.ZodType<T>, { min, max = maxItems }: ListLimits = {}): z.ZodType<T[]> {
  const list = min === undefined ? z.array(item).max(max) : z.array(item).min(min).max(max);
  return z.preprocess((value, context) => {
    if (Array.isArray(value) && value.length > max) context.addIssue(tooBig("array", max, value));
    return value;
  }, list);
}

export function boundedRecord<T>(
  key: z.ZodType<string>,
  value: z.ZodType<T>,
  max = maxItems,
): z.ZodType<Record<string, T>> {
  const record = z.record(key as z.ZodString, value).meta({ maxProperties: max });
  return z.preprocess((input, context) => {
    if (isObject(input) && Object.keys(input).length > max) context.addIssue(tooManyKeys(max, input));
    return input;
  }, record);
}

/** For parts that may hold any JSON. Their depth is that of the body, which was checked when it was read. */
export function boundedJson<T>(schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((input, context) => {
    if (isObject(input) && Object.keys(input).length > maxJsonKeys) context.addIssue(tooManyKeys(maxJsonKeys, input));
    else if (holdsMore(input, maxJsonValues)) {
      context.addIssue({ code: "custom", message: `Input should hold at most ${maxJsonValues} values`, input });
    }
    return input;
  }, schema);
}

function tooBig(origin: string, maximum: number, input: unknown) {
  return { code: "too_big" as const, origin, maximum, inclusive: true, input };
}

function tooManyKeys(max: number, input: unknown) {
  return { code: "custom" as const, message: `Input should have at most ${max} keys`, input };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Stops counting at `max`. */
function holdsMore(value: unknown, max: number): boolean {
  const open: object[] = [];
  const enter = (inner: unknown) => {
    if (typeof inner === "object" && inner !== null) open.push(inner);
  };
  enter(value);
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const inner = Object.values(next);
    count += inner.length;
    if (count > max) return true;
    inner.forEach(enter);
  }
  return false;
}
