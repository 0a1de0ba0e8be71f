/** Puts the texts of `@param` where they belong: `order` on the argument itself, `order.city` on a property of it. */
import type { JsonObject } from "../../../shared/json.ts";

export function describeProperties(name: string, schema: JsonObject, texts: ReadonlyMap<string, string>): JsonObject {
  const text = texts.get(name);
  const described = text ? { ...schema, description: text } : schema;
  const { properties } = described;
  const isDeeper = [...texts.keys()].some((key) => key.startsWith(`${name}.`));
  if (!isDeeper || typeof properties !== "object" || properties === null) return described;
  const deeper = Object.entries(properties as Record<string, JsonObject>).map(([key, property]) => [
    key,
    describeProperties(`${name}.${key}`, property, texts),
  ]);
  return { ...described, properties: Object.fromEntries(deeper) };
}
