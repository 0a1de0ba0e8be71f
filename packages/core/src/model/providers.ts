/**
 * Which provider speaks which protocol, where it is and what its key is called; and from that, the model for a config.
 * A provider that is plainly compatible with a protocol is one row. Adapters, and the packages they need, are loaded by
 * the first request that needs them: the demo needs none.
 */
import type { ModelConfig } from "../model-config.ts";
import type { AdapterAccess } from "./adapters/provider-package.ts";
import { createModelError } from "./errors.ts";
import type { Model, ProviderAccess } from "./model.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import { usualTimeoutMs, withTimeout } from "./timeout.ts";

export interface ProviderRow {
  /** As configs call it, by provider or by protocol. */
  readonly type: string;
  readonly adapter: "openai" | "anthropic" | "demo";
  readonly baseUrl: string | null;
  /** For people and documentation: core itself reads no environment. */
  readonly keyVariable: string | null;
  readonly baseUrlVariable: string | null;
}

export const providerRows: readonly ProviderRow[] = [
  {
    type: "openai",
    adapter: "openai",
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
  },
  {
    type: "anthropic",
    adapter: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
  },
  { type: "memoir", adapter: "demo", baseUrl: null, keyVariable: null, baseUrlVariable: null },
];

export interface ModelsOptions {
  readonly fetch?: typeof fetch;
  /** Stands in for `memoir/demo`; tests put a scripted model here. */
  readonly demo?: Model;
  /** For one whole reply. */
  readonly timeoutMs?: number;
  /** How often and how patiently a busy provider is asked again; `{ tries: 1 }` for not at all. */
  readonly retries?: RetryOptions;
}

export interface Models {
  /** Never throws: a model that cannot be reached says so when it is asked. */
  get(config: ModelConfig): Model;
}

export function createModels(access: Readonly<Record<string, ProviderAccess>>, options: ModelsOptions = {}): Models {
  const models = new Map<string, Model>();
  return {
    get(config) {
      const route = findRoute(config, access);
      if ("refusal" in route) return refuse(route.refusal, config);
      const key = JSON.stringify([route.row.type, route.provider, route.baseUrl, route.apiKey]);
      const known = models.get(key);
      if (known) return known;
      const model = route.row.adapter === "demo" ? createDemo(options) : createProvider(route, options);
      models.set(key, model);
      return model;
    },
  };
}

interface Route extends Omit<AdapterAccess, "fetch"> {
  readonly row: ProviderRow;
}

/** What servers that ask for no key are sent: the packages insist on one. */
const placeholderKey = "none";

function findRoute(
  config: ModelConfig,
  access: Readonly<Record<string, ProviderAccess>>,
): Route | { readonly refusal: string } {
  const provider = nameProvider(config);
  const row = findRow(provider) ?? findRow(config.endpointKind);
  if (!row) return { refusal: `Memoir cannot speak to models of "${provider}" yet` };
  const { apiKey, baseUrl, headers = {} } = access[provider] ?? {};
  const isNamed = row.type === provider;
  const own = config.handle === null ? config.endpoint : null;
  if (!baseUrl && own !== null && !isSameHost(own, row.baseUrl)) {
    // An address a caller made up must not be sent the keys of whoever runs this.
    return { row, provider, baseUrl: own, apiKey: placeholderKey, headers: {} };
  }
  const url = baseUrl || (isNamed ? row.baseUrl : null);
  if (row.adapter === "demo") return { row, provider, baseUrl: "", apiKey: "", headers };
  if (!url) return { refusal: `the provider "${provider}" is not configured: it has neither an address nor a key` };
  if (!apiKey && isSameHost(url, row.baseUrl)) return { refusal: askForKey(row, provider, isNamed) };
  return { row, provider, baseUrl: url, apiKey: apiKey || placeholderKey, headers };
}

function nameProvider({ provider, handle, endpointKind }: ModelConfig): string {
  return provider ?? handle?.split("/", 1)[0] ?? endpointKind;
}

function findRow(type: string): ProviderRow | undefined {
  return providerRows.find((row) => row.type === type);
}

function isSameHost(url: string, other: string | null): boolean {
  return other !== null && URL.parse(url)?.host === URL.parse(other)?.host;
}

function askForKey({ keyVariable }: ProviderRow, provider: string, isNamed: boolean): string {
  const remedy = isNamed ? `set ${keyVariable}, or hand it in as providers.${provider}.apiKey` : "store one with it";
  return `the provider "${provider}" needs a key: ${remedy}`;
}

function refuse(message: string, config: ModelConfig): Model {
  return {
    // biome-ignore lint/correctness/useYield: there is nothing to give
    async *stream() {
      throw createModelError("llm-authentication", message, { provider: nameProvider(config), model: config.model });
    },
  };
}

function createProvider({ row, ...access }: Route, options: ModelsOptions): Model {
  const { fetch, timeoutMs = usualTimeoutMs, retries } = options;
  // Looked up for each request, so that whoever replaces the global one later is heard.
  const full: AdapterAccess = { ...access, fetch: fetch ?? ((...args) => globalThis.fetch(...args)) };
  const model = loadLater(async () => {
    if (row.adapter === "anthropic") return (await import("./adapters/anthropic.ts")).createAnthropicModel(full);
    return (await import("./adapters/openai.ts")).createOpenAiModel(full);
  });
  return withRetries(withTimeout(model, timeoutMs), retries);
}

function createDemo({ demo }: ModelsOptions): Model {
  return demo ?? loadLater(async () => (await import("./demo.ts")).createDemoModel());
}

function loadLater(load: () => Promise<Model>): Model {
  let loaded: Promise<Model> | undefined;
  return {
    async *stream(request, signal) {
      loaded ??= load();
      yield* (await loaded).stream(request, signal);
    },
  };
}
