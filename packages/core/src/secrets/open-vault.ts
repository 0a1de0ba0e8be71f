/** Which keys a database's secrets are sealed with, and where they come from. */
import { existsSync } from "node:fs";
import { MemoirError } from "../shared/errors.ts";
import { watchKeyFile } from "./key-file.ts";
import { createVault, type Vault } from "./vault.ts";

export interface KeyOptions {
  /** A file path, `:memory:`, or a `postgres://` address. */
  readonly database: string;
  /** Seals secrets. Required with PostgreSQL; a file beside the database is made for SQLite. */
  readonly encryptionKey?: string;
  /** Keys that secrets may still be sealed with; they are sealed anew with the current one. */
  readonly formerKeys?: readonly string[];
}

export function keyFileOf(database: string): string {
  return `${database}.key`;
}

/** `keyIds` name the keys of the secrets that are stored: another one would be found out only when a secret is needed. */
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
