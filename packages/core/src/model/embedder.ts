/** One interface for everything that turns texts into vectors. */
import type { EmbeddingConfig } from "../shared/model-config.ts";
import type { ListingRequest } from "./listing/listed-model.ts";
import type { ProviderAccess } from "./model.ts";

export interface Embedder {
  /** One vector for each text, in their order, as long as the model makes them. Throws a MemoirError. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

/** A provider's way of embedding as many texts as it takes at once. */
export interface RemoteEmbedder {
  readonly largestBatch: number;
  embedBatch(texts: readonly string[], server: EmbeddingServer): Promise<readonly (readonly number[])[]>;
}

export interface EmbeddingServer {
  readonly config: EmbeddingConfig;
  readonly access: ProviderAccess;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  ask(url: string, request: ListingRequest): Promise<unknown>;
}
