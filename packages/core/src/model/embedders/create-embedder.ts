/** The embedder for a config, and how its provider is reached. */
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import type { Embedder, RemoteEmbedder } from "../embedder.ts";
import { createModelError } from "../errors.ts";
import { askServer } from "../listing/ask-server.ts";
import { apiAddress } from "../listing/list-provider.ts";
import type { ProviderAccess } from "../model.ts";
import type { RetryOptions } from "../retry.ts";
import { createAzureEmbedder } from "./azure.ts";
import { batchTexts } from "./batches.ts";
import { createGoogleEmbedder } from "./google.ts";
import { createLexicalEmbedder } from "./lexical.ts";
import { createOllamaEmbedder } from "./ollama.ts";
import { createOpenAiEmbedder } from "./openai.ts";

export interface EmbedderOptions {
  readonly fetch: typeof fetch;
  /** For addresses that callers of the API gave; `fetch` unless it is set. */
  readonly foreignFetch?: typeof fetch;
  readonly timeoutMs?: number;
  readonly retries?: RetryOptions;
}

/** By the type of the provider; the others speak OpenAI's protocol. */
const remote: Readonly<Record<string, () => RemoteEmbedder>> = {
  google_ai: createGoogleEmbedder,
  ollama: createOllamaEmbedder,
  azure: createAzureEmbedder,
};

const unable: ReadonlySet<string> = new Set(["anthropic", "bedrock", "google_vertex", "minimax", "pinecone"]);

export interface EmbeddingRoute {
  /** For messages to people. */
  readonly provider: string;
  readonly type: string;
  readonly access: ProviderAccess;
}

export function createEmbedder(config: EmbeddingConfig, route: EmbeddingRoute, options: EmbedderOptions): Embedder {
  const { provider, type, access } = route;
  if (type === "memoir") return createLexicalEmbedder(config.dimension);
  const context = { provider, model: config.model };
  const baseUrl = apiAddress(type, access);
  const fault = findFault(route, baseUrl);
  if (fault !== undefined) {
    return { embed: () => Promise.reject(createModelError("llm-authentication", fault, context)) };
  }
  const { timeoutMs = 60_000, retries } = options;
  const fetch = (access.isForeign ? options.foreignFetch : undefined) ?? options.fetch;
  const embedder = (remote[type] ?? createOpenAiEmbedder)();
  return batchTexts(embedder.largestBatch, { ...context, dimension: config.dimension, retries }, (texts, signal) => {
    const asking = { ...context, access, fetch, timeoutMs, signal };
    return embedder.embedBatch(texts, {
      config,
      access,
      baseUrl,
      ask: (url, request) => askServer(asking, url, request),
    });
  });
}

function findFault({ provider, type, access }: EmbeddingRoute, baseUrl: string): string | undefined {
  if (unable.has(type)) return `Memoir cannot get embeddings from "${provider}"`;
  if (baseUrl === "") return `the provider "${provider}" is not configured: it has neither an address nor a key`;
  const isUsual = baseUrl === apiAddress(type, {});
  return isUsual && !access.apiKey ? `the provider "${provider}" needs a key for embeddings` : undefined;
}
