/**
 * Secrets as older databases hold them: AES-256-GCM under a key that PBKDF2 made of the operator's text, each with a salt
 * of its own, as base64; or, where no key was set, in the clear in the same column.
 */
import { createDecipheriv, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";

/** `plain` was never sealed; `unreadable` is damaged, or was sealed with another key. */
export type OldSecret =
  | { readonly kind: "sealed" | "plain"; readonly text: string }
  | { readonly kind: "unreadable"; readonly reason: string };

const stretch = promisify(pbkdf2);
const rounds = 100_000;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
/** Something has to be left besides salt, nonce and tag. */
const fewestBytes = saltBytes + nonceBytes + tagBytes + 1;

/** What credentials begin with that people store: no sealed text is taken for one. */
const credential = /^(sk-|pk-|api-|key-|token-|Bearer |xoxb-|xoxp-|ghp_|gho_|ghu_|ghs_|ghr_|AKIA|ABIA|ACCA|ASIA)/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Without a key everything is taken as it stands. Stretching takes tens of milliseconds, on another thread. */
export async function openOldSecret(stored: string, key: string | undefined): Promise<OldSecret> {
  if (key === undefined || key === "") return { kind: "plain", text: stored };
  const bytes = base64.test(stored) ? Buffer.from(stored, "base64") : undefined;
  if (!bytes || bytes.length < fewestBytes) return { kind: "plain", text: stored };
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
