/** Small schemas that many resources share. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";

/** Any JSON object. What stands inside came from JSON and goes back to JSON, so it is not looked at. */
export const WireObject: z.ZodType<JsonObject> = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>;

/** Databases store 32 bits. */
export const wireInteger = z.int().min(-2_147_483_648).max(2_147_483_647);

/** Names, labels, tags and keys stand in indexes, where PostgreSQL has room for 2,704 bytes: enough for two of these. */
export const wireName = z.string().max(400);

/** A statement of SQLite has room for 32,766 values: enough for a link to each of these. */
export function wireList<T>(item: z.ZodType<T>): z.ZodType<T[]> {
  return z.array(item).max(5000);
}

/** `null` counts as "not sent". */
export function optional<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return schema.nullish().transform((value) => value ?? undefined) as unknown as z.ZodType<T | undefined>;
}

export const Count: z.ZodType<number> = z.int();
export const Nothing: z.ZodType<null> = z.null();

/** Fields not sent stay out, so that only sent ones change anything. */
export function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Partial<T>;
}
