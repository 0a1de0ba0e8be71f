/**
 * Encrypts secrets before they are stored. Keys are never in the database: they come from the operator or from a key
 * file. The current key encrypts; former keys only decrypt.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from "node:crypto";
import { MemoirError } from "../shared/errors.ts";

export interface EncryptedSecret {
  readonly keyId: string;
  readonly ciphertext: Uint8Array;
}

export interface Vault {
  /** `place` identifies the row and is authenticated, so that a ciphertext copied to another row does not decrypt. */
  encrypt(text: string, place: string): EncryptedSecret;
  decrypt(encrypted: EncryptedSecret, place: string): string;
  /** Hash of the current key; safe to store. */
  keyId(): string;
  /** Whether the key with this id is available for decryption. */
  knows(keyId: string): boolean;
}

/** The current key first, then former keys. */
export type ReadKeys = () => readonly string[];

interface DerivedKey {
  readonly key: Buffer;
  readonly keyId: string;
}

const nonceBytes = 12;
const tagBytes = 16;

export function createVault(keys: string | ReadKeys): Vault {
  const read: ReadKeys = typeof keys === "string" ? () => [keys] : keys;
  // scrypt takes about 50 ms, so keys are derived at first use.
  const derivedKeys = new Map<string, DerivedKey>();
  const deriveKey = (passphrase: string): DerivedKey => {
    const known = derivedKeys.get(passphrase);
    if (known) return known;
    const key = scryptSync(passphrase, "memoir secrets", 32, { N: 16_384, r: 8, p: 1 });
    const derived = { key, keyId: createHash("sha256").update(key).digest("hex").slice(0, 12) };
    derivedKeys.set(passphrase, derived);
    return derived;
  };
  const current = (): DerivedKey => deriveKey(read()[0] ?? "");
  const find = (keyId: string): DerivedKey | undefined => {
    for (const passphrase of read()) {
      const candidate = deriveKey(passphrase);
      if (candidate.keyId === keyId) return candidate;
    }
    return undefined;
  };
  return {
    keyId: () => current().keyId,
    knows: (keyId) => find(keyId) !== undefined,
    encrypt(text, place) {
      const { key, keyId } = current();
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return { keyId, ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), body]) };
    },
    decrypt({ keyId, ciphertext }, place) {
      const found = find(keyId);
      if (!found) {
        throw new MemoirError(
          "unavailable",
          `a secret was sealed with another encryption key (${keyId}); start Memoir with the key it was written with.`,
        );
      }
      try {
        return decryptWithKey(found.key, Buffer.from(ciphertext), place);
      } catch (error) {
        const [, owner, ...name] = place.split("/");
        throw new MemoirError(
          "unavailable",
          `the secret "${name.join("/")}" of ${owner} does not open, because its row was changed or moved: set it again.`,
          { cause: error },
        );
      }
    },
  };
}

function decryptWithKey(key: Buffer, encrypted: Buffer, place: string): string {
  const opened = createDecipheriv("aes-256-gcm", key, encrypted.subarray(0, nonceBytes))
    .setAAD(Buffer.from(place))
    .setAuthTag(encrypted.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opened.update(encrypted.subarray(nonceBytes + tagBytes)), opened.final()]).toString("utf8");
}
