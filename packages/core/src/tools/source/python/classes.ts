/** Classes that a tool's source defines for its arguments: pydantic models, dataclasses, typed dictionaries and enums. */
import type { JsonObject, JsonValue } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field, firstPart, lineOf, partsOf } from "../nodes.ts";
import { nothing, toEnum, toObject, toUnion } from "../schemas.ts";
import { sourceError } from "../source-error.ts";
import { isGiven, readField } from "./fields.ts";
import { readLiteral } from "./literals.ts";
import { lastOf, type Place, type ReadAnnotation, readPath } from "./read-type.ts";
import type { PythonScope } from "./scope.ts";

export interface ClassReader {
  read(name: string, place: Place): JsonObject;
  /** `Color.RED`, if it is a member of an enum of the source. */
  findMember(path: string): JsonValue | undefined;
}

type ClassKind = "model" | "dictionary" | "enum";

const roots: ReadonlyMap<string, ClassKind> = new Map([
  ["BaseModel", "model"],
  ["TypedDict", "dictionary"],
  ["Enum", "enum"],
  ["StrEnum", "enum"],
  ["IntEnum", "enum"],
]);

interface Field {
  readonly name: string;
  readonly line: number;
  readonly annotation: Node;
  readonly value: Node | undefined;
  readonly isTotal: boolean;
}

export function createClassReader(scope: PythonScope, readType: ReadAnnotation): ClassReader {
  const basesOf = (name: string): string[] => {
    const bases = field(scope.classes.get(name) as Node, "superclasses");
    return bases ? partsOf(bases).map((base) => readPath(base, scope)) : [];
  };

  /** A class's bases first, each class once. */
  const lineage = (name: string, seen = new Set<string>()): string[] => {
    const node = scope.classes.get(name);
    if (seen.has(name) || !node) return [];
    if (seen.size > maxBases)
      throw sourceError(`the class "${name}" has too many bases: send json_schema`, lineOf(node));
    seen.add(name);
    return [...basesOf(name).flatMap((base) => lineage(base, seen)), name];
  };

  const findKind = keep((name: string): ClassKind | undefined => {
    const family = lineage(name);
    const foreign = family.flatMap(basesOf).filter((base) => !scope.classes.has(base));
    const kind = foreign.map((base) => roots.get(lastOf(base))).find((each) => each !== undefined);
    return kind ?? (family.some((each) => isDataclass(scope.classes.get(each) as Node)) ? "model" : undefined);
  });

  const readEnum = keep((name: string): ReadonlyMap<string, JsonValue> => {
    const isText = basesOf(name).some((base) => lastOf(base) === "StrEnum");
    return new Map(lineage(name).flatMap((each) => readMembers(scope.classes.get(each) as Node, isText)));
  });

  const readObject = (name: string, kind: ClassKind, place: Place): JsonObject => {
    const fields = new Map(
      lineage(name).flatMap((each) => listFields(scope.classes.get(each) as Node).map((item) => [item.name, item])),
    );
    const properties = new Map<string, JsonObject>();
    const required: string[] = [];
    const trail = [...place.trail, name];
    for (const item of fields.values()) {
      const inside = { ...place, what: `field "${item.name}" of class "${name}"`, line: item.line, trail };
      const type = readType(item.annotation, inside);
      const { hasDefault, alias = item.name, description = type.description } = readField(item.value);
      const isRequired = kind === "model" ? !hasDefault : isKeyRequired(item);
      if (isRequired) required.push(alias);
      const schema = isRequired && type.isOptional ? toUnion([type.schema, nothing]) : type.schema;
      properties.set(alias, { ...schema, ...(description ? { description } : {}) });
    }
    return toObject(properties, required);
  };

  return {
    read(name, place) {
      // A model that holds itself cannot be written out; what is inside the second one is left open.
      if (place.trail.includes(name)) return { type: "object" };
      const kind = findKind(name);
      if (kind === undefined) throw unfitClass(name, place);
      if (kind !== "enum") return readObject(name, kind, place);
      const values = [...readEnum(name).values()];
      if (values.length === 0) throw sourceError(`the enum "${name}" has no members`, place.line);
      return toEnum(values);
    },
    findMember(path) {
      const [name = "", member = "", ...rest] = path.split(".");
      const isMember = rest.length === 0 && scope.classes.has(name) && findKind(name) === "enum";
      return isMember ? readEnum(name).get(member) : undefined;
    },
  };
}

const maxBases = 100;

function isDataclass({ parent }: Node): boolean {
  const decorators = parent?.type === "decorated_definition" ? partsOf(parent) : [];
  return decorators.some(({ text }) => /^@\s*(\w+\.)*dataclass\b/.test(text));
}

/** Asked again, it knows. */
function keep<T>(read: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    if (!known.has(name)) known.set(name, read(name));
    return known.get(name) as T;
  };
}

/** The assignments of a class's body. */
function listAssignments(node: Node): Node[] {
  return partsOf(field(node, "body") ?? node).flatMap((statement) => {
    const first = statement.type === "expression_statement" ? firstPart(statement) : undefined;
    return first?.type === "assignment" && field(first, "left")?.type === "identifier" ? [first] : [];
  });
}

function listFields(node: Node): Field[] {
  const isTotal = !/\btotal\s*=\s*False\b/.test(field(node, "superclasses")?.text ?? "");
  return listAssignments(node).flatMap((assignment) => {
    const [name = "", annotation, value] = [
      field(assignment, "left")?.text,
      field(assignment, "type"),
      field(assignment, "right"),
    ];
    if (!annotation || /^_|^model_config$/.test(name) || /^(\w+\.)*ClassVar\b/.test(annotation.text)) return [];
    return [{ name, line: lineOf(assignment), annotation, value, isTotal }];
  });
}

function readMembers(node: Node, isText: boolean): [string, JsonValue][] {
  let number = 0;
  return listAssignments(node).flatMap((assignment): [string, JsonValue][] => {
    const name = field(assignment, "left")?.text ?? "";
    const right = field(assignment, "right");
    if (name.startsWith("_") || !right || !isGiven(right)) return [];
    const isAuto = /^(\w+\.)*auto\(\)$/.test(right.text);
    const value = isAuto ? (isText ? name.toLowerCase() : ++number) : readLiteral(right);
    if (value === undefined) {
      throw sourceError(
        `the value of "${name}" has to be computed: write it out, or send json_schema`,
        lineOf(assignment),
      );
    }
    if (typeof value === "number") number = value;
    return [[name, value]];
  });
}

function isKeyRequired({ annotation, isTotal }: Field): boolean {
  const [, wrapper] = /^(?:\w+\.)*(Required|NotRequired)\s*\[/.exec(annotation.text) ?? [];
  return wrapper === undefined ? isTotal : wrapper === "Required";
}

function unfitClass(name: string, { what, line }: Place): Error {
  return sourceError(
    `${what}: the class "${name}" is no pydantic BaseModel, dataclass, TypedDict or Enum. Make it one, or send json_schema`,
    line,
  );
}
