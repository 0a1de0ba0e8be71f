/**
 * The keys kept beside an embedded database, readable by its owner only: one a line, the one that seals first. Former keys
 * stay in it, so that older copies of the database open too.
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

/** Made at the first start. */
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

/** Reads the file again when it has changed, so that a key that is added to it counts at once. */
export function watchKeyFile(path: string): () => readonly string[] {
  let keys = readOrCreateKeyFile(path);
  let seen = stampOf(path);
  return () => {
    const stamp = stampOf(path);
    if (stamp !== undefined && stamp !== seen) {
      keys = readOrCreateKeyFile(path);
      seen = stamp;
    }
    return keys;
  };
}

/** Undefined while there is none: then the keys that were read last go on to count. */
function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}

/** From now on a new key seals; what there was stays known. */
export function addKeyToFile(path: string): void {
  const keys = existsSync(path) ? readOrCreateKeyFile(path) : [];
  const draft = writeDraft(path, [makeKey(), ...keys]);
  renameSync(draft, path);
}

/** Another program may make one at the same moment; then its key is ours too. It appears whole or not at all. */
function createKeyFile(path: string): void {
  const draft = writeDraft(path, [makeKey()]);
  try {
    linkSync(draft, path);
  } catch {
    // Taken, or on a file system without links.
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
