/**
 * Seals secrets before they reach the database. The key is not in the database: it comes from the operator, or from a
 * file beside an embedded database that only its owner can read.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { MemoirError } from "./errors.ts";

export interface SealedSecret {
  readonly keyId: string;
  readonly ciphertext: Uint8Array;
}

export interface Vault {
  /** `place` names the row; a ciphertext moved to another row does not open there. */
  seal(text: string, place: string): SealedSecret;
  open(sealed: SealedSecret, place: string): string;
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
  if (!existsSync(path)) {
    try {
      const key = `${randomBytes(32).toString("base64")}\n`;
      writeFileSync(path, key, { mode: 0o600, flag: "wx", flush: true });
    } catch (error) {
      // Another process may have been first; then its key is ours too.
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
  return readFileSync(path, "utf8").trim();
}
