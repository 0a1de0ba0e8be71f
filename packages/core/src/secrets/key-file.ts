/**
 * The key file beside an embedded database, with mode 0600: one key a line, the current key first. Former keys stay in
 * it, so that older copies of the database remain readable.
 */
import { randomBytes } from "node:crypto";
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { MemoirError } from "../shared/errors.ts";

/** Creates the file at the first start. */
export function readOrCreateKeyFile(path: string): string[] {
  if (!existsSync(path)) createKeyFile(path);
  const keys = splitKeys(readFileSync(path, "utf8"));
  if (keys.length > 0) return keys;
  throw new MemoirError(
    "unavailable",
    `the key file ${path} is empty: put back the key that secrets were sealed with, or delete the file if there are none.`,
  );
}

export function splitKeys(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Reads the file again when it changes, so that a rotated key takes effect without a restart. */
export function watchKeyFile(path: string): () => readonly string[] {
  let keys = readOrCreateKeyFile(path);
  let seen = fileVersion(path);
  return () => {
    const stamp = fileVersion(path);
    if (stamp !== undefined && stamp !== seen) {
      keys = readOrCreateKeyFile(path);
      seen = stamp;
    }
    return keys;
  };
}

/** Undefined while the file is missing; the keys read last then stay in use. */
function fileVersion(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}

/** Rotates the key: a new key becomes the current one, and all existing keys stay in the file. */
export function addKeyToFile(path: string): void {
  const keys = existsSync(path) ? readOrCreateKeyFile(path) : [];
  const draft = writeDraft(path, [makeKey(), ...keys]);
  renameSync(draft, path);
}

/**
 * Writes a draft and links it into place, so that the file appears atomically and a concurrent process keeps the key of
 * whichever came first.
 */
function createKeyFile(path: string): void {
  const draft = writeDraft(path, [makeKey()]);
  try {
    linkSync(draft, path);
  } catch {
    // Either the file exists, or the file system has no hard links.
    if (!existsSync(path)) copyFileSync(draft, path, constants.COPYFILE_EXCL);
  } finally {
    rmSync(draft);
  }
}

function makeKey(): string {
  return randomBytes(32).toString("base64");
}

function writeDraft(path: string, keys: readonly string[]): string {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${keys.join("\n")}\n`, { mode: 0o600, flag: "wx", flush: true });
  return draft;
}
