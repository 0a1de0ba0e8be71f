/** Providers configured by users, with the models each last listed; their API keys are rows of `secret`. */
import { sql } from "kysely";
import { MemoirError, notFound } from "../../shared/errors.ts";
import { createCodec, flag, plain } from "../engine/codec.ts";
import { isUniqueViolation } from "../engine/constraint-errors.ts";
import { type Entity, insertEntities, updateById } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export interface Provider {
  readonly id: string;
  /** The prefix of its model handles. */
  readonly name: string;
  readonly type: string;
  readonly baseUrl: string | null;
  readonly region: string | null;
  readonly apiVersion: string | null;
  /** When its models were last listed. */
  readonly lastSyncedAt: number | null;
  /** Deleted providers keep their row and are restored by creating one with the same name. */
  readonly deletedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const providerEntity: Entity<Provider, "provider"> = {
  table: "provider",
  name: "provider",
  codec: createCodec<Provider>("provider", {
    id: plain("id"),
    name: plain("name"),
    type: plain("kind"),
    baseUrl: plain("base_url"),
    region: plain("region"),
    apiVersion: plain("api_version"),
    lastSyncedAt: plain("last_synced_at"),
    deletedAt: plain("deleted_at"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export async function getProvider(scope: Scope, id: string): Promise<Provider> {
  const row = await selectProviders(scope).selectAll("provider").where("id", "=", id).executeTakeFirst();
  if (!row) throw notFound("provider", id);
  return providerEntity.codec.decode(row);
}

export async function findProviderByName(
  scope: Scope,
  name: string,
  options: { readonly includeDeleted?: boolean } = {},
): Promise<Provider | undefined> {
  const query = options.includeDeleted ? scope.select("provider") : selectProviders(scope);
  const row = await query.selectAll("provider").where("name", "=", name).executeTakeFirst();
  return row && providerEntity.codec.decode(row);
}

export interface ProviderFilter {
  readonly name?: string;
  readonly type?: string;
}

export async function listProviders(scope: Scope, filter: ProviderFilter, page: PageRequest): Promise<Provider[]> {
  let query = selectProviders(scope);
  if (filter.name !== undefined) query = query.where("name", "=", filter.name);
  if (filter.type !== undefined) query = query.where("kind", "=", filter.type);
  return await listPage(scope, providerEntity, query, page);
}

function selectProviders(scope: Scope) {
  return scope.select("provider").where("deleted_at", "is", null);
}

export async function insertProvider(scope: Scope, provider: Provider): Promise<void> {
  try {
    await insertEntities(scope, providerEntity, [provider]);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw nameTaken(provider.name, error);
  }
}

export function nameTaken(name: string, cause?: unknown): MemoirError {
  const details = { entity: "provider", field: "name" };
  return new MemoirError("conflict", `a provider with the name "${name}" exists already`, { details, cause });
}

export const updateProvider = (scope: Scope, id: string, changes: Partial<Provider>): Promise<void> =>
  updateById(scope, providerEntity, id, changes);

/** A model from a provider's list. */
export interface StoredModel {
  readonly id: string;
  readonly providerId: string;
  readonly kind: "llm" | "embedding";
  readonly handle: string;
  readonly name: string;
  readonly displayName: string;
  readonly isEnabled: boolean;
  readonly endpointKind: string;
  readonly contextWindow: number | null;
  readonly dimension: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const modelEntity: Entity<StoredModel, "model"> = {
  table: "model",
  name: "model",
  codec: createCodec<StoredModel>("model", {
    id: plain("id"),
    providerId: plain("provider_id"),
    kind: plain("kind"),
    handle: plain("handle"),
    name: plain("name"),
    displayName: plain("display_name"),
    isEnabled: flag("is_enabled"),
    endpointKind: plain("endpoint_kind"),
    contextWindow: plain("context_window"),
    dimension: plain("dimension"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
  }),
};

export async function replaceModels(scope: Scope, providerId: string, models: readonly StoredModel[]): Promise<void> {
  await scope.delete("model").where("provider_id", "=", providerId).execute();
  await insertEntities(scope, modelEntity, models);
}

/** The models of these providers, by provider id. */
export async function listStoredModels(scope: Scope, providerIds: readonly string[]): Promise<StoredModel[]> {
  if (providerIds.length === 0) return [];
  const rows = await scope
    .select("model")
    .selectAll("model")
    .where(sql.ref("provider_id"), "in", providerIds)
    .orderBy("handle")
    .execute();
  return rows.map(modelEntity.codec.decode);
}
