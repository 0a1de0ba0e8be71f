/**
 * Well-known models by handle, so that an agent can be created, listed and moved without asking a provider first.
 * What is not here is asked of the provider that the handle names.
 */
import { MemoirError } from "../shared/errors.ts";
import type { EmbeddingConfig, ModelConfig } from "../shared/model-config.ts";
import type { ProviderRow } from "../shared/provider-row.ts";
import { currentProviderName, findProviderRow, providerRows } from "../shared/provider-rows.ts";
import { type CatalogueEmbedding, type CatalogueModel, embeddingRows, modelRows } from "./catalogue-rows.ts";
import type { ListedModel } from "./listing/listed-model.ts";

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

const modelsByName = new Map(modelRows.map((row) => [`${row.provider}/${row.model}`, row]));

const embeddingsByHandle = new Map(embeddingRows.map((row) => [row.handle, row]));

/** The config of a well-known model as a listing shows it, before an agent's kind and settings are applied. */
export function findModel(handle: string): ModelConfig | undefined {
  const row = modelsByHandle.get(canonicalHandle(handle));
  return row && toModelConfig(row);
}

/** Refuses a handle that is not one, or that nobody knows. */
export function getModel(handle: string): ModelConfig {
  checkHandle(handle, "model");
  const config = findModel(handle);
  if (config) return config;
  throw unknownModel(handle, listHandles(handle.slice(0, handle.indexOf("/"))));
}

export function checkHandle(handle: string, field: string): void {
  if (/^[^/]+\/./.test(handle)) return;
  throw new MemoirError(
    "invalid-argument",
    `${field} "${handle}" must have the form provider/model, for example openai/gpt-4o-mini`,
    { details: { field } },
  );
}

/** The catalogue's handles of a provider, for messages. */
export function listHandles(provider: string): string[] {
  return listModels().flatMap(({ handle }) => (handle?.startsWith(`${provider}/`) ? [handle] : []));
}

/** `reason`: why the provider's own list is not known; without it the model certainly does not exist. */
export function unknownModel(handle: string, known: readonly string[], reason?: string): MemoirError {
  const choice = known.length > 0 ? `, must be one of [${known.join(", ")}]` : "";
  const tail = reason === undefined ? "" : `; ${reason}`;
  const none = choice === "" && tail === "" ? "; its provider lists no models" : "";
  return new MemoirError("not-found", `Handle ${handle} not found${choice}${tail}${none}`, {
    details: { entity: "model", id: handle, isCertain: reason === undefined },
  });
}

export function findEmbedding(handle: string): EmbeddingConfig | undefined {
  const row = embeddingsByHandle.get(canonicalHandle(handle));
  if (!row) return undefined;
  const provider = getProvider(row.provider);
  return {
    handle: row.handle,
    model: row.model,
    endpointKind: provider.embeddingKind,
    endpoint: defaultEndpoint(provider),
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

const listingOrder = providerRows.map(({ type }) => type);

/** Listing order: known providers in their fixed order, then others, Memoir's own last; by provider and model name within each. */
export function compareListed(left: Listed, right: Listed): number {
  return (
    listingRank(left) - listingRank(right) ||
    compareText(providerOf(left.handle ?? ""), providerOf(right.handle ?? "")) ||
    compareText(left.model, right.model)
  );
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
export function canonicalHandle(handle: string): string {
  const name = providerOf(handle);
  return currentProviderName(name) + handle.slice(name.length);
}

function providerOf(handle: string): string {
  return handle.split("/", 1)[0] ?? "";
}

function getProvider(name: string): ProviderRow {
  const provider = findProviderRow(name);
  if (!provider) throw new Error(`no provider has the name "${name}" that a row of the catalogue gives`);
  return provider;
}

/** Null for local servers: their default address is the operator's machine, which configs do not name. */
function defaultEndpoint({ baseUrl, quirks }: ProviderRow): string | null {
  return quirks?.isLocal ? null : baseUrl;
}

/** The provider whose rows of the catalogue hold for models of this type. */
function catalogueOf(type: string): string {
  return findProviderRow(type)?.modelsOf ?? type;
}

/** What is known of a model that a provider of this type has under this name, whichever of its names that is. */
export function findCatalogueModel(type: string, name: string): CatalogueModel | undefined {
  const key = `${catalogueOf(type)}/${name}`;
  return modelsByName.get(key) ?? modelsByHandle.get(key);
}

export function findCatalogueEmbedding(type: string, name: string): CatalogueEmbedding | undefined {
  return embeddingsByHandle.get(`${type}/${name}`);
}

/** The part of a handle after the provider's name: mostly the model's own, sometimes without its date. */
export function findShortName(type: string, name: string): string {
  const row = modelsByName.get(`${type}/${name}`);
  return row ? row.handle.slice(row.provider.length + 1) : name;
}

/** All we know of a provider's models, in the form in which a provider lists its own. */
export function listCatalogued(type: string): ListedModel[] {
  const provider = catalogueOf(type);
  return [
    ...modelRows
      .filter((row) => row.provider === provider)
      .map(({ model, contextWindow, maxOutputTokens }): ListedModel => {
        return { kind: "llm", name: model, contextWindow, maxOutputTokens: maxOutputTokens ?? undefined };
      }),
    ...embeddingRows
      .filter((row) => row.provider === type)
      .map(({ model, dimension }): ListedModel => ({ kind: "embedding", name: model, dimension })),
  ];
}

function toModelConfig(row: CatalogueModel): ModelConfig {
  const { handle, provider, model, contextWindow, maxOutputTokens } = row;
  return createModelConfig({
    endpointKind: getProvider(provider).endpointKind,
    endpoint: defaultEndpoint(getProvider(provider)),
    handle,
    type: provider,
    provider,
    model,
    contextWindow,
    maxOutputTokens,
  });
}

export interface ModelFacts {
  readonly handle: string;
  /** The kind of provider; `provider` is its name. */
  readonly type: string;
  readonly provider: string;
  readonly model: string;
  readonly endpointKind: string;
  readonly endpoint: string | null;
  readonly contextWindow: number;
  readonly maxOutputTokens: number | null;
}

export function createModelConfig({ type, ...facts }: ModelFacts): ModelConfig {
  return {
    handle: facts.handle,
    model: facts.model,
    displayName: facts.model,
    provider: facts.provider,
    category: "base",
    endpointKind: facts.endpointKind,
    endpoint: facts.endpoint,
    contextWindow: facts.contextWindow,
    maxOutputTokens: facts.maxOutputTokens,
    temperature: 1,
    reasoning: { enabled: true, effort: null, budgetTokens: 0 },
    effort: null,
    verbosity: type === "openai" && facts.model.startsWith("gpt-5") ? "medium" : null,
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
