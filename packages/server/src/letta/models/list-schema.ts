/** Models as they are listed: the newer names, and beside them the whole older config. */
import { z } from "zod";
import { ProviderCategoryWire, ProviderTypeWire, providerTypes } from "../providers/schema.ts";
import { wireInteger } from "../shared/fields.ts";
import { queryEnum, queryList, queryText } from "../shared/query.ts";
import { type EmbeddingConfigWire, embeddingConfigShape, type LlmConfigWire, llmConfigShape } from "./schema.ts";

interface ListedWire {
  name: string;
  provider_type: ProviderTypeWire;
}

export interface ModelWire extends LlmConfigWire, ListedWire {
  model_type: "llm";
  max_context_window: number;
}

export const ModelWire: z.ZodType<ModelWire> = z
  .strictObject({
    ...llmConfigShape,
    name: z.string(),
    provider_type: ProviderTypeWire,
    model_type: z.literal("llm"),
    max_context_window: wireInteger,
  })
  .meta({ id: "Model" });

export interface EmbeddingModelWire extends EmbeddingConfigWire, ListedWire {
  display_name: string;
  provider_name: string;
  model_type: "embedding";
}

export const EmbeddingModelWire: z.ZodType<EmbeddingModelWire> = z
  .strictObject({
    ...embeddingConfigShape,
    name: z.string(),
    display_name: z.string(),
    provider_type: ProviderTypeWire,
    provider_name: z.string(),
    model_type: z.literal("embedding"),
  })
  .meta({ id: "EmbeddingModel" });

export interface ModelListQuery {
  provider_category?: ProviderCategoryWire[];
  provider_name?: string;
  provider_type?: ProviderTypeWire;
}

export const ModelListQuery: z.ZodType<ModelListQuery> = z.object({
  provider_category: queryList(ProviderCategoryWire),
  provider_name: queryText,
  provider_type: queryEnum(...providerTypes),
});
