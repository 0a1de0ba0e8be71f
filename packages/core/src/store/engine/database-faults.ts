/** Classifies temporary failures of the databases, as opposed to errors of the caller. */
import { MemoirError } from "../../shared/errors.ts";

export type DatabaseFault =
  | "unreachable" // no connection, or one that broke
  | "busy" // a lock, a deadlock, a serialization failure
  | "timeout" // the database cancelled a statement that took too long
  | "full" // no space left on its disk
  | "damaged" // the file or a page of it is corrupt
  | "disk"; // reading or writing its files fails, or they are read-only

/** By primary result code of SQLite. */
const sqliteFaults: Readonly<Record<number, DatabaseFault>> = {
  5: "busy",
  6: "busy",
  8: "disk",
  10: "disk",
  11: "damaged",
  13: "full",
  14: "disk",
  15: "busy",
  26: "damaged",
};

/** By SQLSTATE of PostgreSQL, complete or class, and by socket error codes of Node. */
const postgresFaults: Readonly<Record<string, DatabaseFault>> = {
  "08": "unreachable",
  "25006": "unreachable",
  "25P03": "unreachable",
  "40001": "busy",
  "40P01": "busy",
  "53": "unreachable",
  "53100": "full",
  "55P03": "busy",
  "57014": "timeout",
  "57P": "unreachable",
  "58030": "disk",
  ENOSPC: "full",
  XX001: "damaged",
  XX002: "damaged",
  ECONNREFUSED: "unreachable",
  ECONNRESET: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENOTFOUND: "unreachable",
  EPIPE: "unreachable",
  ETIMEDOUT: "unreachable",
};

/** Errors that `pg` reports without a code. */
const brokenConnection =
  /connection (terminated|error|ended)|timeout exceeded when trying to connect|not queryable|client was closed/i;

/** Undefined for other errors, and for those that a retry of the statement would meet again. */
export function findDatabaseFault(error: unknown): DatabaseFault | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof MemoirError) return error.code === "unavailable" ? findDatabaseFault(error.cause) : undefined;
  if ("errcode" in error) return sqliteFaults[Number(error.errcode) & 0xff];
  const code = "code" in error ? String(error.code) : "";
  const fault = postgresFaults[code] ?? postgresFaults[code.slice(0, 3)];
  const ofClass = code.length === 5 ? postgresFaults[code.slice(0, 2)] : undefined;
  return fault ?? ofClass ?? (brokenConnection.test(error.message) ? "unreachable" : undefined);
}

const texts: Readonly<Record<DatabaseFault, string>> = {
  unreachable: "The database cannot be reached. Try again in a moment.",
  busy: "The database is locked by another process or transaction. Try again in a moment.",
  timeout: "The database did not answer in time. Try again in a moment.",
  full: "There is no space left on the database's disk. Nothing was stored; make room and try again.",
  damaged: "The database is damaged. Run memoir doctor, and restore a backup if it reports problems.",
  disk: "The database's files cannot be read or written. Check the disk and the permissions of the files.",
};

export function describeFault(fault: DatabaseFault): string {
  return texts[fault];
}
