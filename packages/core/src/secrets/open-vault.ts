/** Chooses the encryption keys of a database: from the configuration, or from a key file beside SQLite. */
import { existsSync } from "node:fs";
import { MemoirError } from "../shared/errors.ts";
import { watchKeyFile } from "./key-file.ts";
import { createVault, type Vault } from "./vault.ts";

export interface KeyOptions {
  /** A file path, `:memory:`, or a `postgres://` address. */
  readonly database: string;
  /** Encrypts secrets; required for PostgreSQL, defaults to a key file beside the database for SQLite. */
  readonly encryptionKey?: string;
  /** Former keys, which only decrypt; their secrets are encrypted again with the current key. */
  readonly formerKeys?: readonly string[];
}

export function keyFileOf(database: string): string {
  return `${database}.key`;
}

/**
 * Checks `keyIds`, the keys of the stored secrets, at start; otherwise a wrong key would only fail when a secret is
 * used.
 */
export function openVault({ database, encryptionKey, formerKeys = [] }: KeyOptions, keyIds: readonly string[]): Vault {
  const keyFile = keyFileOf(database);
  const isMissing = encryptionKey === undefined && keyIds.length > 0 && formerKeys.length === 0 && !existsSync(keyFile);
  if (database === ":memory:") return createVault(encryptionKey ?? crypto.randomUUID());
  const readOwn = encryptionKey !== undefined ? () => [encryptionKey] : isMissing ? undefined : watchKeyFile(keyFile);
  const vault = readOwn && createVault(() => [...readOwn(), ...formerKeys]);
  if (vault && keyIds.every((keyId) => vault.knows(keyId))) return vault;
  throw new MemoirError(
    "unavailable",
    "the secrets in this database were sealed with another encryption key: start Memoir with that one " +
      "(MEMOIR_ENCRYPTION_KEY, or the file ending in .key that stood beside the database). To change the key, give the " +
      "new one together with the old one (MEMOIR_ENCRYPTION_KEY_OLD).",
  );
}
