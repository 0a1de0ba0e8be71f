/** Makes sure that a SQLite file can be written before it is opened. */
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { MemoirError } from "../../shared/errors.ts";

/** Makes the folder and the file, for their owner only, or says in one sentence why that cannot be. */
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

/** One level at a time: Node's recursive form never ends below some system folders. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
