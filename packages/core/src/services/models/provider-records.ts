/** Writing a provider's rows: the record, its sealed keys, and what it said about its models. */
import type { NamedProvider } from "../../model/listing/list-provider.ts";
import { toListedConfig } from "../../model/listing/listed-config.ts";
import type { ListedModel } from "../../model/listing/listed-model.ts";
import type { Runtime } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import {
  findProviderByName,
  insertProvider,
  nameTaken,
  type Provider,
  replaceModels,
  type StoredModel,
  updateProvider,
} from "../../store/access/providers.ts";
import { listSecrets, replaceSecrets } from "../../store/access/secrets.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { secretPlace } from "../secrets/secret-scope.ts";
import { providerSecrets } from "./stored-providers.ts";

/** How a provider is reached. Keys go in and do not come out again. */
export interface ProviderSettings {
  readonly apiKey?: string;
  /** Bedrock: the id that belongs to the key. */
  readonly accessKey?: string | null;
  readonly region?: string | null;
  readonly baseUrl?: string | null;
  readonly apiVersion?: string | null;
}

export interface NewProvider extends ProviderSettings {
  readonly name: string;
  readonly type: string;
}

/** Blanks count as nothing: forms send them. */
export function cleanSetting(text: string | null): string | null {
  return text?.trim() || null;
}

export async function storeProvider(runtime: Runtime, scope: Scope, actor: Actor, input: NewProvider): Promise<string> {
  const name = input.name.trim();
  const former = await findProviderByName(scope, name, { includeDeleted: true });
  if (former && former.deletedAt === null) throw nameTaken(name);
  const at = scope.now();
  const record: Provider = {
    id: former?.id ?? scope.newId("provider"),
    name,
    type: input.type,
    baseUrl: cleanSetting(input.baseUrl ?? null),
    region: cleanSetting(input.region ?? null),
    apiVersion: cleanSetting(input.apiVersion ?? null),
    lastSyncedAt: former?.type === input.type ? former.lastSyncedAt : null,
    deletedAt: null,
    createdAt: former?.createdAt ?? at,
    updatedAt: at,
    createdBy: former?.createdBy ?? actor.userId,
    updatedBy: actor.userId,
  };
  if (former) await updateProvider(scope, record.id, record);
  else await insertProvider(scope, record);
  await encryptKeys(runtime, scope, actor, record, { accessKey: null, ...input, apiKey: input.apiKey ?? "" });
  return record.id;
}

/** Keys that are not given stay as they are. */
export async function encryptKeys(
  { vault }: Runtime,
  scope: Scope,
  actor: Actor,
  { id }: Provider,
  { apiKey, accessKey }: ProviderSettings,
): Promise<void> {
  const input = new Map([
    ...(apiKey === undefined ? [] : [[providerSecrets.apiKey, cleanSetting(apiKey)] as const]),
    ...(accessKey === undefined ? [] : [[providerSecrets.accessKey, cleanSetting(accessKey)] as const]),
  ]);
  if (input.size === 0) return;
  const kept = (await listSecrets(scope, [id])).filter((secret) => !input.has(secret.name as "api_key"));
  const sealed = [...input].flatMap(([name, key]) =>
    key === null
      ? []
      : [{ id: scope.newId("secret"), name, description: null, ...vault.encrypt(key, secretPlace(scope, id, name)) }],
  );
  await replaceSecrets(scope, id, [...kept, ...sealed], actor.userId);
}

export async function keepModels(
  scope: Scope,
  providerId: string,
  provider: NamedProvider,
  models: readonly ListedModel[],
): Promise<void> {
  const at = scope.now();
  const usable = models.filter(({ refusal }) => refusal === undefined);
  const rows = usable.map((model): StoredModel => {
    const { handle, endpointKind, displayName } = toListedConfig(provider, "byok", model);
    return {
      id: scope.newId("model"),
      providerId,
      kind: model.kind,
      handle: handle ?? model.name,
      name: model.name,
      displayName: displayName ?? model.name,
      isEnabled: true,
      endpointKind,
      contextWindow: model.contextWindow ?? null,
      dimension: model.dimension ?? null,
      createdAt: at,
      updatedAt: at,
    };
  });
  const distinct = new Map(rows.map((row) => [`${row.kind} ${row.handle}`, row]));
  // First, so that two who ask at once take turns.
  await updateProvider(scope, providerId, { lastSyncedAt: at });
  await replaceModels(scope, providerId, [...distinct.values()]);
}
