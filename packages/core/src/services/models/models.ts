/** What callers can do with models: see which there are, try one, and turn texts into vectors. */
import {
  builtinEmbeddingHandle,
  compareListed,
  demoModelHandle,
  findEmbedding,
  findModel,
} from "../../model/catalogue.ts";
import { createEmbedder, type EmbedderOptions, type EmbeddingRoute } from "../../model/embedders/create-embedder.ts";
import type { NamedProvider } from "../../model/listing/list-provider.ts";
import { toListedConfig, toListedEmbedding } from "../../model/listing/listed-config.ts";
import type { Actor } from "../../shared/actor.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { EmbeddingConfig, ModelConfig } from "../../shared/model-config.ts";
import type { FoundEmbedding, ModelDirectory, Offer } from "./model-directory.ts";

export interface AvailableModel {
  readonly config: ModelConfig;
  /** The type of its provider, which bears a name of its own when it was stored. */
  readonly providerType: string;
}

export interface AvailableEmbedding {
  readonly config: EmbeddingConfig;
  readonly providerType: string;
  readonly provider: string;
}

export interface ModelFilter {
  readonly categories?: readonly ("base" | "byok")[];
  readonly provider?: string;
  readonly providerType?: string;
}

export interface ModelService {
  /** Models of every provider that can be asked; `memoir/demo` last. */
  list(actor: Actor, filter?: ModelFilter): Promise<AvailableModel[]>;
  listEmbeddings(actor: Actor, filter?: ModelFilter): Promise<AvailableEmbedding[]>;
  /** What an agent that names this handle would store. Throws when nobody has such a model. */
  resolve(actor: Actor, handle: string): Promise<ModelConfig>;
  /** The same for embeddings. */
  resolveEmbedding(actor: Actor, handle: string): Promise<EmbeddingConfig>;
  /** Asks the model for a word, and throws with the provider's reason if none comes. */
  check(actor: Actor, model: string | ModelConfig): Promise<void>;
  /** One vector for each text. */
  embed(
    actor: Actor,
    model: string | EmbeddingConfig,
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<Float32Array[]>;
}

export interface ModelParts {
  readonly directory: ModelDirectory;
  readonly embedding: EmbedderOptions;
  readonly tryModel: (orgId: string, config: ModelConfig) => Promise<void>;
}

export function createModelService({ directory, embedding, tryModel }: ModelParts): ModelService {
  const find = async (actor: Actor, handle: string): Promise<FoundEmbedding> => {
    let reason = "";
    const found = await directory.findEmbedding(actor.orgId, handle).catch((error: unknown) => {
      if (!isMemoirError(error)) throw error;
      reason = `: ${error.message}`;
      return undefined;
    });
    if (found) return found;
    throw new MemoirError("invalid-argument", `Embedding model ${handle} not found${reason}`, {
      details: { field: "embedding" },
    });
  };
  const resolveEmbedding = async (actor: Actor, handle: string) => {
    const { config, provider, isDimensionGuessed } = await find(actor, handle);
    if (!isDimensionGuessed) return config;
    const route = routeOf(config, provider);
    const [vector] = await createEmbedder({ ...config, dimension: 0 }, route, embedding).embed(
      ["dimension"],
      AbortSignal.timeout(30_000),
    );
    return { ...config, dimension: vector?.length ?? config.dimension };
  };
  return {
    list: async ({ orgId }, filter = {}) => {
      const listed = (await directory.listOffers(orgId)).flatMap(toModels);
      const fits = [...listed, ...ownModels()].filter(({ config, providerType }) =>
        isWanted(filter, config.category ?? "base", config.provider ?? "", providerType),
      );
      return fits.sort((left, right) => compareListed(left.config, right.config));
    },
    listEmbeddings: async ({ orgId }, filter = {}) => {
      const offers = await directory.listOffers(orgId);
      const listed = offers.flatMap((offer) => toEmbeddings(offer, filter));
      const own = ownEmbeddings().filter(({ provider, providerType }) =>
        isWanted(filter, "base", provider, providerType),
      );
      return [...listed, ...own].sort((left, right) => compareListed(left.config, right.config));
    },
    resolve: ({ orgId }, handle) => directory.resolve(orgId, handle),
    resolveEmbedding,
    check: async ({ orgId }, model) =>
      await tryModel(orgId, typeof model === "string" ? await directory.resolve(orgId, model) : model),
    embed: async (actor, model, texts, signal = new AbortController().signal) => {
      if (texts.length === 0) return [];
      const input = typeof model === "string" ? await resolveEmbedding(actor, model) : model;
      const route =
        input.handle === null ? ownRoute(input) : routeOf(input, (await find(actor, input.handle)).provider);
      return await createEmbedder(input, route, embedding).embed(texts, signal);
    },
  };
}

/** An address that a caller made up is sent nobody's key. */
function ownRoute(config: EmbeddingConfig): EmbeddingRoute {
  const access = config.endpoint === null ? {} : { baseUrl: config.endpoint, isForeign: true };
  return { provider: config.endpointKind, type: config.endpointKind, access };
}

function routeOf(config: EmbeddingConfig, provider: NamedProvider | undefined): EmbeddingRoute {
  const name = config.handle?.split("/", 1)[0] ?? config.endpointKind;
  return { provider: name, type: provider?.type ?? name, access: provider?.access ?? {} };
}

function toModels({ provider, category, models }: Offer): AvailableModel[] {
  return models
    .filter(({ kind, refusal }) => kind === "llm" && refusal === undefined)
    .map((model) => ({ config: toListedConfig(provider, category, model), providerType: provider.type }));
}

function toEmbeddings({ provider, category, models }: Offer, filter: ModelFilter): AvailableEmbedding[] {
  if (!isWanted(filter, category, provider.name, provider.type)) return [];
  return models
    .filter(({ kind }) => kind === "embedding")
    .map((model) => {
      return { config: toListedEmbedding(provider, model), provider: provider.name, providerType: provider.type };
    });
}

function isWanted(filter: ModelFilter, category: "base" | "byok", provider: string, type: string): boolean {
  return (
    (filter.categories === undefined || filter.categories.includes(category)) &&
    (filter.provider === undefined || filter.provider === provider) &&
    (filter.providerType === undefined || filter.providerType === type)
  );
}

function ownModels(): AvailableModel[] {
  const config = findModel(demoModelHandle);
  return config ? [{ config, providerType: "memoir" }] : [];
}

function ownEmbeddings(): AvailableEmbedding[] {
  const config = findEmbedding(builtinEmbeddingHandle);
  return config ? [{ config, provider: "memoir", providerType: "memoir" }] : [];
}
