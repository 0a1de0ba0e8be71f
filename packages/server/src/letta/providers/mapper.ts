/** Providers between core and wire. */
import {
  type Actor,
  MemoirError,
  type NewProvider,
  type ProviderCheck,
  type ProviderSettings,
  type ProviderView,
} from "@memoir/core";
import { toWireTime } from "../shared/time.ts";
import type {
  ProviderCheckWire,
  ProviderCreateWire,
  ProviderSettingsWire,
  ProviderTypeWire,
  ProviderWire,
} from "./schema.ts";
import { providerTypes } from "./schema.ts";

/** What stands where the old server shows a key. */
const sealed = "sealed";

export function toProviderWire(provider: ProviderView, actor: Actor): ProviderWire {
  return {
    id: provider.id,
    name: provider.name,
    provider_type: toProviderType(provider.type),
    provider_category: "byok",
    api_key: null,
    base_url: provider.baseUrl,
    access_key: null,
    region: provider.region,
    api_version: provider.apiVersion,
    organization_id: actor.orgId,
    updated_at: toWireTime(provider.updatedAt),
    last_synced: toWireTime(provider.lastSyncedAt),
    api_key_enc: provider.hasApiKey ? sealed : null,
    access_key_enc: provider.hasAccessKey ? sealed : null,
  };
}

/** Ours passes for the old server's own; a type the wire does not know can only come from the embedding program. */
export function toProviderType(type: string): ProviderTypeWire {
  if (type === "memoir") return "letta";
  return providerTypes.find((known) => known === type) ?? "openai";
}

export function fromProviderType(type: ProviderTypeWire): string {
  return type === "letta" ? "memoir" : type;
}

export function fromProviderCreate(wire: ProviderCreateWire): NewProvider {
  if (wire.name.trim() === "letta") {
    throw new MemoirError("invalid-argument", `the name "letta" is taken by a provider of the server: choose another`, {
      details: { field: "name" },
    });
  }
  return { ...fromProviderSettings(wire), name: wire.name, type: fromProviderType(wire.provider_type) };
}

export function fromProviderCheck(wire: ProviderCheckWire): ProviderCheck {
  return { ...fromProviderSettings(wire), type: fromProviderType(wire.provider_type) };
}

export function fromProviderSettings(wire: ProviderSettingsWire): ProviderSettings {
  return {
    apiKey: wire.api_key,
    accessKey: wire.access_key,
    region: wire.region,
    baseUrl: wire.base_url,
    apiVersion: wire.api_version,
  };
}
