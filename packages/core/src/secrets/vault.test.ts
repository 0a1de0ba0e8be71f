import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addKeyToFile, readOrCreateKeyFile, watchKeyFile } from "./key-file.ts";
import { createVault } from "./vault.ts";

const secret = "sk-very-secret-é🔑";

test("a sealed text opens with its key, in its place, and nowhere else", () => {
  const vault = createVault("one key");
  const encrypted = vault.encrypt(secret, "org/agent/NAME");
  expect(Buffer.from(encrypted.ciphertext).includes(secret)).toBe(false);
  expect(createVault("one key").decrypt(encrypted, "org/agent/NAME")).toBe(secret);
  expect(() => vault.decrypt(encrypted, "org/agent/OTHER")).toThrow(
    expect.objectContaining({ code: "unavailable", message: expect.stringContaining('"OTHER" of agent') }),
  );
  const bent = Uint8Array.from(encrypted.ciphertext);
  bent[bent.length - 1] = (bent.at(-1) ?? 0) ^ 1;
  expect(() => vault.decrypt({ ...encrypted, ciphertext: bent }, "org/agent/NAME")).toThrow();
});

test("the same text is never sealed the same twice", () => {
  const vault = createVault("one key");
  const [first, second] = [vault.encrypt(secret, "place"), vault.encrypt(secret, "place")];
  expect(Buffer.from(first.ciphertext)).not.toEqual(Buffer.from(second.ciphertext));
});

test("another key is named as the reason, and what to do about it", () => {
  const encrypted = createVault("one key").encrypt(secret, "place");
  expect(() => createVault("other key").decrypt(encrypted, "place")).toThrow(
    expect.objectContaining({ code: "unavailable", message: expect.stringContaining("start Memoir with the key") }),
  );
});

test("the key file is made once, for its owner's eyes only", () => {
  const path = join(openFolder(), "memoir.db.key");
  const [key] = readOrCreateKeyFile(path);
  expect(key?.length).toBeGreaterThan(40);
  expect(readOrCreateKeyFile(path)).toEqual([key]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, ".."))).toEqual(["memoir.db.key"]);
});

test("a key that is added to the file seals from then on, and what was sealed before still opens", () => {
  const path = join(openFolder(), "memoir.db.key");
  const vault = createVault(watchKeyFile(path));
  const before = vault.encrypt(secret, "place");
  addKeyToFile(path);
  const after = vault.encrypt(secret, "place");
  expect(after.keyId).not.toBe(before.keyId);
  expect([before, after].map((encrypted) => vault.decrypt(encrypted, "place"))).toEqual([secret, secret]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, ".."))).toEqual(["memoir.db.key"]);
});

test("an empty key file is no key", () => {
  const path = join(openFolder(), "memoir.db.key");
  writeFileSync(path, "\n");
  expect(() => readOrCreateKeyFile(path)).toThrow(
    expect.objectContaining({ code: "unavailable", message: expect.stringContaining(path) }),
  );
  expect(readFileSync(path, "utf8")).toBe("\n");
});

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memoir-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
