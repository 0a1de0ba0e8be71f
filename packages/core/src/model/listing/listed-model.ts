/** What a provider says about one of its models, and how a kind of provider is asked. */
import type { ProviderAccess } from "../model.ts";

export interface ListedModel {
  readonly kind: "llm" | "embedding";
  /** As the provider calls it. */
  readonly name: string;
  /** The handle's part after the provider's name, where it is not the name. */
  readonly shortName?: string;
  /** Left out when neither the provider nor we know it. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Embeddings only; left out when it can only be found out by embedding something. */
  readonly dimension?: number;
  readonly weightsFormat?: "gguf" | "mlx";
  /** Why no agent can use it; such a model is not listed, but whoever names it is told. */
  readonly refusal?: string;
}

/** A provider that is being asked. */
export interface ListingServer {
  readonly access: ProviderAccess;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Throws a MemoirError when the server refuses, fails, or says what is not JSON. */
  ask(url: string, request?: ListingRequest): Promise<unknown>;
}

export interface ListingRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, by POST. */
  readonly body?: object;
}

export type ListModels = (server: ListingServer) => Promise<ListedModel[]>;
