/** Tuples, with places that may be left out, names for places, and a rest. */
import type { JsonObject } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field, firstPart, partsOf } from "../nodes.ts";
import { toTuple } from "../schemas.ts";
import type { Place, ReadAnnotation } from "./read-type.ts";

export function readTuple(node: Node, place: Place, read: ReadAnnotation): JsonObject {
  const items: JsonObject[] = [];
  let needed = 0;
  for (const part of partsOf(node)) {
    const { schema } = read(typeOf(part), place);
    if (part.type === "rest_type" || field(part, "name")?.type === "rest_pattern") {
      const rest = (schema.items ?? {}) as JsonObject;
      return { type: "array", ...(items.length > 0 ? { prefixItems: items } : {}), items: rest, minItems: needed };
    }
    items.push(schema);
    if (!/^optional_/.test(part.type)) needed = items.length;
  }
  return toTuple(items, needed);
}

function typeOf(part: Node): Node {
  const wrapper = field(part, "type") ?? (/^(optional|rest)_type$/.test(part.type) ? part : undefined);
  return (wrapper && firstPart(wrapper)) ?? part;
}
