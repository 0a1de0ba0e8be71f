/** JSON schemas without references: models and their providers read each schema by itself. */
import type { JsonObject, JsonValue } from "../../shared/json.ts";

/** A schema longer than this is none that a model could use; references to references grow without end. */
const maxParts = 20_000;
/** Deep enough for any schema that someone wrote, and far from the end of the stack. */
const deepest = 100;

/** Puts what `$ref` points to in its place; one that leads back to itself ends in any value. `refuse` words the errors. */
export function inlineReferences(schema: JsonObject, refuse: (problem: string) => Error): JsonObject {
  const { $defs = {}, definitions = {}, ...body } = schema;
  const known = new Map(Object.entries({ ...(definitions as object), ...($defs as object) } as JsonObject));
  let parts = 0;
  const inline = (value: JsonValue, depth: number, trail: readonly string[]): JsonValue => {
    parts++;
    if (parts > maxParts || depth > deepest) throw refuse("is too large or nested too deeply");
    if (Array.isArray(value)) return value.map((item) => inline(item, depth + 1, trail));
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as JsonObject;
    const own = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, inline(item, depth + 1, trail)]));
    if (typeof $ref !== "string" || $ref === "#") return own;
    const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec($ref)?.[1] ?? "";
    const target = known.get(name);
    if (target === undefined) throw refuse(`refers to ${$ref}, which is not there`);
    if (trail.includes(name)) return own;
    return { ...(inline(target, depth + 1, [...trail, name]) as object), ...own };
  };
  return inline(body, 0, []) as JsonObject;
}
