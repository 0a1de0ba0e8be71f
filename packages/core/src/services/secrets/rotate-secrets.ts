/** Gives the secrets of a database another key, beside a server or without one. */
import { addKeyToFile } from "../../secrets/key-file.ts";
import { type KeyOptions, keyFileOf, openVault } from "../../secrets/open-vault.ts";
import { MemoirError } from "../../shared/errors.ts";
import { isPostgresUrl } from "../../store/engine/database-address.ts";
import { listSecretKeyIds } from "../../store/system.ts";
import { type QuietOptions, withQuietStore } from "../offline/offline-store.ts";
import { type ResealReport, reEncryptSecrets } from "./re-encrypt-secrets.ts";

export interface RotationReport extends ResealReport {
  /** Where the new key was put; undefined where the operator keeps it. */
  readonly keyFile: string | undefined;
}

/** Without a key of the operator's the file beside the database gets a new one. */
export async function rotateSecrets(options: QuietOptions & KeyOptions): Promise<RotationReport> {
  const { database, encryptionKey } = options;
  if (encryptionKey === undefined && isPostgresUrl(database)) {
    throw new MemoirError(
      "invalid-argument",
      "set MEMOIR_ENCRYPTION_KEY to the new key and MEMOIR_ENCRYPTION_KEY_OLD to the one that is to be replaced.",
    );
  }
  return await withQuietStore(options, async (store) => {
    const keyIds = await listSecretKeyIds(store);
    // Before a key is added: one that is made because the file is missing would only hide that.
    openVault(options, keyIds);
    const keyFile = encryptionKey === undefined ? keyFileOf(database) : undefined;
    if (keyFile !== undefined) addKeyToFile(keyFile);
    return { ...(await reEncryptSecrets({ store, vault: openVault(options, keyIds) })), keyFile };
  });
}
