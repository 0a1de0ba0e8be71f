/**
 * Seals secrets before they reach the database. The key is not in the database: it comes from the operator, or from a
 * file beside an embedded database that only its owner can read.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from "node:crypto";
import { constants, copyFileSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { MemoirError } from "./errors.ts";

export interface SealedSecret {
  readonly keyId: string;
  readonly ciphertext: Uint8Array;
}

export interface Vault {
  /** `place` names the row; a ciphertext moved to another row does not open there. */
  seal(text: string, place: string): SealedSecret;
  open(sealed: SealedSecret, place: string): string;
  /** Names the key without giving it away. */
  keyId(): string;
}

const nonceBytes = 12;
const tagBytes = 16;

export function createVault(passphrase: string): Vault {
  // Stretching takes about 50 ms, so it waits for the first secret.
  let stretched: { key: Buffer; keyId: string } | undefined;
  const current = () => {
    if (!stretched) {
      const key = scryptSync(passphrase, "memoir secrets", 32, { N: 16_384, r: 8, p: 1 });
      stretched = { key, keyId: createHash("sha256").update(key).digest("hex").slice(0, 12) };
    }
    return stretched;
  };
  return {
    keyId: () => current().keyId,
    seal(text, place) {
      const { key, keyId } = current();
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return { keyId, ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), body]) };
    },
    open({ keyId, ciphertext }, place) {
      const { key, keyId: ours } = current();
      if (keyId !== ours) {
        throw new MemoirError(
          "unavailable",
          `a secret was sealed with another encryption key (${keyId}); start Memoir with the key it was written with.`,
        );
      }
      const sealed = Buffer.from(ciphertext);
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, nonceBytes))
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]).toString(
        "utf8",
      );
    },
  };
}

/** The key kept beside an embedded database, made at the first start, readable by its owner only. */
export function readOrCreateKeyFile(path: string): string {
  if (!existsSync(path)) createKeyFile(path);
  const key = readFileSync(path, "utf8").trim();
  if (key !== "") return key;
  throw new MemoirError(
    "unavailable",
    `the key file ${path} is empty: put back the key that secrets were sealed with, or delete the file if there are none.`,
  );
}

/** Another program may make one at the same moment; then its key is ours too. It appears whole or not at all. */
function createKeyFile(path: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true });
  try {
    linkSync(draft, path);
  } catch {
    // Taken, or on a file system without links.
    if (!existsSync(path)) copyFileSync(draft, path, constants.COPYFILE_EXCL);
  } finally {
    rmSync(draft);
  }
}
