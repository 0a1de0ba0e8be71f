/** The schema of a tool's own arguments. */
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { Tool } from "../store/tools/tools.ts";
import { takesAnyArguments } from "./open-parameters.ts";

/** By which agents of older kinds ask to go on. It is the loop's and never reaches a tool, though rows of old name it. */
export const heartbeatArgument = "request_heartbeat";

/** What a tool is given of what was said: all but that. */
export function ownArguments({ [heartbeatArgument]: _, ...own }: JsonObject): JsonObject {
  return own;
}

/** Nothing is known of the arguments, so none is refused. */
const anyArguments: JsonObject = { type: "object", properties: {}, required: [], additionalProperties: true };

export function parametersOf(tool: Pick<Tool, "name" | "source" | "jsonSchema">): JsonObject {
  const schema = ownParameters((tool.jsonSchema?.parameters ?? anyArguments) as JsonObject);
  if (schema.additionalProperties !== undefined || !takesAnyArguments(tool)) return schema;
  return { ...schema, additionalProperties: true };
}

function ownParameters(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (typeof properties !== "object" || properties === null || !(heartbeatArgument in properties)) return schema;
  const { [heartbeatArgument]: _, ...own } = properties as JsonObject;
  const needed = (Array.isArray(required) ? required : []).filter((name: JsonValue) => name !== heartbeatArgument);
  return { ...schema, properties: own, required: needed };
}
