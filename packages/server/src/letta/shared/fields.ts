/** Small schemas that many resources share. */
import type { JsonObject, JsonValue } from "@memoir/core";
import { z } from "zod";
import { boundedJson, boundedList, boundedRecord, boundedText, maxBodyBytes, maxJsonKeys } from "../../limits.ts";

/** Any JSON object. What stands inside came from JSON and goes back to JSON, so it is not looked at. */
export const WireObject: z.ZodType<JsonObject> = boundedJson(
  z.record(boundedText(20_000), z.unknown() as z.ZodType<JsonValue>).meta({ maxProperties: maxJsonKeys }),
);

/** Databases store 32 bits. */
export const wireInteger = z.int().min(-2_147_483_648).max(2_147_483_647);

/** Names, labels, tags and keys stand in indexes, where PostgreSQL has room for 2,704 bytes: enough for two of these. */
export const wireName = boundedText(400);

/** Addresses, paths, tokens, and ids that others made. */
export const wireLine = boundedText(20_000);

/** Messages, blocks, sources, questions: whatever fits into a body. */
export const wireText = boundedText(maxBodyBytes);

export const wireList = boundedList;
export const wireRecord = boundedRecord;

/** A schema whose key may be absent from an object, which a bare `ZodType<T | undefined>` does not tell the compiler. */
export type Optional<T> = z.ZodType<T | undefined> & { readonly _zod: { readonly optout: "optional" } };

/** `null` counts as "not sent". */
export function optional<T>(schema: z.ZodType<T>): Optional<T> {
  return schema.nullish().transform((value) => value ?? undefined) as unknown as Optional<T>;
}

export const Count: z.ZodType<number> = z.int();
export const Nothing: z.ZodType<null> = z.null();
