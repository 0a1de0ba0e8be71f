/** API keys of an organization; only hashes are stored, so that read access to the table does not grant API access. */
import { createCodec, flag, plain } from "../engine/codec.ts";
import { type Entity, getById } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export const keyRoles = ["owner", "member", "reader"] as const;
/** Owners manage keys, providers and users; members use everything else; readers have read access. */
export type KeyRole = (typeof keyRoles)[number];

export interface ApiKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly role: KeyRole;
  /** Restricts the key to one agent. */
  readonly agentId: string | null;
  /** Restricts the key to one conversation. */
  readonly conversationId: string | null;
  /** Allows overriding instructions, model and tools per message; always true without `agentId`. */
  readonly mayOverride: boolean;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export const keyEntity: Entity<ApiKey, "api_key"> = {
  table: "api_key",
  name: "key",
  codec: createCodec<ApiKey>("api_key", {
    id: plain("id"),
    userId: plain("user_id"),
    name: plain("name"),
    role: plain("role"),
    agentId: plain("agent_id"),
    conversationId: plain("conversation_id"),
    mayOverride: flag("may_override"),
    createdAt: plain("created_at"),
    expiresAt: plain("expires_at"),
    revokedAt: plain("revoked_at"),
    lastUsedAt: plain("last_used_at"),
  }),
};

export const getKey = (scope: Scope, id: string): Promise<ApiKey> => getById(scope, keyEntity, id);

export async function insertKey(scope: Scope, key: ApiKey, hash: string): Promise<void> {
  const row = { ...keyEntity.codec.encode(key), hash };
  await scope.insert("api_key", row as never).execute();
}

export const listKeys = (scope: Scope, page: PageRequest): Promise<ApiKey[]> =>
  listPage(scope, keyEntity, scope.select("api_key"), page);

/** Keeps the time of the first revocation. */
export async function revokeKey(scope: Scope, id: string): Promise<ApiKey> {
  await scope
    .update("api_key")
    .set({ revoked_at: scope.now() })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .execute();
  return await getKey(scope, id);
}

export async function touchKey(scope: Scope, id: string): Promise<void> {
  await scope.update("api_key").set({ last_used_at: scope.now() }).where("id", "=", id).execute();
}
