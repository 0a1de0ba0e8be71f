/** From what a provider's list says to the configs that agents store. */
import type { EmbeddingConfig, ModelConfig } from "../../shared/model-config.ts";
import { findProviderRow } from "../../shared/provider-rows.ts";
import { createModelConfig, findCatalogueEmbedding, findCatalogueModel, findShortName } from "../catalogue.ts";
import { apiAddress, type NamedProvider } from "./list-provider.ts";
import type { ListedModel } from "./listed-model.ts";

/** For models of which nobody says how much they can take. */
export const unknownWindow = 30_000;
/** What the old server assumes of local embeddings. */
const unknownDimension = 768;

export function handleOf({ name, type }: NamedProvider, model: ListedModel): string {
  return `${name}/${model.shortName ?? findShortName(type, model.name)}`;
}

export function toListedConfig(provider: NamedProvider, category: "base" | "byok", model: ListedModel): ModelConfig {
  const { name, type } = provider;
  const known = findCatalogueModel(type, model.name);
  return {
    ...createModelConfig({
      handle: handleOf(provider, model),
      type,
      provider: name,
      model: model.name,
      endpointKind: findProviderRow(type)?.endpointKind ?? "openai",
      endpoint: addressOf(provider),
      contextWindow: model.contextWindow ?? known?.contextWindow ?? unknownWindow,
      maxOutputTokens: model.maxOutputTokens ?? known?.maxOutputTokens ?? defaultOutput(type, model.name),
    }),
    category,
    weightsFormat: model.weightsFormat ?? null,
  };
}

export function toListedEmbedding(provider: NamedProvider, model: ListedModel): EmbeddingConfig {
  const { type, access } = provider;
  const isAzure = type === "azure";
  return {
    handle: handleOf(provider, model),
    model: model.name,
    endpointKind: findProviderRow(type)?.embeddingKind ?? "openai",
    endpoint: addressOf(provider),
    dimension: model.dimension ?? findCatalogueEmbedding(type, model.name)?.dimension ?? unknownDimension,
    chunkSize: 300,
    batchSize: 32,
    azureEndpoint: isAzure ? addressOf(provider) : null,
    azureVersion: isAzure ? (access.apiVersion ?? null) : null,
    azureDeployment: isAzure ? model.name : null,
  };
}

/** A default address is shown as its record has it, so that a listed model and a resolved one show the same. */
function addressOf({ type, access }: NamedProvider): string | null {
  return access.baseUrl ? apiAddress(type, access) || null : (findProviderRow(type)?.baseUrl ?? null);
}

/** Output limits that clients of the old server were shown. */
function defaultOutput(type: string, model: string): number {
  switch (type) {
    case "openai":
    case "azure":
      return /^gpt-5\.[2-4](?!.*-chat)/.test(model) ? 128_000 : 16_384;
    case "anthropic":
    case "bedrock":
      if (/4-6/.test(model)) return 21_000;
      return /opus|sonnet/.test(model) ? 16_384 : 8_192;
    case "google_ai":
    case "google_vertex":
      return /^gemini-(2\.5|[3-9])/.test(model) ? 65_536 : 8_192;
    case "minimax":
      return 128_000;
    default:
      return 4_096;
  }
}
