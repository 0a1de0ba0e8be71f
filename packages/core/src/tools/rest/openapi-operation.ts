/** One operation of an OpenAPI document: which arguments it takes, and where each of them goes. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../shared/json.ts";
import { findHeaderFault } from "./headers.ts";
import {
  hasBody,
  type RestDraft,
  type RestMethod,
  type RestOperation,
  type RestParameter,
  type RestStyle,
} from "./operation.ts";
import { maxSchemaNodes, resolveRef, TooLargeSchema, type Writing, writeSchema } from "./schema-refs.ts";
import { parseUrlTemplate } from "./url-template.ts";

export interface OpenApiEntry {
  readonly method: RestMethod;
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

/** Cannot be called by a model; the message says why. */
export class SkippedOperation extends Error {}

const longestDescription = 1_000;

export function draftOperation(document: JsonObject, base: string, entry: OpenApiEntry, name: string): RestDraft {
  const { method, path, operation } = entry;
  const writing: Writing = { document, left: maxSchemaNodes };
  const { url, path: slots } = parseUrlTemplate(`${base}${path.replaceAll("?", "%3F")}`, "openapi");
  const taken = new Set<string>();
  try {
    const parameters = listParameters(document, entry).flatMap((input) => readParameter(writing, input, taken));
    const missing = slots.find((slot) => !parameters.some(({ place }) => place.in === "path" && place.name === slot));
    if (missing !== undefined) throw new SkippedOperation(`its path holds {${missing}}, of which nothing is said`);
    const body = hasBody(method) ? readBody(writing, operation, taken) : undefined;
    const all = [...parameters, ...(body ? [body] : [])];
    return {
      name,
      description: describe(entry),
      parameters: {
        type: "object",
        properties: Object.fromEntries(all.map(({ place, schema }) => [place.argument, schema])),
        required: all.filter(({ isRequired }) => isRequired).map(({ place }) => place.argument),
      },
      operation: {
        method,
        url,
        query: {},
        headers: {},
        parameters: all.map(({ place }) => place),
        bodyType: body?.type ?? null,
      },
      schemes: listSchemes(document, operation),
    };
  } catch (error) {
    if (error instanceof TooLargeSchema) throw new SkippedOperation("the schema of its arguments is too large");
    throw error;
  }
}

function describe({ method, path, operation }: OpenApiEntry): string {
  const texts = [operation.summary, operation.description].filter((text) => typeof text === "string" && text !== "");
  return ([...new Set(texts)].join("\n\n") || `${method} ${path}`).slice(0, longestDescription);
}

interface Argument {
  readonly place: RestParameter;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Those of the operation in place of those of its path. */
function listParameters(document: JsonObject, { item, operation }: OpenApiEntry): JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const value of [...listOf(item.parameters), ...listOf(operation.parameters)]) {
    const parameter = resolveRef(document, value);
    if (parameter) found.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...found.values()];
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** OpenAPI itself says that these are no parameters: they come from the body and from who calls. */
const otherHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

function readParameter(writing: Writing, parameter: JsonObject, taken: Set<string>): Argument[] {
  const { name, in: where, description } = parameter;
  const isRequired = where === "path" || parameter.required === true;
  if (typeof name !== "string" || name === "") throw new SkippedOperation("one of its parameters has no name");
  if (where === "header" && otherHeaders.has(name.toLowerCase())) return [];
  const isClosed = where === "header" && findHeaderFault(name) !== undefined;
  if ((where !== "path" && where !== "query" && where !== "header") || isClosed) {
    if (!isRequired) return [];
    throw new SkippedOperation(`its parameter "${name}" (${String(where)}) cannot be sent from here`);
  }
  const [content] = Object.values(isJsonObject(parameter.content) ? parameter.content : {});
  const schema = writeSchema(writing, isJsonObject(content) ? content.schema : parameter.schema);
  const style = isJsonObject(content) ? "json" : styleOf(parameter);
  const said = typeof description === "string" && description !== "" ? { ...schema, description } : schema;
  const argument = nameArgument(name, where, taken);
  return [{ place: { argument, in: where, name, ...(where === "query" ? { style } : {}) }, schema: said, isRequired }];
}

function styleOf({ style, explode }: JsonObject): RestStyle {
  if (style === "deepObject") return "brackets";
  const isSpread = explode ?? (style === undefined || style === "form");
  if (isSpread) return "repeat";
  return style === "spaceDelimited" ? "space" : style === "pipeDelimited" ? "pipe" : "comma";
}

/** Names that every model's API takes, each of them once. */
function nameArgument(name: string, where: string, taken: Set<string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 50) || where;
  const candidates = [
    plain,
    `${where}_${plain}`,
    ...Array.from({ length: 100 }, (_, count) => `${plain}_${count + 2}`),
  ];
  const found = candidates.find((candidate) => !taken.has(candidate));
  if (found === undefined) throw new SkippedOperation("its parameters cannot be told apart by their names");
  taken.add(found);
  return found;
}

interface BodyArgument extends Argument {
  readonly type: NonNullable<RestOperation["bodyType"]>;
}

function readBody(writing: Writing, operation: JsonObject, taken: Set<string>): BodyArgument | undefined {
  const body = resolveRef(writing.document, operation.requestBody);
  if (!body) return undefined;
  const contents = Object.entries(isJsonObject(body.content) ? body.content : {});
  const kinds = [
    ["json", /^application\/([\w.+-]+\+)?json\b|^\*\/\*$/],
    ["form", /^application\/x-www-form-urlencoded\b/],
    ["text", /^text\/plain\b/],
  ] as const;
  for (const [type, pattern] of kinds) {
    const content = contents.find(([mediaType]) => pattern.test(mediaType.toLowerCase()))?.[1];
    if (!isJsonObject(content)) continue;
    const schema = writeSchema(writing, content.schema);
    const description: JsonObject = typeof body.description === "string" ? { description: body.description } : {};
    const place = { argument: nameArgument("body", "request", taken), in: "body", name: "" } as const;
    return { type, place, schema: { ...description, ...schema }, isRequired: body.required === true };
  }
  if (body.required !== true) return undefined;
  throw new SkippedOperation(`it wants a body of ${contents.map(([type]) => type).join(", ") || "no kind"}`);
}

/** Any of these would do; where there is a value for one of them it is sent. */
function listSchemes(document: JsonObject, operation: JsonObject): string[] {
  const security = operation.security ?? document.security;
  return [...new Set(listOf(security).flatMap((entry) => (isJsonObject(entry) ? Object.keys(entry) : [])))];
}
