/** The shape of a builtin tool's row, and the few words in which its parameters are declared. */

import { prose } from "../../memory/prompts/prose.ts";

/** Which set a tool belongs to. The server maps these to the names older clients know. */
export type BuiltinToolKind = "core" | "memory" | "sleeptime" | "voice" | "multi-agent" | "service" | "files";

export interface BuiltinTool {
  readonly name: string;
  readonly kind: BuiltinToolKind;
  /** Read by models: what the tool does, when to use it, what comes back, what goes wrong. */
  readonly description: string;
  readonly parameters: JsonObjectSchema;
  /** True when calls of one step may run side by side: the tool changes nothing the others read. */
  readonly isParallel: boolean;
}

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

export function text(description: string): JsonStringSchema {
  return { type: "string", description: prose(description) };
}

export function choice(values: readonly string[], description: string): JsonStringSchema {
  return { type: "string", enum: values, description: prose(description) };
}

export function integer(description: string): JsonScalarSchema {
  return { type: "integer", description: prose(description) };
}

export function flag(description: string): JsonScalarSchema {
  return { type: "boolean", description: prose(description) };
}

export function listOf(items: JsonSchema, description: string): JsonArraySchema {
  return { type: "array", items, description: prose(description) };
}

export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonObjectSchema {
  return { type: "object", properties, required };
}
