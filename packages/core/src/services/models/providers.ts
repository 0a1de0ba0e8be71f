/** What callers can do with providers of their own: store them, try them, and have their models listed. */
import type { AddressRules } from "../../model/foreign-fetch.ts";
import type { NamedProvider } from "../../model/listing/list-provider.ts";
import type { LiveModels } from "../../model/listing/live-models.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput, isMemoirError, MemoirError } from "../../shared/errors.ts";
import { providerRows } from "../../shared/provider-rows.ts";
import {
  getProvider,
  listProviders,
  type Provider,
  type ProviderFilter,
  updateProvider,
} from "../../store/access/providers.ts";
import { deleteSecrets, listSecrets } from "../../store/access/secrets.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { checkAddress } from "./provider-address.ts";
import { blameCaller, checkProvider } from "./provider-check.ts";
import {
  cleanSetting,
  encryptKeys,
  keepModels,
  type NewProvider,
  type ProviderSettings,
  storeProvider,
} from "./provider-records.ts";
import { openProviders, providerSecrets } from "./stored-providers.ts";

export type { NewProvider, ProviderSettings } from "./provider-records.ts";

export interface ProviderCheck extends ProviderSettings {
  readonly type: string;
}

/** A provider without its keys. */
export interface ProviderView extends Provider {
  readonly hasApiKey: boolean;
  readonly hasAccessKey: boolean;
}

export interface ProviderService {
  /** Restores a deleted one of the same name. Its models are asked for; that it cannot be asked is no failure. */
  create(actor: Actor, provider: NewProvider): Promise<ProviderView>;
  get(actor: Actor, id: string): Promise<ProviderView>;
  list(actor: Actor, filter: ProviderFilter, page: PageRequest): Promise<ProviderView[]>;
  /** Only what is given changes; null takes away. */
  update(actor: Actor, id: string, settings: ProviderSettings): Promise<ProviderView>;
  /** Agents that use it keep their configs, and are refused until it is stored again. */
  delete(actor: Actor, id: string): Promise<void>;
  /** Asks the provider; throws with its reason if it will not have the key. */
  check(actor: Actor, check: ProviderCheck): Promise<void>;
  checkStored(actor: Actor, id: string): Promise<void>;
  /** Asks for its models again and keeps them. */
  refresh(actor: Actor, id: string): Promise<ProviderView>;
}

export interface ProviderParts {
  readonly addresses: AddressRules;
  readonly live: LiveModels;
  readonly isBaseName: (name: string) => boolean;
  /** Asks a model for a word, where a provider has no list to ask for. */
  readonly tryModel: (provider: NamedProvider) => Promise<void>;
}

export function createProviderService(runtime: Runtime, parts: ProviderParts): ProviderService {
  const view = async (scope: Scope, records: readonly Provider[]) => await viewProviders(scope, records);
  const get = async (scope: Scope, id: string) =>
    (await view(scope, [await getProvider(scope, id)]))[0] as ProviderView;
  const open = async (actor: Actor, id: string) => {
    const scope = readScope(runtime, actor);
    return (await openProviders(runtime, scope, [await getProvider(scope, id)]))[0] as NamedProvider;
  };
  const sync = async (actor: Actor, id: string) => {
    const provider = await open(actor, id);
    const models = await parts.live.refresh(provider);
    await write(runtime, actor, (scope) => keepModels(scope, id, provider, models));
  };
  return {
    create: async (actor, input) => {
      checkNew(input, parts.isBaseName);
      await checkSettings(input, parts);
      const created = await write(runtime, actor, async (scope) => {
        const id = await storeProvider(runtime, scope, actor, input);
        return await get(scope, id);
      });
      await sync(actor, created.id).catch((error: unknown) => {
        if (!isMemoirError(error)) throw error;
      });
      return created;
    },
    get: (actor, id) => get(readScope(runtime, actor), id),
    list: async (actor, filter, page) => {
      const scope = readScope(runtime, actor);
      return await view(scope, await listProviders(scope, filter, page));
    },
    update: async (actor, id, input) => {
      await checkSettings(input, parts);
      return await write(runtime, actor, async (scope) => {
        const record = await getProvider(scope, id);
        const settings = settingsOf(input);
        const isMoved = settings.baseUrl !== undefined && settings.baseUrl !== record.baseUrl;
        await updateProvider(scope, id, {
          ...settings,
          // What another server said does not hold for this one.
          ...(isMoved ? { lastSyncedAt: null } : {}),
          updatedAt: scope.now(),
          updatedBy: actor.userId,
        });
        await encryptKeys(runtime, scope, actor, record, input);
        return await get(scope, id);
      });
    },
    delete: (actor, id) =>
      write(runtime, actor, async (scope) => {
        await getProvider(scope, id);
        await deleteSecrets(scope, id);
        await updateProvider(scope, id, { deletedAt: scope.now(), updatedAt: scope.now(), updatedBy: actor.userId });
      }),
    check: async (_actor, { type, ...input }) => {
      checkType(type);
      await checkSettings(input, parts);
      const access = { type, isForeign: true, ...accessOf(input) };
      await checkProvider(parts, { name: type, type, access });
    },
    checkStored: async (actor, id) => await checkProvider(parts, await open(actor, id)),
    refresh: async (actor, id) => {
      await blameCaller(() => sync(actor, id));
      return await get(readScope(runtime, actor), id);
    },
  };
}

function checkNew({ name, type }: NewProvider, isBaseName: (name: string) => boolean): void {
  if (name.trim() === "") throw invalidInput("name", "a provider needs a name");
  if (name.includes("/")) {
    throw invalidInput("name", `the name "${name}" must not hold a slash: handles are written name/model`);
  }
  if (isBaseName(name.trim())) {
    throw new MemoirError(
      "invalid-argument",
      `the name "${name}" belongs to a provider that comes with Memoir: choose another, such as my-${name}`,
      { details: { field: "name" } },
    );
  }
  checkType(type);
}

function checkType(type: string): void {
  if (type !== "memoir" && providerRows.some((row) => row.type === type)) return;
  throw new MemoirError("invalid-argument", `Memoir cannot speak to providers of the type "${type}"`, {
    details: { field: "provider_type" },
  });
}

async function checkSettings({ baseUrl }: ProviderSettings, { addresses }: ProviderParts): Promise<void> {
  if (baseUrl?.trim()) await checkAddress(baseUrl.trim(), addresses);
}

function settingsOf({ baseUrl, region, apiVersion }: ProviderSettings): Partial<Provider> {
  return {
    ...(baseUrl === undefined ? {} : { baseUrl: cleanSetting(baseUrl) }),
    ...(region === undefined ? {} : { region: cleanSetting(region) }),
    ...(apiVersion === undefined ? {} : { apiVersion: cleanSetting(apiVersion) }),
  };
}

function accessOf({ apiKey, accessKey, region, baseUrl, apiVersion }: ProviderSettings) {
  const input = { apiKey, accessKey, region, baseUrl, apiVersion };
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])),
  );
}

async function viewProviders(scope: Scope, records: readonly Provider[]): Promise<ProviderView[]> {
  const secrets = await listSecrets(
    scope,
    records.map(({ id }) => id),
  );
  const has = (id: string, name: string) => secrets.some((secret) => secret.ownerId === id && secret.name === name);
  return records.map((record) => ({
    ...record,
    hasApiKey: has(record.id, providerSecrets.apiKey),
    hasAccessKey: has(record.id, providerSecrets.accessKey),
  }));
}
