/** A tool from an address with gaps: what stands in `{…}` is filled in there, all else goes to the query or the body. */
import type { JsonObject } from "../../shared/json.ts";
import { findHeaderFault } from "./headers.ts";
import { hasBody, type RestDraft, type RestMethod, type RestParameter } from "./operation.ts";
import { parseUrlTemplate, refuse } from "./url-template.ts";

export interface RestTemplate {
  readonly name: string;
  /** Read by models: what the tool does, when to use it, what comes back. */
  readonly description: string;
  readonly method: RestMethod;
  readonly url: string;
  /** Sent with every call; `{name}` as a value is filled in. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The schema of an object: what the model is asked for. */
  readonly parameters?: JsonObject;
}

export function draftFromTemplate(template: RestTemplate): RestDraft {
  const { method, name, description } = template;
  const { url, path, query, fixedQuery } = parseUrlTemplate(template.url, "url");
  const { headers, slots } = readHeaders(template.headers ?? {});
  const placed: RestParameter[] = [
    ...path.map((slot): RestParameter => ({ argument: slot, in: "path", name: slot })),
    ...[...query].map(([key, slot]): RestParameter => ({ argument: slot, in: "query", name: key })),
    ...[...slots].map(([key, slot]): RestParameter => ({ argument: slot, in: "header", name: key })),
  ];
  const { properties, required } = readParameters(template.parameters ?? {});
  const names = new Set(placed.map(({ argument }) => argument));
  const others = Object.keys(properties)
    .filter((argument) => !names.has(argument))
    .map((argument): RestParameter => ({ argument, in: hasBody(method) ? "body" : "query", name: argument }));
  const said = Object.fromEntries(
    [...names].filter((slot) => !Object.hasOwn(properties, slot)).map((slot) => [slot, { type: "string" }]),
  );
  return {
    name,
    description,
    parameters: {
      type: "object",
      properties: { ...properties, ...said },
      // Without it there is no address.
      required: [...new Set([...path, ...required, ...Object.keys(said)])],
    },
    operation: {
      method,
      url,
      query: fixedQuery,
      headers,
      parameters: [...placed, ...others],
      bodyType: others.some((parameter) => parameter.in === "body") ? "json" : null,
    },
    schemes: [],
  };
}

function readHeaders(input: Readonly<Record<string, string>>) {
  const headers: Record<string, string> = {};
  const slots = new Map<string, string>();
  for (const [name, value] of Object.entries(input)) {
    const fault = findHeaderFault(name, value);
    if (fault !== undefined) throw refuse("headers", fault);
    const slot = /^\{([^{}]+)\}$/.exec(value)?.[1];
    if (slot === undefined) headers[name] = value;
    else slots.set(name, slot);
  }
  return { headers, slots };
}

function readParameters(schema: JsonObject): { properties: JsonObject; required: string[] } {
  const { type = "object", properties = {}, required = [] } = schema;
  const isObject = typeof properties === "object" && properties !== null && !Array.isArray(properties);
  if (
    type !== "object" ||
    !isObject ||
    !Array.isArray(required) ||
    !required.every((name) => typeof name === "string")
  ) {
    throw refuse("parameters", 'parameters must be the schema of an object: {"type": "object", "properties": {…}}');
  }
  return { properties: properties as JsonObject, required: required as string[] };
}
