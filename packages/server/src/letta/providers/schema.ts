/** Providers on the wire: keys go in, and only whether there is one comes out. */
import { z } from "zod";
import { wireName } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryEnum, queryText } from "../shared/query.ts";

/** Written out because pages import this file without core: a test compares it with the records of core. */
export const providerTypes = [
  "anthropic",
  "azure",
  "baseten",
  "bedrock",
  "cerebras",
  "chatgpt_oauth",
  "deepseek",
  "fireworks",
  "google_ai",
  "google_vertex",
  "groq",
  "hugging-face",
  "letta",
  "lmstudio_openai",
  "minimax",
  "mistral",
  "ollama",
  "openai",
  "together",
  "vllm",
  "sglang",
  "openrouter",
  "xai",
  "zai",
  "zai_coding",
] as const;

export type ProviderTypeWire = (typeof providerTypes)[number];

export const ProviderTypeWire: z.ZodType<ProviderTypeWire> = z.enum(providerTypes).meta({ id: "ProviderType" });

export type ProviderCategoryWire = "base" | "byok";

export const ProviderCategoryWire: z.ZodType<ProviderCategoryWire> = z
  .enum(["base", "byok"])
  .meta({ id: "ProviderCategory" });

export interface ProviderWire {
  id: string;
  name: string;
  provider_type: ProviderTypeWire;
  provider_category: ProviderCategoryWire;
  api_key: null;
  base_url: string | null;
  access_key: null;
  region: string | null;
  api_version: string | null;
  organization_id: string;
  updated_at: string | null;
  last_synced: string | null;
  /** Says that there is one. */
  api_key_enc: string | null;
  access_key_enc: string | null;
}

export const ProviderWire: z.ZodType<ProviderWire> = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    provider_type: ProviderTypeWire,
    provider_category: ProviderCategoryWire,
    api_key: z.null(),
    base_url: z.string().nullable(),
    access_key: z.null(),
    region: z.string().nullable(),
    api_version: z.string().nullable(),
    organization_id: z.string(),
    updated_at: z.string().nullable(),
    last_synced: z.string().nullable(),
    api_key_enc: z.string().nullable(),
    access_key_enc: z.string().nullable(),
  })
  .meta({ id: "Provider" });

export interface ProviderSettingsWire {
  api_key: string;
  access_key?: string | null;
  region?: string | null;
  base_url?: string | null;
  api_version?: string | null;
}

const setting = z.string().max(2000).nullish();

/** Keys that are whole JSON documents are some kilobytes long. */
const settingsShape = {
  api_key: z.string().max(20_000),
  access_key: setting,
  region: setting,
  base_url: setting,
  api_version: setting,
};

export interface ProviderCreateWire extends ProviderSettingsWire {
  name: string;
  provider_type: ProviderTypeWire;
}

export const ProviderCreateWire: z.ZodType<ProviderCreateWire> = z
  .object({ ...settingsShape, name: wireName, provider_type: ProviderTypeWire })
  .meta({ id: "ProviderCreate" });

export const ProviderUpdateWire: z.ZodType<ProviderSettingsWire> = z
  .object(settingsShape)
  .meta({ id: "ProviderUpdate" });

export interface ProviderCheckWire extends ProviderSettingsWire {
  provider_type: ProviderTypeWire;
}

export const ProviderCheckWire: z.ZodType<ProviderCheckWire> = z
  .object({ ...settingsShape, provider_type: ProviderTypeWire })
  .meta({ id: "ProviderCheck" });

export interface ProviderListQuery extends PageQuery {
  order_by?: "created_at";
  name?: string;
  provider_type?: ProviderTypeWire;
}

export const ProviderListQuery: z.ZodType<ProviderListQuery> = z.object({
  ...pageShape,
  order_by: queryEnum("created_at"),
  name: queryText,
  provider_type: queryEnum(...providerTypes),
});

export interface ProviderParams {
  provider_id: string;
}

export const ProviderParams: z.ZodType<ProviderParams> = z.object({ provider_id: idSchema("provider") });

export interface NoticeWire {
  message: string;
}

export const NoticeWire: z.ZodType<NoticeWire> = z.strictObject({ message: z.string() }).meta({ id: "Notice" });
