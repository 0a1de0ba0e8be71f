/** The types with parameters that come with TypeScript, as far as they describe data. */
import type { JsonObject } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field, partsOf } from "../nodes.ts";
import { toObject } from "../schemas.ts";
import { pickProperties } from "./objects.ts";
import { type Place, type ReadAnnotation, unknownType } from "./read-type.ts";

export function readGeneric(node: Node, place: Place, read: ReadAnnotation): JsonObject {
  const name = field(node, "name")?.text ?? "";
  const [first, second] = partsOf(field(node, "type_arguments") ?? node);
  if (!first) throw unknownType(node, place);
  const schema = () => read(first, place).schema;
  switch (name) {
    case "Array":
    case "ReadonlyArray":
      return { type: "array", items: schema() };
    case "Record":
      return readRecord(first, second, place, read);
    case "Partial":
      return pickProperties(schema(), () => true, "none");
    case "Required":
      return pickProperties(schema(), () => true, "all");
    case "Readonly":
    case "NonNullable":
      return schema();
    case "Pick":
    case "Omit": {
      const keys = new Set(second ? readKeys(second, place, read) : []);
      return pickProperties(schema(), (key) => keys.has(key) === (name === "Pick"));
    }
    default:
      throw unknownType(node, place);
  }
}

function readRecord(keyType: Node, valueType: Node | undefined, place: Place, read: ReadAnnotation): JsonObject {
  const value = valueType ? read(valueType, place).schema : {};
  const keys = read(keyType, place).schema;
  if (!Array.isArray(keys.enum)) return { type: "object", additionalProperties: value };
  const names = keys.enum.map(String);
  const properties = names.map((name) => [name, value] as const);
  return toObject(properties, names);
}

/** The names that a type of names allows. */
export function readKeys(node: Node, place: Place, read: ReadAnnotation): string[] {
  const { schema } = read(node, place);
  if (Array.isArray(schema.enum)) return schema.enum.map(String);
  throw unknownType(node, place);
}
