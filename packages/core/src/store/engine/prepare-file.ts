/** Ensures that a SQLite file is writable before it is opened. */
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { MemoirError } from "../../shared/errors.ts";

/** Creates the folder and the file with owner-only access, or throws with the reason. */
export function prepareFile(path: string): void {
  const folder = dirname(path);
  try {
    makeFolder(folder);
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw new MemoirError(
      "unavailable",
      `cannot write to ${existsSync(path) ? path : folder}: choose another place with --database or MEMOIR_DATABASE, or change its permissions.`,
      { cause: error },
    );
  }
}

/** Creates one level at a time, because Node's recursive mkdir never returns below some system folders. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
