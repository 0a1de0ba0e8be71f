/** Providers of an organization as they are used: with their keys opened. What is shown of them has none. */
import type { NamedProvider } from "../../model/listing/list-provider.ts";
import type { ListedModel } from "../../model/listing/listed-model.ts";
import type { ProviderAccess } from "../../model/model.ts";
import type { Runtime } from "../../runtime.ts";
import { MemoirError } from "../../shared/errors.ts";
import { findProviderByName, listProviders, listStoredModels, type Provider } from "../../store/access/providers.ts";
import { listSecrets, type StoredSecret } from "../../store/access/secrets.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { secretPlace } from "../secrets/secret-scope.ts";

/** Names of a provider's secrets. */
export const providerSecrets = { apiKey: "api_key", accessKey: "access_key" } as const;

/** More than anybody stores; what is beyond is not offered. */
export const maxProviders = 1000;

export interface StoredProvider extends NamedProvider {
  readonly record: Provider;
}

export async function findStored(runtime: Runtime, scope: Scope, name: string): Promise<StoredProvider | undefined> {
  const record = await findProviderByName(scope, name);
  return record && (await openProviders(runtime, scope, [record]))[0];
}

export async function listStored(runtime: Runtime, scope: Scope): Promise<StoredProvider[]> {
  return await openProviders(runtime, scope, await listProviders(scope, {}, { limit: maxProviders, order: "asc" }));
}

export async function openProviders(
  runtime: Runtime,
  scope: Scope,
  records: readonly Provider[],
): Promise<StoredProvider[]> {
  const secrets = await listSecrets(
    scope,
    records.map(({ id }) => id),
  );
  return records.map((record) => ({
    record,
    name: record.name,
    type: record.type,
    access: openAccess(runtime, scope, record, secrets),
  }));
}

function openAccess(
  { vault }: Runtime,
  scope: Scope,
  record: Provider,
  secrets: readonly StoredSecret[],
): ProviderAccess {
  const open = (name: string) => {
    const secret = secrets.find(({ ownerId, name: other }) => ownerId === record.id && other === name);
    return secret && vault.decrypt(secret, secretPlace(scope, record.id, name));
  };
  const apiKey = open(providerSecrets.apiKey);
  const accessKey = open(providerSecrets.accessKey);
  const { baseUrl, region, apiVersion } = record;
  return {
    type: record.type,
    isForeign: true,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(baseUrl === null ? {} : { baseUrl }),
    ...(region === null ? {} : { region }),
    ...(apiVersion === null ? {} : { apiVersion }),
    ...(record.type === "google_vertex" ? placeVertex(apiKey, region) : {}),
  };
}

/** Its key is a document of Google's that names the project; the region says where. */
function placeVertex(key: string | undefined, region: string | null): ProviderAccess {
  const project = /"project_id"\s*:\s*"([\w:.-]+)"/.exec(key ?? "")?.[1];
  return { ...(project ? { project } : {}), ...(region === null ? {} : { location: region }) };
}

/** What each provider said when it was last asked for the record's sake. */
export async function listSynced(scope: Scope, records: readonly Provider[]): Promise<Map<string, ListedModel[]>> {
  const rows = await listStoredModels(
    scope,
    records.filter(({ lastSyncedAt }) => lastSyncedAt !== null).map(({ id }) => id),
  );
  return Map.groupBy(
    rows.map(({ providerId, kind, handle, name, contextWindow, dimension }) => ({
      providerId,
      kind,
      name,
      shortName: handle.slice(handle.indexOf("/") + 1),
      ...(contextWindow === null ? {} : { contextWindow }),
      ...(dimension === null ? {} : { dimension }),
    })),
    ({ providerId }) => providerId,
  );
}

export function missingProvider(name: string): MemoirError {
  return new MemoirError(
    "llm-authentication",
    `the provider "${name}" is not stored any more: store it again, or give the agent another model`,
    { details: { provider: name } },
  );
}
