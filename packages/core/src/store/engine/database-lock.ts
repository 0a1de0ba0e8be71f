/**
 * Locks a SQLite file against a second server, which would take over runs of the first and repeat their model calls. It
 * is a SQLite lock on a small file beside the database, so the system releases it however the process ends.
 */
import { realpathSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { MemoirError } from "../../shared/errors.ts";
import { isPostgresUrl, resolveDatabase } from "./database-address.ts";
import { prepareFile } from "./prepare-file.ts";

export interface DatabaseLock {
  /**
   * Publishes the holder's address for a second server's error message; throws in the rare case that another process
   * gets the lock meanwhile.
   */
  announce(address: string): void;
  release(): void;
}

/** A server that is being replaced may need a moment to exit. */
const waitMs = 1_000;
const pollMs = 50;
/** How long a commit waits for a second server that is reading the row. */
const busyMs = 100;

const noLock: DatabaseLock = { announce() {}, release() {} };

/**
 * Rejects with the holder's pid and address; `address` is our own, if known. PostgreSQL and in-memory databases need no
 * lock.
 */
export async function lockDatabase(database: string, address = ""): Promise<DatabaseLock> {
  const path = resolveDatabase(database);
  if (path === ":memory:" || isPostgresUrl(path)) return noLock;
  prepareFile(path);
  const file = new DatabaseSync(`${realpathSync(path)}.lock`, { timeout: busyMs });
  const giveUpAt = performance.now() + waitMs;
  while (!hold(file, address)) {
    if (performance.now() < giveUpAt) await sleep(pollMs);
    else throw refuse(file, path);
  }
  return {
    announce(listening) {
      if (listening !== address && !hold(file, listening)) throw refuse(file, path);
    },
    release: () => file.close(),
  };
}

/**
 * Commits the holder's row, then begins the write transaction that is the lock: other processes can read but not write.
 */
function hold(file: DatabaseSync, address: string): boolean {
  try {
    if (!file.isTransaction) file.exec("begin immediate");
    file.exec("create table if not exists holder (pid integer, address text)");
    file.exec("delete from holder");
    file.prepare("insert into holder (pid, address) values (?, ?)").run(process.pid, address);
    file.exec("commit; begin immediate");
    return true;
  } catch (error) {
    if (file.isTransaction) file.exec("rollback");
    if (error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy) return false;
    throw error;
  }
}

const sqliteBusy = 5;

function refuse(file: DatabaseSync, path: string): MemoirError {
  const { pid, address } = readHolder(file);
  file.close();
  const holder = [...(pid === undefined ? [] : [`process ${pid}`]), ...(address ? [address] : [])].join(", ");
  return new MemoirError(
    "unavailable",
    `another Memoir server${holder ? ` (${holder})` : ""} is using ${path}: use that one, stop it, or choose another file with --database.`,
  );
}

function readHolder(file: DatabaseSync): { readonly pid?: number; readonly address?: string } {
  try {
    return file.prepare("select pid, address from holder").get() ?? {};
  } catch {
    // The holder has not written its row yet.
    return {};
  }
}
