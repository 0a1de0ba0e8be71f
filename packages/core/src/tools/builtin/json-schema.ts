/** The part of JSON schema in which builtin tools declare their parameters. */

export interface JsonStringSchema {
  readonly type: "string";
  readonly enum?: readonly string[];
  readonly description?: string;
}

export interface JsonScalarSchema {
  readonly type: "integer" | "boolean";
  readonly description?: string;
}

export interface JsonArraySchema {
  readonly type: "array";
  readonly items: JsonSchema;
  readonly description?: string;
}

export interface JsonObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

export type JsonSchema = JsonStringSchema | JsonScalarSchema | JsonArraySchema | JsonObjectSchema;
