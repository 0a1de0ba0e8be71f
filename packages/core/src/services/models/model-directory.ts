/**
 * Who offers which models: the providers this program was started with, those found on this machine, and those that an
 * organization stored. Finds a model by its handle, and the key it is called with; nobody's keys serve another's agents.
 */
import {
  canonicalHandle,
  checkHandle,
  findCatalogueEmbedding,
  findCatalogueModel,
  findEmbedding,
  findModel,
  listHandles,
  unknownModel,
} from "../../model/catalogue.ts";
import type { NamedProvider } from "../../model/listing/list-provider.ts";
import { toListedConfig, toListedEmbedding } from "../../model/listing/listed-config.ts";
import type { ListedModel } from "../../model/listing/listed-model.ts";
import type { LiveModels } from "../../model/listing/live-models.ts";
import { serverRoot } from "../../model/listing/local-servers.ts";
import type { ProviderAccess } from "../../model/model.ts";
import type { Runtime } from "../../runtime.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { EmbeddingConfig, ModelConfig } from "../../shared/model-config.ts";
import { providerRows, reservedNames } from "../../shared/provider-rows.ts";
import { findListed, listBase, listQuickly, pickModel, type Source } from "./model-lists.ts";
import { findStored, listStored, listSynced, missingProvider } from "./stored-providers.ts";

export interface Offer {
  readonly provider: NamedProvider;
  readonly category: "base" | "byok";
  readonly models: readonly ListedModel[];
}

export interface FoundEmbedding {
  readonly config: EmbeddingConfig;
  readonly provider: NamedProvider | undefined;
  /** The list did not say how long its vectors are. */
  readonly isDimensionGuessed: boolean;
}

export interface ModelDirectory {
  /** Everybody's models, as far as they can be asked. */
  listOffers(orgId: string): Promise<Offer[]>;
  /** Throws when nobody has it. */
  resolve(orgId: string, handle: string): Promise<ModelConfig>;
  /** The most the model can take; undefined when nobody says. */
  findWindow(orgId: string, handle: string): Promise<number | undefined>;
  findEmbedding(orgId: string, handle: string): Promise<FoundEmbedding | undefined>;
  /** Undefined for a provider that this program was started with: its access is known where models are made. */
  findAccess(orgId: string, config: ModelConfig): Promise<ProviderAccess | undefined>;
  isBaseName(name: string): boolean;
}

export interface DirectoryOptions {
  readonly providers: Readonly<Record<string, ProviderAccess>>;
  /** Look for servers on this machine at their usual addresses. */
  readonly discoverLocal: boolean;
}

/** Local servers at the addresses where they listen unless told otherwise. */
const localServers: Readonly<Record<string, ProviderAccess>> = Object.fromEntries(
  providerRows.flatMap(({ type, baseUrl, quirks }) =>
    quirks?.isLocal && baseUrl !== null ? [[type, { baseUrl: serverRoot(baseUrl) }]] : [],
  ),
);

const demoProvider = "memoir";

/** A provider that Memoir knows may have the model once it is configured. */
function missingSource(handle: string, name: string): MemoirError {
  if (reservedNames.has(name)) {
    const remedy = `the provider "${name}" is not configured, so its other models are not known: set its key or address`;
    return unknownModel(handle, listHandles(name), remedy);
  }
  return new MemoirError("not-found", `Handle ${handle} not found: no provider is named "${name}"`, {
    details: { entity: "model", id: handle, isCertain: true },
  });
}

export function createModelDirectory(runtime: Runtime, live: LiveModels, options: DirectoryOptions): ModelDirectory {
  const discovered = options.discoverLocal ? localServers : {};
  const base = new Map<string, NamedProvider>();
  for (const [name, access] of Object.entries({ ...discovered, ...withoutEmpty(options.providers) })) {
    base.set(name, { name, type: access.type ?? name, access, isGuessed: access === localServers[name] });
  }
  const read = (orgId: string) => runtime.store.read(orgId);

  const findSource = async (orgId: string, name: string): Promise<Source | undefined> => {
    const provider = base.get(name);
    if (provider) return { provider, category: "base", synced: async () => undefined };
    if (name === demoProvider) return undefined;
    // Reserved names are looked up too: the provider may have been stored before its name was reserved.
    const stored = await findStored(runtime, read(orgId), name);
    if (!stored) return undefined;
    const synced = async () => (await listSynced(read(orgId), [stored.record])).get(stored.record.id);
    return { provider: stored, category: "byok", synced };
  };

  const find = async (orgId: string, handle: string): Promise<Found> => {
    checkHandle(handle, "model");
    const { canonical, name, wanted } = splitHandle(handle);
    const known = findModel(canonical);
    const source = await findSource(orgId, name);
    if (known && source?.category !== "byok") {
      const endpoint = base.get(name)?.access.baseUrl || known.endpoint;
      return { config: { ...known, endpoint }, window: known.contextWindow };
    }
    if (!source) throw missingSource(handle, name);
    const { provider, category } = source;
    const row = findCatalogueModel(provider.type, wanted);
    const model = row
      ? { kind: "llm" as const, name: row.model, contextWindow: row.contextWindow }
      : await pickModel(live, source, handle, wanted);
    return { config: toListedConfig(provider, category, model), window: model.contextWindow };
  };

  return {
    isBaseName: (name) => reservedNames.has(name) || base.has(name),
    resolve: async (orgId, handle) => (await find(orgId, handle)).config,
    findWindow: async (orgId, handle) => {
      try {
        return (await find(orgId, handle)).window;
      } catch (error) {
        if (!isMemoirError(error)) throw error;
        return undefined;
      }
    },
    listOffers: async (orgId) => {
      const stored = await listStored(runtime, read(orgId));
      const synced = await listSynced(
        read(orgId),
        stored.map(({ record }) => record),
      );
      return await Promise.all([
        ...[...base.values()].map(async (provider): Promise<Offer> => {
          return { provider, category: "base", models: await listBase(live, provider) };
        }),
        ...stored.map(async (provider): Promise<Offer> => {
          const models = await listQuickly(live, provider, synced.get(provider.record.id));
          return { provider, category: "byok", models };
        }),
      ]);
    },
    findEmbedding: (orgId, handle) => locateEmbedding(live, handle, (name) => findSource(orgId, name)),
    findAccess: async (orgId, config) => {
      const name = config.provider ?? config.handle?.split("/", 1)[0];
      if (name === undefined || (config.handle === null && config.category !== "byok")) return undefined;
      if (config.category !== "byok" && (base.has(name) || name === demoProvider)) return localAccess(name);
      const stored = await findStored(runtime, read(orgId), name);
      if (!stored && config.category === "byok") throw missingProvider(name);
      return stored?.access;
    },
  };

  /** Only what was found by ourselves: what was configured is known where models are made. */
  function localAccess(name: string): ProviderAccess | undefined {
    const access = base.get(name)?.access;
    return access !== undefined && access === discovered[name] ? { ...access, type: name } : undefined;
  }
}

/** Either part is empty where there is no slash. */
function splitHandle(handle: string): { canonical: string; name: string; wanted: string } {
  const canonical = canonicalHandle(handle);
  const name = canonical.slice(0, Math.max(0, canonical.indexOf("/")));
  return { canonical, name, wanted: canonical.slice(name.length + 1) };
}

async function locateEmbedding(
  live: LiveModels,
  handle: string,
  findSource: (name: string) => Promise<Source | undefined>,
): Promise<FoundEmbedding | undefined> {
  const { canonical, name, wanted } = splitHandle(handle);
  const known = findEmbedding(canonical);
  const source = name === "" ? undefined : await findSource(name);
  if (known) {
    const endpoint = source?.provider.access.baseUrl || known.endpoint;
    return { config: { ...known, endpoint }, provider: source?.provider, isDimensionGuessed: false };
  }
  if (!source) return undefined;
  const row = findCatalogueEmbedding(source.provider.type, wanted);
  const model: ListedModel | undefined = row
    ? { kind: "embedding", name: row.model, dimension: row.dimension }
    : await findListed(live, source, wanted, "embedding");
  if (!model) return undefined;
  const config = toListedEmbedding(source.provider, model);
  return { config, provider: source.provider, isDimensionGuessed: model.dimension === undefined };
}

interface Found {
  readonly config: ModelConfig;
  readonly window: number | undefined;
}

function withoutEmpty(providers: Readonly<Record<string, ProviderAccess>>): Record<string, ProviderAccess> {
  return Object.fromEntries(
    Object.entries(providers).filter(([, { apiKey, baseUrl, accessKey, project }]) =>
      [apiKey, baseUrl, accessKey, project].some(Boolean),
    ),
  );
}
