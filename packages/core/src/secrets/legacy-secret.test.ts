import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { decryptLegacySecret } from "./legacy-secret.ts";

/** Recorded from a legacy server. */
const recorded = "E1x2gPZyvwP1A4UsV+ANCNp3p8Shy6nJWkVkXCOYtoGUtHOm2BjJNFNqsAqUnASzLYh8uGNeZrFv";

test("a secret that the old server sealed opens with its key", async () => {
  expect(await decryptLegacySecret(recorded, "memoir-test-key")).toEqual({ kind: "sealed", text: "s3cret-välue" });
});

test("so does one sealed here by the same recipe, whatever it holds", async () => {
  for (const text of ["x", "sk-1234567890", "several\nlines\t🔑", "y".repeat(5_000)]) {
    expect(await decryptLegacySecret(encryptAsBefore(text, "clé de test"), "clé de test")).toEqual({
      kind: "sealed",
      text,
    });
  }
});

test("another key or a changed byte is reported, and never taken for the value", async () => {
  expect(await decryptLegacySecret(recorded, "other")).toMatchObject({ kind: "unreadable" });
  const bent = Buffer.from(recorded, "base64");
  bent[30] = (bent[30] ?? 0) ^ 1;
  expect(await decryptLegacySecret(bent.toString("base64"), "memoir-test-key")).toMatchObject({ kind: "unreadable" });
});

test("what was never sealed is taken as it stands", async () => {
  for (const text of ["", "value", "sk-proj-abc", "not base64!", "c2hvcnQ="]) {
    expect(await decryptLegacySecret(text, "memoir-test-key")).toEqual({ kind: "plain", text });
  }
  // Long, and consisting of base64 characters only.
  const credential = `AKIA${"A".repeat(76)}`;
  expect(await decryptLegacySecret(credential, "memoir-test-key")).toEqual({ kind: "plain", text: credential });
  expect(await decryptLegacySecret(recorded, undefined)).toEqual({ kind: "plain", text: recorded });
});

function encryptAsBefore(text: string, passphrase: string): string {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", pbkdf2Sync(passphrase, salt, 100_000, 32, "sha256"), nonce);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([salt, nonce, body, cipher.getAuthTag()]).toString("base64");
}
