/** How well a tool's schema serves models: whether it can be sent strict, only loosely, or not at all. */
import { isJsonObject, type JsonObject, type JsonValue } from "../shared/json.ts";

/** `strict`: providers can hold models to it. `loose`: it says what fits, but leaves objects open. `invalid`: it says too little. */
export type SchemaGrade = "strict" | "loose" | "invalid";

export interface SchemaHealth {
  readonly grade: SchemaGrade;
  /** What keeps it from being better, each with the path to it. */
  readonly reasons: readonly string[];
}

interface Findings {
  readonly faults: string[];
  readonly openings: string[];
}

const types: ReadonlySet<JsonValue> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const unions = ["anyOf", "oneOf", "allOf"] as const;
const deepest = 100;

/** Optional properties do not lower the grade: strict modes can make them nullable. */
export function gradeSchema(schema: JsonValue): SchemaHealth {
  const findings: Findings = { faults: [], openings: [] };
  if (!isJsonObject(schema) || schema.type !== "object")
    findings.faults.push("root: it is not the schema of an object");
  else visit(schema, ["root"], false, findings);
  const { faults, openings } = findings;
  const reasons = [...faults, ...openings];
  return { grade: faults.length > 0 ? "invalid" : openings.length > 0 ? "loose" : "strict", reasons };
}

function visit(schema: JsonValue | undefined, path: readonly string[], isRequired: boolean, findings: Findings): void {
  const fault = (text: string) => findings.faults.push(`${path.join(".")}: ${text}`);
  if (!isJsonObject(schema)) return void fault("it is no schema");
  if (path.length > deepest) return void fault("it is nested too deeply");
  const kinds = schema.type === undefined ? [] : [schema.type].flat();
  const odd = kinds.find((kind) => !types.has(kind));
  if (odd !== undefined) fault(`the type ${JSON.stringify(odd)} is not known`);
  const members = unions.filter((key) => schema[key] !== undefined);
  if (kinds.length === 0 && members.length === 0 && schema.$ref === undefined) fault("it says no type");
  for (const key of members) {
    const list = schema[key];
    if (!Array.isArray(list)) fault(`${key} is no list`);
    else for (const [at, member] of list.entries()) visit(member, [...path, key, String(at)], false, findings);
  }
  if (kinds.includes("array")) visitArray(schema, path, findings);
  if (kinds.includes("object")) visitObject(schema, path, isRequired, findings);
}

function visitArray({ items, prefixItems }: JsonObject, path: readonly string[], findings: Findings): void {
  if (items === undefined && !Array.isArray(prefixItems)) {
    findings.faults.push(`${path.join(".")}: it is an array without items`);
  }
  if (items !== undefined && items !== false) visit(items, [...path, "items"], false, findings);
  for (const [at, item] of Array.isArray(prefixItems) ? prefixItems.entries() : []) {
    visit(item, [...path, "prefixItems", String(at)], false, findings);
  }
}

function visitObject(schema: JsonObject, path: readonly string[], isRequired: boolean, findings: Findings): void {
  const { properties = {}, required = [], additionalProperties } = schema;
  const place = path.join(".");
  if (!isJsonObject(properties)) return void findings.faults.push(`${place}: properties is no object`);
  if (!Array.isArray(required)) return void findings.faults.push(`${place}: required is no list`);
  for (const name of required.filter((each) => !Object.hasOwn(properties, String(each)))) {
    findings.faults.push(`${place}: required names ${JSON.stringify(name)}, which is not among the properties`);
  }
  if (isRequired && required.length === 0 && additionalProperties === false) {
    findings.faults.push(`${place}: it is required, and nothing has to be in it`);
  }
  if (additionalProperties !== false) findings.openings.push(`${place}: additionalProperties is not false`);
  if (isJsonObject(additionalProperties))
    visit(additionalProperties, [...path, "additionalProperties"], false, findings);
  for (const [name, property] of Object.entries(properties)) {
    visit(property, [...path, name], required.includes(name), findings);
  }
}
