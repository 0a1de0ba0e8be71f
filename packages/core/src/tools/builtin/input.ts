/**
 * Declares the arguments of a builtin tool once: the JSON schema that models see, and the types that `run` gets. Rows of
 * imported agents may have another schema, so `read` checks each value again.
 */
import { refusal } from "../../memory/block-rules.ts";
import { prose } from "../../memory/prompts/prose.ts";
import { isJsonObject, type JsonValue } from "../../shared/json.ts";
import type { JsonObjectSchema, JsonSchema } from "./json-schema.ts";
import { readFlag, readInteger, readText, readTexts } from "./value-readers.ts";

export interface Argument<T, S extends JsonSchema = JsonSchema> {
  readonly schema: S;
  readonly isRequired: boolean;
  /** `value` is undefined where the call leaves the argument out or sends null. */
  read(name: string, value: JsonValue | undefined): T;
}

export type ObjectArgument<T> = Argument<T, JsonObjectSchema>;

export type Fields = Readonly<Record<string, Argument<unknown>>>;

export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Argument<infer T> ? T : never };

/** An empty text is a text. `remedy` tells the model what to write where it is missing. */
export function text(description: string, remedy?: string): Argument<string> {
  return required({ type: "string", description: prose(description) }, readText, remedy);
}

/** `remedy` tells the model what to do instead of sending another value. */
export function choice<const V extends string>(
  values: readonly V[],
  description: string,
  remedy = "Call again with one of them.",
): Argument<V> {
  const read = (name: string, value: JsonValue) => {
    const text = readText(name, value);
    const chosen = values.find((each) => each === text);
    if (chosen !== undefined) return chosen;
    throw refusal(`${name} is "${text.slice(0, 100)}"; it must be ${quoteAll(values)}. ${remedy}`);
  };
  return required({ type: "string", enum: values, description: prose(description) }, read);
}

export function integer(description: string): Argument<number> {
  return required({ type: "integer", description: prose(description) }, readInteger);
}

export function flag(description: string): Argument<boolean> {
  return required({ type: "boolean", description: prose(description) }, readFlag);
}

export function texts(description: string): Argument<string[]> {
  return required({ type: "array", items: { type: "string" }, description: prose(description) }, readTexts);
}

/** A list whose items are each one of `values`. `fault` tells the model what is wrong with another item, and the remedy. */
export function choices<const V extends string>(
  values: readonly V[],
  description: string,
  fault = `which is none of ${values.join(", ")}.`,
): Argument<V[]> {
  const isKnown = (text: string): text is V => values.some((each) => each === text);
  const read = (name: string, value: JsonValue) =>
    readTexts(name, value).map((text) => {
      if (isKnown(text)) return text;
      throw refusal(`${name} holds "${text.slice(0, 100)}", ${fault}`);
    });
  return required({ type: "array", items: { type: "string", enum: values }, description: prose(description) }, read);
}

function quoteAll(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(" or ");
}

export function listOf<T>(items: Argument<T>, description: string): Argument<T[]> {
  const read = (name: string, value: JsonValue) => {
    if (!Array.isArray(value)) throw refusal(`${name} must be a list. Nothing was done. Call again with one.`);
    return value.map((item: JsonValue, index) => items.read(`${name}[${index}]`, item ?? undefined));
  };
  return required({ type: "array", items: items.schema, description: prose(description) }, read);
}

export function object<F extends Fields>(fields: F): ObjectArgument<ValuesOf<F>> {
  const entries = Object.entries(fields);
  const schema: JsonObjectSchema = {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, argument]) => [name, argument.schema])),
    required: entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  };
  return required(schema, (name, value) => {
    if (!isJsonObject(value)) throw refusal(`${name} must be an object. Nothing was done. Call again with one.`);
    const values = entries.map(([field, argument]) => [field, argument.read(field, value[field] ?? undefined)]);
    return Object.fromEntries(values) as ValuesOf<F>;
  });
}

function required<T, S extends JsonSchema>(
  schema: S,
  read: (name: string, value: JsonValue) => T,
  remedy = "Call again with it.",
): Argument<T, S> {
  return {
    schema,
    isRequired: true,
    read: (name, value) => {
      if (value === undefined) throw refusal(`${name} is required. Nothing was done. ${remedy}`);
      return read(name, value);
    },
  };
}

export function optional<T>({ schema, read }: Argument<T>): Argument<T | undefined> {
  return {
    schema,
    isRequired: false,
    read: (name, value) => (value === undefined ? undefined : read(name, value)),
  };
}
