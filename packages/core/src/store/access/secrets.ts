/** Encrypted secrets; the key that decrypts them is not in this database. */
import type { Selectable } from "kysely";
import { MemoirError } from "../../shared/errors.ts";
import { isUniqueViolation } from "../engine/constraint-errors.ts";
import { isInList } from "../engine/in-list.ts";
import type { SecretTable } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";

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
    .where(isInList(scope, "owner_id", ownerIds))
    .orderBy("name")
    .execute();
  return rows.map(toSecret);
}

export function toSecret(row: Selectable<SecretTable>): StoredSecret {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    ciphertext: row.ciphertext,
    keyId: row.key_id,
    description: row.description,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function findSecret(scope: Scope, id: string): Promise<StoredSecret | undefined> {
  const row = await scope.select("secret").selectAll("secret").where("id", "=", id).executeTakeFirst();
  return row && toSecret(row);
}

/** Upserts one secret of an owner. */
export async function putSecret(scope: Scope, secret: StoredSecret, userId: string): Promise<void> {
  await deleteSecret(scope, secret.id);
  const row = {
    id: secret.id,
    owner_id: secret.ownerId,
    name: secret.name,
    ciphertext: secret.ciphertext,
    key_id: secret.keyId,
    description: secret.description,
    created_at: secret.createdAt,
    updated_at: secret.updatedAt,
    created_by: userId,
    updated_by: userId,
  };
  try {
    await scope.insert("secret", row).execute();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new MemoirError("conflict", `a variable named "${secret.name}" exists already`, {
      details: { entity: "secret", field: "key" },
      cause: error,
    });
  }
}

/** Replaces the ciphertext; false if the secret changed or was deleted since it was read. */
export async function encryptAgain(
  scope: Scope,
  { id, ciphertext }: StoredSecret,
  sealed: Pick<StoredSecret, "ciphertext" | "keyId">,
): Promise<boolean> {
  const { numUpdatedRows } = await scope
    .update("secret")
    .set({ ciphertext: sealed.ciphertext, key_id: sealed.keyId })
    .where("id", "=", id)
    .where("ciphertext", "=", ciphertext)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteSecret(scope: Scope, id: string): Promise<void> {
  await scope.delete("secret").where("id", "=", id).execute();
}
