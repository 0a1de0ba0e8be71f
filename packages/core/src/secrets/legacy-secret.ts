/**
 * Reads the secrets of legacy databases: AES-256-GCM with a PBKDF2 key and a salt per value, as base64; or plaintext in
 * the same column if no key was set.
 */
import { createDecipheriv, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";

/** `plain` was never encrypted; `unreadable` is damaged or encrypted with another key. */
export type LegacySecret =
  | { readonly kind: "sealed" | "plain"; readonly text: string }
  | { readonly kind: "unreadable"; readonly reason: string };

const stretch = promisify(pbkdf2);
const rounds = 100_000;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
/** Salt, nonce, tag and at least one byte of ciphertext. */
const minBytes = saltBytes + nonceBytes + tagBytes + 1;

/** Prefixes of common credentials, which mark a value as plaintext. */
const credential = /^(sk-|pk-|api-|key-|token-|Bearer |xoxb-|xoxp-|ghp_|gho_|ghu_|ghs_|ghr_|AKIA|ABIA|ACCA|ASIA)/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Without `key` every value counts as plaintext; PBKDF2 takes tens of milliseconds on the thread pool. */
export async function decryptLegacySecret(stored: string, key: string | undefined): Promise<LegacySecret> {
  if (key === undefined || key === "") return { kind: "plain", text: stored };
  const bytes = base64.test(stored) ? Buffer.from(stored, "base64") : undefined;
  if (!bytes || bytes.length < minBytes) return { kind: "plain", text: stored };
  const text = await decipher(bytes, key);
  if (text !== undefined) return { kind: "sealed", text };
  if (credential.test(stored)) return { kind: "plain", text: stored };
  return { kind: "unreadable", reason: "it was sealed with another key, or is damaged" };
}

async function decipher(bytes: Buffer, key: string): Promise<string | undefined> {
  const salt = bytes.subarray(0, saltBytes);
  const nonce = bytes.subarray(saltBytes, saltBytes + nonceBytes);
  const stretched = await stretch(key, salt, rounds, 32, "sha256");
  const opened = createDecipheriv("aes-256-gcm", stretched, nonce).setAuthTag(bytes.subarray(-tagBytes));
  try {
    const body = bytes.subarray(saltBytes + nonceBytes, -tagBytes);
    return Buffer.concat([opened.update(body), opened.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
