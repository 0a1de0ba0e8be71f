/** Types with properties, and what is made of them: `Partial<Order>`, `Order & Address`, `Order["city"]`. */
import type { JsonObject, JsonValue } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field, firstPart, lineOf } from "../nodes.ts";
import { toObject } from "../schemas.ts";
import { findComment } from "./comments.ts";
import { readLiteral } from "./literals.ts";
import { type Place, type ReadAnnotation, unknownType } from "./read-type.ts";

export type Properties = Readonly<Record<string, JsonObject>>;

export const propertiesOf = ({ properties }: JsonObject): Properties => (properties ?? {}) as Properties;

const requiredOf = ({ required }: JsonObject): string[] => (required ?? []) as string[];

const toShape = (properties: readonly [string, JsonObject][], required: readonly string[]): JsonObject =>
  properties.length === 0 ? { type: "object" } : toObject(properties, required);

/** What stands between the braces of an interface or an object type. */
export function readMembers(body: Node, place: Place, read: ReadAnnotation): JsonObject {
  const properties: [string, JsonObject][] = [];
  const required: string[] = [];
  let more: JsonObject = {};
  for (const member of body.namedChildren) {
    if (member.type === "comment") continue;
    const annotation = field(member, "type");
    const type = annotation && firstPart(annotation);
    if (!type || !/^(property|index)_signature$/.test(member.type)) throw unknownType(member, place);
    if (member.type === "index_signature") {
      more = { additionalProperties: read(type, place).schema };
      continue;
    }
    const name = readKey(field(member, "name"));
    if (name === undefined) throw unknownType(member, place);
    const what = `property "${name}" in ${place.what.replace(/^property ".*" in /, "")}`;
    const { schema, isOptional } = read(type, { ...place, what, line: lineOf(member) });
    const description = findComment(member)?.description;
    properties.push([name, { ...schema, ...(description ? { description } : {}) }]);
    const isNeeded = !isOptional && !member.children.some((child) => child.type === "?");
    if (isNeeded) required.push(name);
  }
  return { ...toShape(properties, required), ...more };
}

export function readKey(name: Node | undefined): string | undefined {
  if (name?.type === "property_identifier") return name.text;
  const value = name && readLiteral(name);
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** All properties of all of them; the last one that has it says what it is. */
export function mergeObjects(schemas: readonly JsonObject[]): JsonObject {
  const properties = new Map(schemas.flatMap((schema) => Object.entries(propertiesOf(schema))));
  const required = new Set(schemas.flatMap(requiredOf));
  const open = schemas.findLast(({ additionalProperties }) => additionalProperties !== undefined);
  return {
    ...toShape([...properties], [...required]),
    ...(open ? { additionalProperties: open.additionalProperties as JsonValue } : {}),
  };
}

/** The properties that `isKept` says, all of them needed, none, or as they are. */
export function pickProperties(
  schema: JsonObject,
  isKept: (name: string) => boolean,
  need: "all" | "none" | "same" = "same",
): JsonObject {
  const kept = Object.entries(propertiesOf(schema)).filter(([name]) => isKept(name));
  const names = kept.map(([name]) => name);
  const required = need === "all" ? names : need === "none" ? [] : requiredOf(schema).filter(isKept);
  const { additionalProperties } = schema;
  return { ...toShape(kept, required), ...(additionalProperties === undefined ? {} : { additionalProperties }) };
}
