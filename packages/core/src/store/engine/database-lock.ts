/**
 * Keeps a second server off a SQLite file: it would take the first one's runs over and pay for their model calls again.
 * The lock is SQLite's own, on a small file beside the database, so that the system frees it however the process ends.
 */
import { realpathSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { MemoirError } from "../../shared/errors.ts";
import { isPostgresUrl, resolveDatabase } from "./database-address.ts";
import { prepareFile } from "./prepare-file.ts";

export interface DatabaseLock {
  /** Where the holder listens, for a second server to tell. Rarely, another process gets the lock meanwhile: then it throws. */
  announce(address: string): void;
  release(): void;
}

/** A server that is being replaced may need a moment to end. */
const waitMs = 1_000;
const pollMs = 50;
/** How long a commit waits for a second server that is reading the row at that moment. */
const busyMs = 100;

const noLock: DatabaseLock = { announce() {}, release() {} };

/**
 * Rejects with the holder's process id and address; `address` is our own, if it is known already. PostgreSQL and databases
 * in memory need no lock.
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

/** Commits who holds the lock, then begins the transaction that is the lock: others can read, and none can begin theirs. */
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
    // The holder is about to write its row for the first time.
    return {};
  }
}
