/** Real faults of real databases, for tests: locks, lost connections, a full disk. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { onTestFinished, type TestContext } from "vitest";
import type { Log } from "../shared/log.ts";
import { silentLog } from "../shared/log.ts";

/** Another connection that keeps all others from writing until it is released. */
export interface HeldLock {
  release(): Promise<void>;
}

export async function lockPostgresTable(database: string, table: string): Promise<HeldLock & { client: Client }> {
  const client = new Client({ connectionString: database, application_name: "locker" });
  await client.connect();
  await client.query("set statement_timeout = 0; set lock_timeout = 0");
  let isHeld = true;
  const release = async () => {
    if (!isHeld) return;
    isHeld = false;
    await client.query("rollback");
    await client.end();
  };
  onTestFinished(release);
  await client.query("begin");
  await client.query(`lock table "${table}" in access exclusive mode`);
  return { client, release };
}

/** Ends the connections of Memoir that wait for a lock; answers how many there were. */
export async function endWaitingConnections(client: Client): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'memoir' and wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

export async function lockSqliteFile(database: string): Promise<HeldLock> {
  const other = new DatabaseSync(database, { timeout: 5_000 });
  other.exec("begin immediate");
  const release = async () => {
    if (other.isOpen) other.close();
  };
  onTestFinished(release);
  return { release };
}

/** Overwrites the first page of a table in the file; every connection has to read it again. */
export function damageSqliteTable(database: string, table: string): { repair(): void } {
  const other = new DatabaseSync(database, { timeout: 5_000 });
  onTestFinished(() => other.close());
  const { rootpage } = other.prepare("select rootpage from sqlite_schema where name = ?").get(table) as Page;
  const { page_size } = other.prepare("pragma page_size").get() as Page;
  const file = openSync(database, "r+");
  onTestFinished(() => closeSync(file));
  const whole = Buffer.alloc(Number(page_size));
  const overwrite = (bytes: Buffer) => {
    // A commit of another connection empties the caches of pages, and the log has to hold no newer page.
    other.exec(`create table "emptied" (id); drop table "emptied"; pragma wal_checkpoint(truncate)`);
    if (bytes !== whole) readSync(file, whole, 0, whole.length, (Number(rootpage) - 1) * whole.length);
    writeSync(file, bytes, 0, bytes.length, (Number(rootpage) - 1) * whole.length);
  };
  overwrite(Buffer.alloc(whole.length, 0xff));
  return { repair: () => overwrite(whole) };
}

type Page = Readonly<Record<string, number>>;

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no space. */
  fill(): void;
  free(): void;
}

/** A disk of its own, which only root can mount. */
export function mountSmallDisk(context: TestContext, megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "memoir-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return context.skip("a small disk cannot be mounted here: that needs root");
  }
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill() {
      for (let size = megabytes * 2 ** 20; size >= 512; size = Math.floor(size / 2)) {
        try {
          writeFileSync(ballast, Buffer.alloc(size), { flag: "a" });
        } catch {
          // What fitted of it was written: smaller pieces fill the rest.
        }
      }
    },
    free: () => rmSync(ballast, { force: true }),
  };
}

export interface Listened {
  readonly log: Log;
  /** How often a write of a run had failed so far. */
  failedWrites(): number;
}

export function listenForFaults(): Listened {
  let count = 0;
  const warn: Log["warn"] = (_, message) => {
    if (message?.includes("a write of a run failed")) count++;
  };
  return { log: { ...silentLog, warn }, failedWrites: () => count };
}
