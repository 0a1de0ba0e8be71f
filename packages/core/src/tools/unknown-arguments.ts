/** Names of arguments that a tool does not have. JSON schema allows any; a function fails on them, or ignores them. */
import type { JsonObject } from "../shared/json.ts";

/** With one of these, a schema says more about names than its list of properties does. */
const opening = [
  ..."additionalProperties patternProperties propertyNames unevaluatedProperties $ref $dynamicRef".split(" "),
  ..."allOf anyOf oneOf not if dependentSchemas dependencies".split(" "),
];

export function findUnknownArguments(schema: JsonObject, args: JsonObject): string[] {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null) return [];
  if (opening.some((keyword) => schema[keyword] !== undefined)) return [];
  return Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
}
