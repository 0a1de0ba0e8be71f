/**
 * Well-known models by handle, so that an agent can be created, listed and moved without asking a provider first.
 * What is not here is asked of the provider that the handle names.
 */

import { MemoirError } from "../errors.ts";
import type { EmbeddingConfig, ModelConfig } from "../model-config.ts";
import { type CatalogueModel, catalogueProviders, embeddingRows, modelRows } from "./catalogue-rows.ts";

export type { CatalogueModel } from "./catalogue-rows.ts";

/** The embedder that needs no key and no download, used when nothing else is configured. */
export const builtinEmbeddingHandle = "memoir/lexical-512";

/** The scripted model that needs no key, for trying things out. */
export const demoModelHandle = "memoir/demo";

const modelsByHandle = new Map<string, CatalogueModel>(
  modelRows.flatMap((row) => [
    ...row.otherNames.map((name): [string, CatalogueModel] => {
      const handle = `${row.provider}/${name}`;
      return [handle, { ...row, handle, model: name }];
    }),
    [row.handle, row],
  ]),
);

const embeddingsByHandle = new Map(embeddingRows.map((row) => [row.handle, row]));

/** The config of a well-known model as a listing shows it, before an agent's kind and settings are applied. */
export function findModel(handle: string): ModelConfig | undefined {
  const row = modelsByHandle.get(canonicalHandle(handle));
  return row && toModelConfig(row);
}

/** Refuses a handle that is not one, or that nobody knows. */
export function getModel(handle: string): ModelConfig {
  if (!handle.includes("/")) {
    throw new MemoirError(
      "invalid-argument",
      `model "${handle}" must have the form provider/model, for example openai/gpt-4o-mini`,
      { details: { field: "model" } },
    );
  }
  const config = findModel(handle);
  if (config) return config;
  const provider = handle.slice(0, handle.indexOf("/") + 1);
  const known = listModels().flatMap((model) => (model.handle?.startsWith(provider) ? [model.handle] : []));
  throw new MemoirError("not-found", `Handle ${handle} not found, must be one of [${known.join(", ")}]`, {
    details: { entity: "model", id: handle },
  });
}

export function findEmbedding(handle: string): EmbeddingConfig | undefined {
  const row = embeddingsByHandle.get(canonicalHandle(handle));
  if (!row) return undefined;
  const { endpointKind, endpoint } = getProvider(row.provider);
  return {
    handle: row.handle,
    model: row.model,
    endpointKind,
    endpoint,
    dimension: row.dimension,
    chunkSize: 300,
    batchSize: 32,
    azureEndpoint: null,
    azureVersion: null,
    azureDeployment: null,
  };
}

export function listModels(): ModelConfig[] {
  return modelRows.map(toModelConfig).sort(compareListed);
}

export function listEmbeddings(): EmbeddingConfig[] {
  return embeddingRows.flatMap((row) => findEmbedding(row.handle) ?? []).sort(compareListed);
}

interface Listed {
  readonly handle: string | null;
  readonly model: string;
}

const listingOrder = Object.keys(catalogueProviders);

/** Listing order: known providers in their fixed order, then others, Memoir's own last; by model name within each. */
export function compareListed(left: Listed, right: Listed): number {
  return listingRank(left) - listingRank(right) || compareText(left.model, right.model);
}

function listingRank({ handle }: Listed): number {
  const provider = providerOf(handle ?? "");
  if (provider === "memoir") return listingOrder.length + 1;
  const rank = listingOrder.indexOf(provider);
  return rank === -1 ? listingOrder.length : rank;
}

/** By code unit, as the recorded listings are: a locale's order would differ from machine to machine. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Older servers listed OpenAI models behind another base URL as `openai-proxy/…`; agents still name them so. */
function canonicalHandle(handle: string): string {
  return handle.replace(/^openai-proxy\//, "openai/");
}

function providerOf(handle: string): string {
  return handle.split("/", 1)[0] ?? "";
}

function getProvider(name: string): { endpointKind: string; endpoint: string | null } {
  const provider = catalogueProviders[name];
  if (!provider) throw new Error(`the model catalogue has no provider "${name}"`);
  return provider;
}

function toModelConfig(row: CatalogueModel): ModelConfig {
  const { endpointKind, endpoint } = getProvider(row.provider);
  return {
    handle: row.handle,
    model: row.model,
    displayName: row.model,
    provider: row.provider,
    category: "base",
    endpointKind,
    endpoint,
    contextWindow: row.contextWindow,
    maxOutputTokens: row.maxOutputTokens,
    temperature: 1,
    reasoning: { enabled: true, effort: null, budgetTokens: 0 },
    effort: null,
    verbosity: row.provider === "openai" && row.model.startsWith("gpt-5") ? "medium" : null,
    frequencyPenalty: null,
    parallelToolCalls: false,
    strict: false,
    responseFormat: null,
    thoughtsInArguments: false,
    wrapper: null,
    weightsFormat: null,
    tier: null,
    returnLogprobs: false,
    topLogprobs: null,
    returnTokenIds: false,
    toolCallParser: null,
  };
}
