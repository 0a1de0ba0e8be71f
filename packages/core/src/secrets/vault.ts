/**
 * Seals secrets before they reach the database. The keys are not in the database: they come from the operator, or from a
 * file beside an embedded database that only its owner can read. One key seals; former ones open what they sealed.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from "node:crypto";
import { MemoirError } from "../shared/errors.ts";

export interface SealedSecret {
  readonly keyId: string;
  readonly ciphertext: Uint8Array;
}

export interface Vault {
  /** `place` names the row; a ciphertext moved to another row does not open there. */
  seal(text: string, place: string): SealedSecret;
  open(sealed: SealedSecret, place: string): string;
  /** Names the key that seals without giving it away. */
  keyId(): string;
  /** Whether what was sealed with that key can be opened. */
  knows(keyId: string): boolean;
}

/** The key that seals, then former ones. */
export type ReadKeys = () => readonly string[];

interface StretchedKey {
  readonly key: Buffer;
  readonly keyId: string;
}

const nonceBytes = 12;
const tagBytes = 16;

export function createVault(keys: string | ReadKeys): Vault {
  const read: ReadKeys = typeof keys === "string" ? () => [keys] : keys;
  // Stretching takes about 50 ms, so it waits for the first secret.
  const stretched = new Map<string, StretchedKey>();
  const stretch = (passphrase: string): StretchedKey => {
    const known = stretched.get(passphrase);
    if (known) return known;
    const key = scryptSync(passphrase, "memoir secrets", 32, { N: 16_384, r: 8, p: 1 });
    const made = { key, keyId: createHash("sha256").update(key).digest("hex").slice(0, 12) };
    stretched.set(passphrase, made);
    return made;
  };
  const current = (): StretchedKey => stretch(read()[0] ?? "");
  const find = (keyId: string): StretchedKey | undefined => {
    for (const passphrase of read()) {
      const candidate = stretch(passphrase);
      if (candidate.keyId === keyId) return candidate;
    }
    return undefined;
  };
  return {
    keyId: () => current().keyId,
    knows: (keyId) => find(keyId) !== undefined,
    seal(text, place) {
      const { key, keyId } = current();
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return { keyId, ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), body]) };
    },
    open({ keyId, ciphertext }, place) {
      const found = find(keyId);
      if (!found) {
        throw new MemoirError(
          "unavailable",
          `a secret was sealed with another encryption key (${keyId}); start Memoir with the key it was written with.`,
        );
      }
      try {
        return decipher(found.key, Buffer.from(ciphertext), place);
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

function decipher(key: Buffer, sealed: Buffer, place: string): string {
  const opened = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, nonceBytes))
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opened.update(sealed.subarray(nonceBytes + tagBytes)), opened.final()]).toString("utf8");
}
