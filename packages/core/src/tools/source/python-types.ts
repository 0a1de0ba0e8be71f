/** What an annotation of Python says, as JSON schema. */
import type { JsonObject, JsonValue } from "../../json.ts";
import { splitAtTop } from "./python-functions.ts";
import { readStatements, type Token } from "./python-statements.ts";
import { sourceError } from "./source-error.ts";

export interface ReadType {
  readonly schema: JsonObject;
  /** None is allowed too, so the argument may be left out. */
  readonly isOptional: boolean;
}

const plainTypes: ReadonlyMap<string, JsonObject> = new Map(
  Object.entries<JsonObject>({
    str: { type: "string" },
    int: { type: "integer" },
    float: { type: "number" },
    bool: { type: "boolean" },
    list: { type: "array", items: { type: "string" } },
    List: { type: "array", items: { type: "string" } },
    dict: { type: "object" },
    Dict: { type: "object" },
    datetime: { type: "string", format: "date-time" },
    date: { type: "string", format: "date" },
    Any: {},
  }),
);

/** Longer ones are no types that anybody wrote. */
const mostTokens = 500;

/** `where` names the parameter in errors. */
export function readType(tokens: readonly Token[], where: string): ReadType {
  if (tokens.length > mostTokens) throw sourceError(`${where}: its type is too long. Send json_schema`);
  const members = splitAtTop(tokens, "|").map((part) => readMember(part, where));
  return joinTypes(members);
}

function readMember(tokens: readonly Token[], where: string): ReadType {
  const [first] = tokens;
  if (tokens.length === 1 && first?.kind === "string") return readQuoted(first, where);
  const { name, inner } = splitGeneric(tokens);
  if (name === "None") return { schema: {}, isOptional: true };
  if (!inner) {
    const schema = plainTypes.get(name);
    if (schema) return { schema, isOptional: false };
    throw unknownType(tokens, where);
  }
  if (name === "Optional") return { ...readType(inner, where), isOptional: true };
  const parts = splitAtTop(inner, ",");
  if (name === "Union") return joinTypes(parts.map((part) => readType(part, where)));
  const schema = readGeneric(name, parts, where);
  if (!schema) throw unknownType(tokens, where);
  return { schema, isOptional: false };
}

function readGeneric(name: string, parts: readonly Token[][], where: string): JsonObject | undefined {
  const item = (index: number) => readType(parts[index] ?? [], where).schema;
  switch (name) {
    case "list":
    case "List":
      return { type: "array", items: item(0) };
    case "dict":
    case "Dict":
      return { type: "object", additionalProperties: item(1) };
    case "tuple":
    case "Tuple": {
      const items = parts.map((_, index) => item(index));
      return { type: "array", prefixItems: items, minItems: items.length, maxItems: items.length };
    }
    case "Literal":
      return readLiterals(parts);
    case "Annotated":
      return item(0);
    default:
      return undefined;
  }
}

function readLiterals(parts: readonly Token[][]): JsonObject | undefined {
  const values = parts.map(readLiteral);
  if (values.includes(undefined)) return undefined;
  const isText = values.every((value) => typeof value === "string");
  return { ...(isText ? { type: "string" } : {}), enum: values as JsonValue[] };
}

const words: ReadonlyMap<string, JsonValue> = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
]);

function readLiteral(tokens: readonly Token[]): JsonValue | undefined {
  const [first] = tokens;
  if (first?.kind === "string") return tokens.length === 1 ? first.value : undefined;
  const text = tokens.map((token) => token.text).join("");
  if (words.has(text)) return words.get(text);
  return /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** A type whose name is written as a text, because it is defined further down. */
function readQuoted({ value }: Token, where: string): ReadType {
  const [statement, ...others] = readStatements(value ?? "");
  if (!statement || others.length > 0) throw sourceError(`${where}: the text in its annotation is no type`);
  return readType(statement.tokens, where);
}

/** `typing.List[str]` and `List[str]` are the same. */
function splitGeneric(tokens: readonly Token[]): { name: string; inner: readonly Token[] | undefined } {
  const bracket = tokens.findIndex(({ text }) => text === "[");
  const head = bracket === -1 ? tokens : tokens.slice(0, bracket);
  const inner = bracket === -1 || tokens.at(-1)?.text !== "]" ? undefined : tokens.slice(bracket + 1, -1);
  const isName = head.every(({ kind, text }, index) => (index % 2 === 0 ? kind === "name" : text === "."));
  return { name: isName ? (head.at(-1)?.text ?? "") : "", inner };
}

function joinTypes(members: readonly ReadType[]): ReadType {
  const isOptional = members.some((member) => member.isOptional);
  const schemas = members.filter(({ schema, isOptional }) => !isOptional || Object.keys(schema).length > 0);
  const [only, ...others] = schemas.map(({ schema }) => schema);
  return { schema: others.length === 0 ? (only ?? {}) : { anyOf: [only ?? {}, ...others] }, isOptional };
}

function unknownType(tokens: readonly Token[], where: string): Error {
  const shown = tokens
    .map(({ text }) => text)
    .join("")
    .slice(0, 100);
  return sourceError(
    `${where}: the type ${shown === "" ? "is missing" : `"${shown}" cannot be read`}. Use str, int, float, bool, list, dict, ` +
      "Optional, Union or Literal, or send json_schema",
  );
}

const literalMarks: ReadonlySet<string> = new Set(["[", "]", "{", "}", "(", ")", ",", ":", "-"]);

/** Whether a default is written out; what has to be computed is known only when it runs. */
export function isLiteral(tokens: readonly Token[]): boolean {
  return tokens.every(({ kind, text, value }) => {
    if (kind === "name") return words.has(text);
    if (kind === "string") return value !== undefined;
    return kind === "number" || literalMarks.has(text);
  });
}
