/** Secrets at rest: ciphertext only. Whoever reads one decrypts it with a key that is not in this database. */

import { isAmong } from "./among.ts";
import type { Scope } from "./scope.ts";

export interface StoredSecret {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly description: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export async function replaceSecrets(
  scope: Scope,
  ownerId: string,
  secrets: readonly Pick<StoredSecret, "id" | "name" | "ciphertext" | "keyId" | "description">[],
  userId: string,
): Promise<void> {
  await deleteSecrets(scope, ownerId);
  const at = scope.now();
  await scope.insertAll(
    "secret",
    secrets.map((secret) => ({
      id: secret.id,
      owner_id: ownerId,
      name: secret.name,
      ciphertext: secret.ciphertext,
      key_id: secret.keyId,
      description: secret.description,
      created_at: at,
      updated_at: at,
      created_by: userId,
      updated_by: userId,
    })),
  );
}

export async function deleteSecrets(scope: Scope, ownerId: string): Promise<void> {
  await scope.delete("secret").where("owner_id", "=", ownerId).execute();
}

export async function listSecrets(scope: Scope, ownerIds: readonly string[]): Promise<StoredSecret[]> {
  if (ownerIds.length === 0) return [];
  const rows = await scope
    .select("secret")
    .selectAll("secret")
    .where(isAmong(scope, "owner_id", ownerIds))
    .orderBy("name")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    ciphertext: row.ciphertext,
    keyId: row.key_id,
    description: row.description,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}
