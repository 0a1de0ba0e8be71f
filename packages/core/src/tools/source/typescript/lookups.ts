/** Types that are taken from other types, or from values: `Order["city"]`, `keyof Order`, `(typeof colors)[number]`. */
import type { JsonObject } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field, firstPart, partsOf } from "../nodes.ts";
import { toEnum, toUnion } from "../schemas.ts";
import { readKeys } from "./generics.ts";
import { readLiteral } from "./literals.ts";
import { propertiesOf, readKey } from "./objects.ts";
import { type Place, type ReadAnnotation, unknownType } from "./read-type.ts";
import type { TypescriptScope } from "./scope.ts";

interface Reading {
  readonly read: ReadAnnotation;
  readonly scope: TypescriptScope;
}

/** `Order["city"]` and `(typeof colors)[number]`. */
export function readLookup(node: Node, place: Place, { read, scope }: Reading): JsonObject {
  const [owner = node, index = node] = partsOf(node);
  const bare = owner.type === "parenthesized_type" ? (firstPart(owner) ?? owner) : owner;
  if (bare.type === "type_query") {
    const constant = scope.constants.get(firstPart(bare)?.text ?? "");
    const values = constant?.type === "array" ? partsOf(constant).map(readLiteral) : [];
    const known = values.filter((value) => value !== undefined);
    if (index.text !== "number" || known.length === 0 || known.length < values.length) throw unknownType(node, place);
    return toEnum(known);
  }
  const { schema } = read(owner, place);
  if (index.text === "number" && schema.items) return schema.items as JsonObject;
  const properties = readKeys(index, place, read).flatMap((key) => {
    const known = propertiesOf(schema);
    return Object.hasOwn(known, key) ? [known[key] as JsonObject] : [];
  });
  if (properties.length === 0) throw unknownType(node, place);
  return toUnion(properties);
}

/** `keyof Order` and `keyof typeof colors`. */
export function readKeysOf(node: Node, place: Place, { read, scope }: Reading): string[] {
  const constant = node.type === "type_query" ? scope.constants.get(firstPart(node)?.text ?? "") : undefined;
  const keys = constant
    ? partsOf(constant).flatMap((pair) => readKey(field(pair, "key")) ?? [])
    : Object.keys(propertiesOf(node.type === "type_query" ? {} : read(node, place).schema));
  if (keys.length === 0) throw unknownType(node, place);
  return keys;
}
