/** Puts together everything about models: who has which, how they are asked, and the services over both. */
import { checkUsage } from "../../model/check-usage.ts";
import { type AddressRules, createForeignFetch } from "../../model/foreign-fetch.ts";
import { limitBodies } from "../../model/limit-body.ts";
import { defaultMaxReplyBytes, limitReplies } from "../../model/limit-reply.ts";
import { createLiveModels } from "../../model/listing/live-models.ts";
import type { ProviderAccess } from "../../model/model.ts";
import { observeFetch, observeModels } from "../../model/observe.ts";
import { patientFetch } from "../../model/patient-fetch.ts";
import { createModels, type Models } from "../../model/providers.ts";
import { defaultTimeouts, type ModelTimeouts } from "../../model/timeout.ts";
import type { Runtime } from "../../runtime.ts";
import { hasKeys } from "../../store/system.ts";
import { createModelDirectory, type ModelDirectory } from "./model-directory.ts";
import { createModelService, type ModelService } from "./models.ts";
import { markOwnKeys } from "./own-keys.ts";
import { createProviderService, type ProviderService } from "./providers.ts";
import { tryModel, tryProvider } from "./try-model.ts";

export interface ModelServicesOptions {
  readonly providers?: Readonly<Record<string, ProviderAccess>>;
  readonly models?: Models;
  readonly discoverLocal?: boolean;
  readonly fetch?: typeof fetch;
  readonly maxReplyBytes?: number;
  readonly timeouts?: ModelTimeouts;
  readonly checksModelAddresses?: boolean;
  readonly privateModelHosts?: readonly string[];
}

export interface ModelServices {
  /** What agents think with. */
  readonly engine: Models;
  /** Those of the providers, whatever agents think with: they say which bytes a request is. */
  readonly wired: Models;
  readonly directory: ModelDirectory;
  readonly models: ModelService;
  readonly providers: ProviderService;
}

export function createModelServices(runtime: Runtime, options: ModelServicesOptions): ModelServices {
  const { providers: access = {}, discoverLocal = false } = options;
  // Looked up for each request, so that whoever replaces the global one later is heard.
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
  const { maxReplyBytes = defaultMaxReplyBytes, timeouts = defaultTimeouts } = options;
  const addresses: AddressRules = {
    allowedHosts: (options.privateModelHosts ?? []).map((host) => host.toLowerCase()),
    isGuarded: async () => options.checksModelAddresses === true || (await hasKeys(runtime.store)),
  };
  const patient = options.fetch ?? patientFetch;
  const foreignFetch = createForeignFetch({ ...addresses, fetch: patient, isFetchGiven: options.fetch !== undefined });
  const limit = (send: typeof globalThis.fetch) => limitBodies(observeFetch(send), maxReplyBytes);
  const wired = createModels(access, { fetch: limit(patient), foreignFetch: limit(foreignFetch), timeouts });
  const limited = checkUsage(limitReplies(options.models ?? wired, maxReplyBytes), runtime.log);
  const engine = markOwnKeys(observeModels(limited, runtime.telemetry));
  const live = createLiveModels({ fetch, foreignFetch, log: runtime.log });
  const directory = createModelDirectory(runtime, live, { providers: access, discoverLocal });
  return {
    engine,
    wired,
    directory,
    models: createModelService({
      directory,
      embedding: { fetch, foreignFetch },
      tryModel: async (orgId, config) => tryModel(engine, config, await directory.findAccess(orgId, config)),
    }),
    providers: createProviderService(runtime, {
      live,
      addresses,
      isBaseName: directory.isBaseName,
      tryModel: (provider) => tryProvider(engine, provider),
    }),
  };
}
