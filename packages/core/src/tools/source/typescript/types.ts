/** What a type of TypeScript says, as JSON schema. */
import type { JsonObject } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field, firstPart, partsOf } from "../nodes.ts";
import { nothing, toEnum } from "../schemas.ts";
import { sourceError } from "../source-error.ts";
import { readGeneric } from "./generics.ts";
import { readLiteral } from "./literals.ts";
import { readKeysOf, readLookup } from "./lookups.ts";
import { mergeObjects, readMembers } from "./objects.ts";
import { type Place, type ReadAnnotation, type ReadType, unknownType } from "./read-type.ts";
import type { TypescriptScope } from "./scope.ts";
import { readTuple } from "./tuples.ts";
import { readEnum, readUnion, toLiteral } from "./unions.ts";

export type { ReadType } from "./read-type.ts";

export interface TypeReader {
  readonly read: ReadAnnotation;
  /** Of a value that is written out, as defaults are. */
  findTypeOf(value: Node): ReadType | undefined;
}

const plainTypes: ReadonlyMap<string, JsonObject> = new Map(
  Object.entries<JsonObject>({
    string: { type: "string" },
    number: { type: "number" },
    bigint: { type: "integer" },
    boolean: { type: "boolean" },
    object: { type: "object" },
    any: {},
    unknown: {},
    void: nothing,
    Date: { type: "string", format: "date-time" },
  }),
);

const deepest = 60;
/** Types in types in types: more parts than this are no schema that a model could use. */
const maxParts = 5_000;

export function createTypeReader(scope: TypescriptScope): TypeReader {
  let parts = 0;

  const read: ReadAnnotation = (node, outer) => {
    const place = { ...outer, depth: outer.depth + 1 };
    if (++parts > maxParts || place.depth > deepest) {
      throw sourceError(`the type of ${place.what} is too long or nested too deeply: send json_schema`, place.line);
    }
    if (node.type === "union_type") return readUnion(node, place, read);
    if (/^(parenthesized|readonly)_type$/.test(node.type)) return read(firstPart(node) ?? node, place);
    if (node.type === "literal_type" && node.text === "undefined") return { schema: nothing, isOptional: true };
    return { schema: readSchema(node, place), isOptional: false };
  };

  const readSchema = (node: Node, place: Place): JsonObject => {
    const [first] = partsOf(node);
    const schemaOf = (part: Node) => read(part, place).schema;
    switch (node.type) {
      case "predefined_type":
      case "type_identifier":
        return readNamed(node, place);
      case "literal_type":
        return toLiteral(node, place);
      case "template_literal_type":
        return { type: "string" };
      case "array_type":
        return { type: "array", items: schemaOf(first ?? node) };
      case "tuple_type":
        return readTuple(node, place, read);
      case "object_type":
        return readMembers(node, place, read);
      case "intersection_type":
        return mergeObjects(partsOf(node).map((part) => rejectNoObject(schemaOf(part), part, place)));
      case "generic_type":
        if (scope.types.has(field(node, "name")?.text ?? "")) throw unknownType(node, place);
        return readGeneric(node, place, read);
      case "lookup_type":
        return readLookup(node, place, { read, scope });
      case "index_type_query":
        return toEnum(readKeysOf(first ?? node, place, { read, scope }));
      default:
        throw unknownType(node, place);
    }
  };

  const readNamed = (node: Node, place: Place): JsonObject => {
    const name = node.text;
    const pieces = scope.types.get(name);
    if (!pieces) {
      const schema = plainTypes.get(name);
      if (schema) return schema;
      throw unknownType(node, place);
    }
    const [piece = node] = pieces;
    // What holds itself cannot be written out; what is inside the second one is left open.
    if (place.trail.includes(name)) return isObject(piece) ? { type: "object" } : {};
    if (field(piece, "type_parameters")) throw unknownType(node, place);
    const inside = { ...place, trail: [...place.trail, name] };
    if (piece.type === "enum_declaration") return readEnum(piece, place);
    if (piece.type === "interface_declaration")
      return mergeObjects(pieces.flatMap((each) => readInterface(each, inside)));
    return read(field(piece, "value") ?? piece, inside).schema;
  };

  const readInterface = (node: Node, place: Place): JsonObject[] => {
    const parents = partsOf(node).find(({ type }) => type === "extends_type_clause");
    const inherited = (parents ? partsOf(parents) : []).map((part) => read(part, place).schema);
    return [...inherited, readMembers(field(node, "body") ?? node, place, read)];
  };

  return {
    read,
    findTypeOf(value) {
      const literal = readLiteral(value);
      if (literal === undefined || literal === null) return undefined;
      return { schema: { type: typeof literal }, isOptional: false };
    },
  };
}

const isObject = (declaration: Node): boolean =>
  declaration.type === "interface_declaration" || field(declaration, "value")?.type === "object_type";

function rejectNoObject(schema: JsonObject, node: Node, place: Place): JsonObject {
  if (schema.type === "object") return schema;
  throw unknownType(node, place);
}
