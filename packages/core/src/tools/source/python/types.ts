/** What an annotation of Python says, as JSON schema. */
import type { JsonObject, JsonValue } from "../../../shared/json.ts";
import type { Grammars, Node } from "../grammars.ts";
import { field, firstPart, partsOf, shorten } from "../nodes.ts";
import { nothing, toEnum, toTuple, toUnion } from "../schemas.ts";
import { sourceError } from "../source-error.ts";
import { createClassReader } from "./classes.ts";
import { findNote } from "./fields.ts";
import { readLiteral, readText } from "./literals.ts";
import { lastOf, type Place, type ReadAnnotation, type ReadType, readPath } from "./read-type.ts";
import type { PythonScope } from "./scope.ts";

const texts: JsonObject = { type: "string" };
const plainTypes: ReadonlyMap<string, JsonObject> = new Map(
  Object.entries<JsonObject>({
    str: texts,
    int: { type: "integer" },
    float: { type: "number" },
    bool: { type: "boolean" },
    list: { type: "array", items: texts },
    tuple: { type: "array", items: texts },
    set: { type: "array", items: texts, uniqueItems: true },
    dict: { type: "object" },
    bytes: { type: "string", format: "binary" },
    datetime: { type: "string", format: "date-time" },
    date: { type: "string", format: "date" },
    time: { type: "string", format: "time" },
    UUID: { type: "string", format: "uuid" },
    Decimal: { type: "number" },
    Path: texts,
    Any: {},
    object: {},
  }),
);

/** Other names of the same. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["List", "list"],
  ["Sequence", "list"],
  ["Iterable", "list"],
  ["Dict", "dict"],
  ["Mapping", "dict"],
  ["Tuple", "tuple"],
  ["Set", "set"],
  ["FrozenSet", "set"],
  ["frozenset", "set"],
]);

/** Wrappers that say nothing about the value. */
const wrappers: ReadonlySet<string> = new Set(["Required", "NotRequired", "ReadOnly", "Final"]);

const deepest = 60;
/** Types in types in types: more parts than this are no schema that a model could use. */
const maxParts = 5_000;

export interface TypeReader {
  readonly read: ReadAnnotation;
  /** Whether this is a member of an enum of the source. */
  isMember(node: Node): boolean;
}

export function createTypeReader(grammars: Grammars, scope: PythonScope): TypeReader {
  let parts = 0;

  const read: ReadAnnotation = (node, outer) => {
    const place = { ...outer, depth: outer.depth + 1 };
    if (++parts > maxParts || place.depth > deepest) {
      throw sourceError(`the type of ${place.what} is too long or nested too deeply: send json_schema`, place.line);
    }
    switch (node.type) {
      case "type":
      case "parenthesized_expression":
        return read(firstPart(node) ?? node, place);
      case "none":
        return { schema: nothing, isOptional: true };
      case "string":
      case "concatenated_string":
        return readQuoted(node, place);
      case "binary_operator":
        if (field(node, "operator")?.text !== "|") throw unknownType(node, place);
        return joinTypes(
          [field(node, "left"), field(node, "right")].flatMap((side) => (side ? [read(side, place)] : [])),
        );
      case "union_type":
        return joinTypes(partsOf(node).map((part) => read(part, place)));
      case "identifier":
      case "attribute":
      case "member_type":
        return readNamed(node, place);
      case "generic_type":
      case "subscript":
        return readGeneric(node, place);
      default:
        throw unknownType(node, place);
    }
  };

  const classes = createClassReader(scope, read);

  const readNamed = (node: Node, place: Place): ReadType => {
    const path = readPath(node, scope);
    if (scope.classes.has(path)) return { schema: classes.read(path, place), isOptional: false };
    const alias = scope.aliases.get(path);
    if (alias) return readAlias(path, alias, place);
    const name = lastOf(path);
    const schema = plainTypes.get(synonyms.get(name) ?? name);
    if (schema) return { schema, isOptional: false };
    throw unknownType(node, place);
  };

  const readAlias = (name: string, type: Node, place: Place): ReadType => {
    if (place.trail.includes(name)) throw sourceError(`the type "${name}" leads back to itself`, place.line);
    const inside = { ...place, trail: [...place.trail, name] };
    if (type.type !== "call") return read(type, inside);
    const [, base] = partsOf(field(type, "arguments") ?? type);
    if (lastOf(field(type, "function")?.text ?? "") === "NewType" && base) return read(base, inside);
    throw unknownType(type, place);
  };

  const readGeneric = (node: Node, place: Place): ReadType => {
    const { base, args } = splitGeneric(node);
    const name = lastOf(readPath(base, scope));
    const [first, second] = args;
    if (!first) throw unknownType(node, place);
    if (name === "Optional") return { ...read(first, place), isOptional: true };
    if (name === "Union") return joinTypes(args.map((arg) => read(arg, place)));
    if (name === "Annotated") return addNote(read(first, place), args.slice(1));
    if (wrappers.has(name)) return read(first, place);
    if (name === "Literal") return { schema: toEnum(args.map((arg) => readChoice(arg, place))), isOptional: false };
    const item = (arg: Node) => read(arg, place).schema;
    switch (synonyms.get(name) ?? name) {
      case "list":
        return { schema: { type: "array", items: item(first) }, isOptional: false };
      case "set":
        return { schema: { type: "array", items: item(first), uniqueItems: true }, isOptional: false };
      case "dict":
        return { schema: { type: "object", additionalProperties: second ? item(second) : {} }, isOptional: false };
      case "tuple":
        if (second && isEllipsis(second)) return { schema: { type: "array", items: item(first) }, isOptional: false };
        return { schema: toTuple(args.map(item)), isOptional: false };
      default:
        throw unknownType(node, place);
    }
  };

  const readChoice = (node: Node, place: Place): JsonValue => {
    const inner = unwrap(node);
    const written = readLiteral(inner);
    const value = written === undefined ? classes.findMember(readPath(inner, scope)) : written;
    if (value === undefined) throw unknownType(inner, place);
    return value;
  };

  /** A type whose name is written as a text, because it is defined further down. */
  const readQuoted = (node: Node, place: Place): ReadType => {
    const text = readText(node) ?? "";
    return grammars.readTree("python", text.trim(), (root) => {
      const [statement, ...others] = partsOf(root);
      const type = statement?.type === "expression_statement" ? firstPart(statement) : undefined;
      if (root.hasError || !type || others.length > 0) throw unknownType(node, place);
      return read(type, place);
    });
  };

  return { read, isMember: (node) => classes.findMember(readPath(node, scope)) !== undefined };
}

const isEllipsis = (node: Node): boolean => node.text === "...";

function splitGeneric(node: Node): { base: Node; args: Node[] } {
  const base = field(node, "value") ?? firstPart(node) ?? node;
  if (node.type === "subscript") {
    const args = node.childrenForFieldName("subscript").flatMap((arg) => (arg.type === "tuple" ? partsOf(arg) : [arg]));
    return { base, args };
  }
  const [, parameters] = partsOf(node);
  return { base, args: parameters ? partsOf(parameters) : [] };
}

const unwrap = (node: Node): Node => (node.type === "type" ? (firstPart(node) ?? node) : node);

function addNote(type: ReadType, notes: readonly Node[]): ReadType {
  const description = findNote(notes.map(unwrap));
  return description ? { ...type, description } : type;
}

function joinTypes(members: readonly ReadType[]): ReadType {
  const isOptional = members.some((member) => member.isOptional);
  const schemas = members.map(({ schema }) => schema).filter(({ type }) => type !== "null");
  return { schema: schemas.length === 0 ? nothing : toUnion(schemas), isOptional };
}

function unknownType(node: Node, { what, line }: Place): Error {
  return sourceError(
    `${what}: the type "${shorten(node.text)}" cannot be read. Use str, int, float, bool, list, dict, tuple, Optional, ` +
      "Union, Literal, or an Enum, dataclass or pydantic model of the same source, or send json_schema",
    line,
  );
}
