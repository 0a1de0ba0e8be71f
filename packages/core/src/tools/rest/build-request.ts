/** Puts the arguments of a call where they belong in the request. Nothing a model writes changes where the request goes. */
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import { findHeaderFault } from "./headers.ts";
import { type RestOperation, type RestParameter, type RestStyle, secretName } from "./operation.ts";

export interface RestRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Secrets = Readonly<Record<string, string>>;

export function buildRequest(operation: RestOperation, args: JsonObject, secrets: Secrets): RestRequest {
  const input = operation.parameters.flatMap((parameter) => {
    const value = Object.hasOwn(args, parameter.argument) ? args[parameter.argument] : undefined;
    return value === undefined || value === null ? [] : [{ parameter, value }];
  });
  const body = buildBody(operation, input);
  return {
    url: buildUrl(operation, input, secrets),
    headers: buildHeaders(operation, input, secrets, body),
    ...(body === undefined ? {} : { body }),
  };
}

interface Given {
  readonly parameter: RestParameter;
  readonly value: JsonValue;
}

function buildUrl(operation: RestOperation, input: readonly Given[], secrets: Secrets): string {
  const path = fillPath(operation, input);
  const query = new URLSearchParams(operation.query);
  for (const { parameter, value } of input) {
    if (parameter.in !== "query") continue;
    for (const [name, text] of spread(parameter.name, value, parameter.style ?? "repeat")) {
      if (name !== parameter.name) rejectTakenName(operation, parameter, name);
      query.append(name, text);
    }
  }
  for (const credential of operation.credentials) {
    const secret = secrets[secretName(credential)];
    if (credential.in === "query" && secret !== undefined) query.set(credential.name, secret);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Keys of an object become names of the query: none may stand for another parameter, a fixed value or a credential. */
function rejectTakenName(operation: RestOperation, { argument }: RestParameter, name: string): void {
  const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9_]/g, "");
  const taken = [
    ...Object.keys(operation.query),
    ...operation.parameters.filter((parameter) => parameter.in === "query").map((parameter) => parameter.name),
    ...operation.credentials.filter((credential) => credential.in === "query").map((credential) => credential.name),
  ];
  if (!taken.some((other) => bare(other) === bare(name))) return;
  throw new ToolFailure(`${argument} must not have the key "${name.slice(0, 100)}". Nothing was done. Call it again.`);
}

function fillPath({ url }: RestOperation, input: readonly Given[]): string {
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const found = input.find(({ parameter }) => parameter.in === "path" && parameter.name === name);
    const text = found ? pathText(found.value) : "";
    if (text === "") throw new ToolFailure(`${found?.parameter.argument ?? name} must not be empty. Call it again.`);
    return text;
  });
  // Dots could climb out of the path that was meant.
  if (new URL(filled).href !== filled) {
    throw new ToolFailure("The arguments make another address than the tool is for. Nothing was done.");
  }
  return filled;
}

function pathText(value: JsonValue): string {
  const parts = Array.isArray(value) ? value : [value];
  return parts.map((part) => encodeURIComponent(toText(part).toWellFormed())).join(",");
}

/** Under which names, and as what, a value stands in a query or form. */
function spread(name: string, value: JsonValue, style: RestStyle): [string, string][] {
  if (style === "json" || typeof value !== "object" || value === null) return [[name, toText(value)]];
  if (Array.isArray(value)) {
    if (style === "repeat") return value.map((item) => [name, toText(item)]);
    return [[name, value.map(toText).join(style === "space" ? " " : style === "pipe" ? "|" : ",")]];
  }
  const entries = Object.entries(value as JsonObject);
  if (style === "brackets") return entries.map(([key, item]) => [`${name}[${key}]`, toText(item)]);
  if (style === "repeat") return entries.map(([key, item]) => [key, toText(item)]);
  return [[name, entries.flatMap(([key, item]) => [key, toText(item)]).join(",")]];
}

const toText = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value));

const bodyTypes = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  text: "text/plain; charset=utf-8",
} as const;

function buildHeaders(
  operation: RestOperation,
  input: readonly Given[],
  secrets: Secrets,
  body: string | undefined,
): Record<string, string> {
  const headers = new Map<string, string>([["accept", "application/json, */*;q=0.5"]]);
  const set = (name: string, value: string) => headers.set(name.toLowerCase(), value);
  if (body !== undefined && operation.bodyType) set("content-type", bodyTypes[operation.bodyType]);
  for (const [name, value] of Object.entries(operation.headers)) set(name, value);
  for (const { parameter, value } of input) {
    if (parameter.in !== "header") continue;
    const text = Array.isArray(value) ? value.map(toText).join(",") : toText(value);
    const fault = findHeaderFault(parameter.name, text);
    if (fault) throw new ToolFailure(`${parameter.argument} cannot be sent: ${fault}. Call it again.`);
    set(parameter.name, text);
  }
  for (const credential of operation.credentials) {
    const secret = secrets[secretName(credential)];
    if (credential.in === "header" && secret !== undefined) set(credential.name, secret);
  }
  return Object.fromEntries(headers);
}

const longestBody = 1_000_000;

function buildBody({ bodyType }: RestOperation, input: readonly Given[]): string | undefined {
  const fields = input.filter(({ parameter }) => parameter.in === "body");
  if (bodyType === null || fields.length === 0) return undefined;
  const whole = fields.find(({ parameter }) => parameter.name === "")?.value;
  const value = whole ?? Object.fromEntries(fields.map(({ parameter, value: field }) => [parameter.name, field]));
  const body = writeBody(bodyType, value);
  if (Buffer.byteLength(body) <= longestBody) return body;
  throw new ToolFailure(`The request is longer than ${longestBody} bytes. Nothing was sent. Send less.`);
}

function writeBody(type: keyof typeof bodyTypes, value: JsonValue): string {
  if (type === "json") return JSON.stringify(value);
  if (type === "text" || typeof value !== "object" || value === null || Array.isArray(value)) return toText(value);
  const pairs = Object.entries(value as JsonObject).flatMap(([name, field]) => spread(name, field ?? "", "repeat"));
  return new URLSearchParams(pairs).toString();
}
