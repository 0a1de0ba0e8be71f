/** Unions and enums: one of several values, or of several types. */
import type { JsonObject, JsonValue } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field, firstPart, partsOf } from "../nodes.ts";
import { nothing, toEnum, toUnion } from "../schemas.ts";
import { readLiteral } from "./literals.ts";
import { type Place, type ReadAnnotation, type ReadType, unknownType } from "./read-type.ts";

export function readUnion(node: Node, place: Place, read: ReadAnnotation): ReadType {
  const members = listMembers(node);
  const literals: JsonValue[] = [];
  const schemas: JsonObject[] = [];
  let isOptional = false;
  for (const member of members) {
    const literal = member.type === "literal_type" ? readLiteral(firstPart(member) ?? member) : undefined;
    if (literal !== undefined) literals.push(literal);
    else {
      const type = read(member, place);
      isOptional ||= type.isOptional;
      if (!type.isOptional) schemas.push(type.schema);
    }
  }
  const isNull = literals.length > 0 && literals.every((value) => value === null);
  const choices = literals.length > 0 ? [fromLiterals(literals)] : [];
  const all = isNull ? [...schemas, nothing] : [...choices, ...schemas];
  return { schema: all.length === 0 ? nothing : toUnion(all), isOptional };
}

/** All of `a | b | c`, however it is bracketed. */
function listMembers(node: Node): Node[] {
  const members: Node[] = [];
  const waiting = [node];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const isUnion = next.type === "union_type" || next.type === "parenthesized_type";
    if (isUnion) waiting.push(...partsOf(next).reverse());
    else members.push(next);
  }
  return members;
}

export function toLiteral(node: Node, place: Place): JsonObject {
  const value = readLiteral(firstPart(node) ?? node);
  if (value === undefined) throw unknownType(node, place);
  return fromLiterals([value]);
}

function fromLiterals(values: readonly JsonValue[]): JsonObject {
  if (values.every((value) => value === null)) return nothing;
  return values.includes(true) && values.includes(false) && values.length === 2 ? { type: "boolean" } : toEnum(values);
}

/** Members without a value count on from the last number. */
export function readEnum(node: Node, place: Place): JsonObject {
  let next = 0;
  const values = partsOf(field(node, "body") ?? node).map((member): JsonValue => {
    const written = field(member, "value");
    const value = written ? readLiteral(written) : next;
    if (value === undefined) throw unknownType(member, place);
    if (typeof value === "number") next = value + 1;
    return value;
  });
  if (values.length === 0) throw unknownType(node, place);
  return toEnum(values);
}
