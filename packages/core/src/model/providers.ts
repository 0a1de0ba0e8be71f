/**
 * From a config to its model: which provider row, which address, whose key. Adapters, and the packages they need, are
 * loaded by the first request that needs them: the demo needs none.
 */
import type { ModelConfig } from "../shared/model-config.ts";
import { createModelError } from "./errors.ts";
import { loadAdapter } from "./load-adapter.ts";
import type { Model, ProviderAccess } from "./model.ts";
import { patientFetch } from "./patient-fetch.ts";
import { findRoute, nameProvider, type Route } from "./provider-route.ts";
import { rejectRedirects } from "./refuse-redirects.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import { defaultTimeouts, type ModelTimeouts, withTimeout } from "./timeout.ts";

export interface ModelsOptions {
  readonly fetch?: typeof fetch;
  /** For addresses that callers of the API gave; `fetch` unless it is set. */
  readonly foreignFetch?: typeof fetch;
  /** Stands in for `memoir/demo`; tests put a scripted model here. */
  readonly demo?: Model;
  readonly timeouts?: ModelTimeouts;
  /** How often and how patiently a busy provider is asked again; `{ tries: 1 }` for not at all. */
  readonly retries?: RetryOptions;
}

export interface Models {
  /**
   * Never throws: a model that cannot be reached says so when it is asked. `access`, of a stored provider, comes before
   * what is configured.
   */
  get(config: ModelConfig, access?: ProviderAccess): Model;
}

export function createModels(access: Readonly<Record<string, ProviderAccess>>, options: ModelsOptions = {}): Models {
  const models = new Map<string, Model>();
  return {
    get(config, own) {
      const route = findRoute(config, own ?? access[nameProvider(config)], own !== undefined);
      if ("refusal" in route) return refuse(route.refusal, config);
      const { row, ...rest } = route;
      const key = JSON.stringify([row.type, rest]);
      const model = models.get(key) ?? (row.adapter === "demo" ? createDemo(options) : createProvider(route, options));
      // Taken out and put back: the one that was not used for longest is the first.
      models.delete(key);
      models.set(key, model);
      const [oldest] = models.keys();
      if (models.size > maxModels && oldest !== undefined) models.delete(oldest);
      return model;
    },
  };
}

/** How many ways to providers are kept ready; users may store any number of keys. */
const maxModels = 256;

function refuse(message: string, config: ModelConfig): Model {
  return {
    // biome-ignore lint/correctness/useYield: there is nothing to give
    async *stream() {
      throw createModelError("llm-authentication", message, { provider: nameProvider(config), model: config.model });
    },
  };
}

function createProvider(route: Route, options: ModelsOptions): Model {
  const { timeouts = defaultTimeouts, retries } = options;
  const fetch = (route.isForeign ? options.foreignFetch : undefined) ?? options.fetch ?? patientFetch;
  const model = loadLater(() => loadAdapter(route, rejectRedirects(fetch)));
  const { tries } = route.row;
  return withRetries(withTimeout(model, timeouts), { ...(tries === undefined ? {} : { tries }), ...retries });
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
