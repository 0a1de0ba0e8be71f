/** The databases a server dies on: where they are, how to look into them without it, and whether they are sound. */
import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, types } from "pg";
import type { Query } from "./rows.ts";

export type Database = {
  /** For the server: a path or an address. */
  address: string;
  /** Hands out a query that sees one moment; answers undefined where no migration has been committed yet. */
  look<R>(work: (query: Query) => Promise<R>): Promise<R | undefined>;
  /** What the database itself finds wrong with its data. */
  findDamage(): Promise<string[]>;
  remove(): Promise<void>;
};

/** A file that does not exist yet, or a copy of one that nobody has open. */
export function createSqliteDatabase(original?: string): Database {
  const folder = mkdtempSync(join(tmpdir(), "memoir-crash-"));
  const address = join(folder, "memoir.db");
  if (original) copyFileSync(original, address);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const open = () => new DatabaseSync(address, { readOnly: true, timeout: 5_000 });
  return {
    address,
    async look(work) {
      if (!existsSync(address)) return undefined;
      using database = open();
      const query: Query = async (statement) => database.prepare(statement).all();
      const tables = await query("select name from sqlite_master where type = 'table'");
      if (tables.length === 0) return undefined;
      database.exec("begin");
      return await work(query);
    },
    async findDamage() {
      if (!existsSync(address)) return [];
      using database = open();
      const check = database.prepare("pragma integrity_check").all();
      const orphans = database.prepare("pragma foreign_key_check").all();
      return [...check.filter((row) => row.integrity_check !== "ok"), ...orphans].map((row) => JSON.stringify(row));
    },
    async remove() {
      process.off("exit", remove);
      remove();
    },
  };
}

/** A fresh database on a server whose administrator's address is given. */
export async function createPostgresDatabase(admin: string): Promise<Database> {
  const name = `memoir_crash_${randomBytes(6).toString("hex")}`;
  await withClient(admin, (query) => query(`create database ${name}`));
  const url = new URL(admin);
  url.pathname = `/${name}`;
  const address = url.toString();
  return {
    address,
    look: (work) =>
      withClient(address, async (query) => {
        await waitUntilQuiet(query);
        await query("begin isolation level repeatable read read only");
        const tables = await query("select 1 from information_schema.tables where table_schema = 'public'");
        return tables.length === 0 ? undefined : await work(query);
      }),
    // Pages carry checksums, and looking reads them all.
    findDamage: async () => [],
    remove: async () =>
      void (await withClient(admin, (query) => query(`drop database if exists ${name} with (force)`))),
  };
}

/** What a killed server had asked for last may still be under way. */
async function waitUntilQuiet(query: Query): Promise<void> {
  const busy = `select 1 from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
  while ((await query(busy)).length > 0) await sleep(5);
}

const int8 = 20;
const numbers = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8 ? Number : types.getTypeParser(oid, format),
};

async function withClient<R>(url: string, work: (query: Query) => Promise<R>): Promise<R> {
  const client = new Client({ connectionString: url, types: numbers as typeof types });
  await client.connect();
  try {
    return await work(async (statement) => (await client.query(statement)).rows);
  } finally {
    await client.end();
  }
}
