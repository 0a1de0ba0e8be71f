/** Resolves the `database` option: a file, memory, or a PostgreSQL server. */
import { fileURLToPath } from "node:url";
import { MemoirError } from "../../shared/errors.ts";

export function isPostgresUrl(database: string): boolean {
  return /^postgres(ql)?:\/\//i.test(database);
}

export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  if (parsed.password) parsed.password = "***";
  return parsed.toString();
}

/** Converts `file://` to a path and rejects other schemes, because SQLite would create a folder of that name. */
export function resolveDatabase(database: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(database)?.[1]?.toLowerCase();
  if (scheme === undefined || isPostgresUrl(database)) return database;
  if (scheme === "file") return readFileUrl(database);
  throw new MemoirError(
    "invalid-argument",
    `Memoir has no driver for ${scheme}:// databases: give the path of a SQLite file, or a postgres:// address.`,
    { details: { field: "database" } },
  );
}

function readFileUrl(database: string): string {
  try {
    return fileURLToPath(database);
  } catch (error) {
    throw new MemoirError(
      "invalid-argument",
      "the database's file:// address must hold an absolute path, as in file:///data/memoir.db; or give the path alone.",
      { details: { field: "database" }, cause: error },
    );
  }
}
