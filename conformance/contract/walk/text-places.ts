/** Finds every text that an operation takes, and puts another one in its place. */
import { type Listed, type OpenApi, type Schema, sample } from "./contract.ts";
import type { Sendable } from "./send.ts";

export interface TextPlace {
  /** As in `body.messages[].content`. */
  readonly name: string;
  /** The same request with `text` in this place. */
  put(request: Sendable, text: string): Sendable;
}

/** Goes from a value to the same value with a text somewhere inside. */
type Put = (base: unknown, text: string) => unknown;

interface Found {
  readonly name: string;
  readonly put: Put;
}

export function listTextPlaces(document: OpenApi, { path, operation }: Listed): TextPlace[] {
  const places = (operation.parameters ?? []).flatMap((parameter) =>
    takesText(document, parameter.schema) ? [inAddress(path, parameter)] : [],
  );
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const found = schema ? findTexts(document, schema, new Set()) : [];
  return [...places, ...found.map(({ name, put }) => ({ name: `body${name}`, put: intoBody(put) }))];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

function takesText(document: OpenApi, schema: Schema = {}): boolean {
  return findTexts(document, schema, new Set()).length > 0;
}

function inAddress(path: string, { name, in: where }: Parameter): TextPlace {
  return {
    name: `${where}.${name}`,
    put: (request, text) => {
      const [bare = "", query = ""] = request.path.split("?");
      if (where === "query") {
        const fields = new URLSearchParams(query);
        fields.set(name, text);
        return { ...request, path: `${bare}?${fields}` };
      }
      const place = path.split("/").indexOf(`{${name}}`);
      const parts = bare.split("/").map((part, index) => (index === place ? encodeURIComponent(text) : part));
      return { ...request, path: query ? `${parts.join("/")}?${query}` : parts.join("/") };
    },
  };
}

const intoBody =
  (put: Put): TextPlace["put"] =>
  (request, text) => ({ ...request, body: JSON.stringify(put(JSON.parse(request.body ?? "null"), text)) });

function findTexts(document: OpenApi, schema: Schema, above: ReadonlySet<string>): Found[] {
  const { $ref, anyOf, oneOf, allOf, type, properties = {}, items, additionalProperties } = schema;
  if ($ref) {
    if (above.has($ref)) return [];
    const target = document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {};
    return findTexts(document, target, new Set(above).add($ref));
  }
  if (schema.const !== undefined || schema.enum) return [];
  const choices = anyOf ?? oneOf ?? allOf;
  if (choices) return choices.flatMap((choice) => findTexts(document, choice, above));
  const kinds = Array.isArray(type) ? type : [type];
  const texts: Found[] = kinds.includes("string") ? [{ name: "", put: (_, text) => text }] : [];
  if (kinds.includes("array") && items) {
    const inner = findTexts(document, items, above);
    texts.push(
      ...inner.map(({ name, put }) => ({
        name: `[]${name}`,
        put: (base: unknown, text: string) => [put(first(base), text)],
      })),
    );
  }
  const fixed = Object.keys(properties).length > 0 ? asObject(sample(document, schema, 0)) : {};
  for (const [key, property] of Object.entries(properties)) {
    for (const { name, put } of findTexts(document, property, above)) {
      texts.push({
        name: `.${key}${name}`,
        put: (base, text) => ({
          ...fixed,
          ...asObject(base),
          ...constants(properties),
          [key]: put(asObject(base)[key], text),
        }),
      });
    }
  }
  if (additionalProperties && kinds.includes("object")) {
    texts.push({ name: ".*", put: (base, text) => ({ ...asObject(base), walk: text }) });
    texts.push({ name: "{key}", put: (base, text) => ({ ...asObject(base), [text]: "walk" }) });
  }
  return texts;
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** What an object of this kind must say to be one. */
function constants(properties: Readonly<Record<string, Schema>>): Record<string, unknown> {
  const fixed = Object.entries(properties).filter(([, property]) => property.const !== undefined);
  return Object.fromEntries(fixed.map(([key, property]) => [key, property.const]));
}
