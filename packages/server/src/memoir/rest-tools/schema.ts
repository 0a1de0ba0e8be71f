/** REST tools on the wire. */
import { type JsonObject, type RestMethod, restMethods } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireInteger, wireList, wireName, wireRecord } from "../../letta/shared/fields.ts";
import { ToolWire } from "../../letta/tools/schema.ts";

export interface RestTemplateWire {
  name: string;
  description: string;
  method: RestMethod;
  url: string;
  headers?: Record<string, string>;
  parameters?: JsonObject;
}

const texts = wireRecord(wireName, z.string().max(10_000), 1_000);

const Template: z.ZodType<RestTemplateWire> = z.strictObject({
  name: wireName,
  description: z.string().max(10_000),
  method: z.enum(restMethods),
  url: z.string().max(4_000),
  headers: optional(texts),
  parameters: optional(WireObject),
});

export interface RestCredentialsWire {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  schemes?: Record<string, string>;
}

const Credentials: z.ZodType<RestCredentialsWire> = z.strictObject({
  headers: optional(texts),
  query: optional(texts),
  schemes: optional(texts),
});

export interface NewRestToolsWire {
  openapi?: JsonObject;
  base_url?: string;
  operations?: string[];
  prefix?: string;
  template?: RestTemplateWire;
  credentials?: RestCredentialsWire;
  tags?: string[];
  timeout_seconds?: number;
  return_char_limit?: number;
  default_requires_approval?: boolean;
}

export const NewRestToolsWire: z.ZodType<NewRestToolsWire> = z
  .strictObject({
    openapi: optional(WireObject),
    base_url: optional(z.string().max(4_000)),
    operations: optional(wireList(z.string().max(4_000))),
    prefix: optional(z.string().max(32)),
    template: optional(Template),
    credentials: optional(Credentials),
    tags: optional(wireList(wireName)),
    timeout_seconds: optional(z.number().min(1).max(300)),
    return_char_limit: optional(wireInteger.min(1).max(1_000_000)),
    default_requires_approval: optional(z.boolean()),
  })
  .meta({ id: "MemoirNewRestTools" });

export interface RestToolsWire {
  tools: ToolWire[];
  skipped: { operation: string; reason: string }[];
}

export const RestToolsWire: z.ZodType<RestToolsWire> = z
  .strictObject({
    tools: z.array(ToolWire),
    skipped: z.array(z.strictObject({ operation: z.string(), reason: z.string() })),
  })
  .meta({ id: "MemoirRestTools" });
