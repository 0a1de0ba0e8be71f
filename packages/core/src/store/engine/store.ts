/**
 * Opens a database and creates scopes. SQLite has one writing connection, used by one transaction at a time, and one
 * for reading, so that a list never waits for a commit; PostgreSQL has one pool for both.
 */
import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import { createClock, createDueClock, type Now } from "../../shared/clock.ts";
import { type NewId, newId } from "../../shared/ids.ts";
import { withThreads } from "../../threads/threads.ts";
import { Checkpointer } from "./checkpointer.ts";
import { isPostgresUrl, resolveDatabase, withoutPassword } from "./database-address.ts";
import type { Flavor } from "./dialects/flavor.ts";
import {
  type Durability,
  defaultDurability,
  NodeSqliteDialect,
  openSqliteFile,
  sqliteFlavor,
} from "./dialects/node-sqlite.ts";
import { StaleWriteError } from "./entity.ts";
import { GroupCommit } from "./group-commit.ts";
import { type MigrationReport, migrate } from "./migrate.ts";
import { prepareFile } from "./prepare-file.ts";
import type { Tables } from "./schema.ts";
import { Scope, type ScopeContext } from "./scope.ts";
import { StatementCache } from "./statement-cache.ts";

export interface StoreOptions {
  /** A file path, `:memory:`, or a `postgres://` address. */
  readonly database: string;
  /** SQLite only: `full` survives a power cut, `normal` a crash of the process. */
  readonly durability?: Durability;
  /** SQLite only: opens the file without changing it. */
  readonly readOnly?: boolean;
  readonly poolSize?: number;
  readonly now?: Now;
  /** Clock for due times; defaults to `now`. */
  readonly due?: Now;
  readonly newId?: NewId;
}

/** Enough for fifty concurrent writers of one block, since each round at least one succeeds. */
const transactionAttempts = 60;

interface SqliteFiles {
  readonly main: DatabaseSync;
  /** For reading; undefined if `main` does both. */
  readonly second: DatabaseSync | undefined;
  readonly checkpointer: Checkpointer | undefined;
}

export class Store {
  readonly flavor: Flavor;
  /** The database for display, without password. */
  readonly location: string;
  readonly #writer: Kysely<Tables>;
  readonly #reader: Kysely<Tables>;
  readonly #context: ScopeContext;
  readonly #groupCommit: GroupCommit | undefined;
  readonly #files: SqliteFiles | undefined;

  private constructor(
    writer: Kysely<Tables>,
    reader: Kysely<Tables>,
    location: string,
    context: ScopeContext,
    files: SqliteFiles | undefined,
  ) {
    this.#files = files;
    this.#writer = writer;
    this.#reader = reader;
    this.flavor = context.flavor;
    this.location = location;
    this.#context = context;
    this.#groupCommit = files && new GroupCommit(writer, () => files.checkpointer?.noteCommit());
  }

  static async open(options: StoreOptions): Promise<Store> {
    const context = {
      now: options.now ?? createClock(),
      due: options.due ?? options.now ?? createDueClock(),
      newId: options.newId ?? newId,
      inserts: new StatementCache(),
    };
    const database = resolveDatabase(options.database);
    return isPostgresUrl(database)
      ? await Store.#openPostgres(database, options.poolSize ?? 10, context)
      : Store.#openSqlite({ ...options, database }, context);
  }

  static async #openPostgres(url: string, poolSize: number, context: Omit<ScopeContext, "flavor">): Promise<Store> {
    const { createPostgresDialect, describeConnectionError, openPostgresPool, postgresFlavor } = await import(
      "./dialects/postgres.ts"
    );
    const pool = openPostgresPool(url, poolSize);
    const location = withoutPassword(url);
    try {
      await pool.query("select 1");
    } catch (error) {
      await pool.end();
      throw describeConnectionError(error, location);
    }
    const db = new Kysely<Tables>({ dialect: createPostgresDialect(pool) });
    return new Store(db, db, location, { ...context, flavor: postgresFlavor }, undefined);
  }

  static #openSqlite(options: StoreOptions, context: Omit<ScopeContext, "flavor">): Store {
    const { database: path, durability = defaultDurability, readOnly = false } = options;
    if (path !== ":memory:" && !readOnly) prepareFile(path);
    // A read-only connection cannot remove a WAL it creates; without a WAL beside the file, no process has it open.
    const isImmutable = readOnly && !existsSync(`${path}-wal`);
    const main = openSqliteFile(path, { durability, readOnly, isImmutable });
    // An in-memory database cannot be opened twice, and read-only use needs no second connection.
    const isSingle = path === ":memory:" || readOnly;
    const second = isSingle ? undefined : openSqliteFile(path, { durability, readOnly: true });
    const writer = new Kysely<Tables>({ dialect: new NodeSqliteDialect(main) });
    const reader = second ? new Kysely<Tables>({ dialect: new NodeSqliteDialect(second) }) : writer;
    const checkpointer = isSingle ? undefined : new Checkpointer(path, main);
    return new Store(writer, reader, path, { ...context, flavor: sqliteFlavor }, { main, second, checkpointer });
  }

  async migrate(): Promise<MigrationReport> {
    return await migrate(this.#writer, this.flavor, this.#context.now);
  }

  /** Reads committed rows of one organization. */
  read(orgId: string): Scope {
    return new Scope(this.#reader, orgId, this.#context);
  }

  /**
   * Reads over the writing connection, whose page cache is warm right after a commit, but waits for the current
   * transaction; for the few small reads between a message and its model call.
   */
  readWarm(orgId: string): Scope {
    return new Scope(this.#writer, orgId, this.#context);
  }

  /**
   * Runs one transaction on the rows of one organization. `work` must await only statements of its scope, and runs
   * again from the start after a conflict or a ThreadNeeded.
   */
  async write<R>(orgId: string, work: (scope: Scope) => Promise<R>): Promise<R> {
    return await withThreads(orgId, () => this.#writeOnce(orgId, work));
  }

  async #writeOnce<R>(orgId: string, work: (scope: Scope) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transact((db) => work(new Scope(db, orgId, this.#context)));
      } catch (error) {
        if (attempt >= transactionAttempts || !isRetryable(error)) throw error;
        await sleep(Math.min(attempt, 10) * 4 * Math.random());
      }
    }
  }

  async #transact<R>(work: (db: Kysely<Tables>) => Promise<R>): Promise<R> {
    return await (this.#groupCommit?.run(work) ?? this.#writer.transaction().execute(work));
  }

  /** The raw connection, for `system.ts` only. */
  get unscoped(): Kysely<Tables> {
    return this.#writer;
  }

  /** A transaction without an organization, for `system.ts` only. */
  async writeUnscoped<R>(work: (db: Kysely<Tables>) => Promise<R>): Promise<R> {
    return await this.#transact(work);
  }

  get now(): Now {
    return this.#context.now;
  }

  get due(): Now {
    return this.#context.due;
  }

  get newId(): NewId {
    return this.#context.newId;
  }

  async close(): Promise<void> {
    await this.#groupCommit?.settle();
    await this.#files?.checkpointer?.close();
    if (this.#reader !== this.#writer) await this.#reader.destroy();
    // Kysely does not close a connection that it never used. The writer closes last, because only it can move the WAL
    // into the file.
    closeIfOpen(this.#files?.second);
    await this.#writer.destroy();
    closeIfOpen(this.#files?.main);
  }
}

function closeIfOpen(connection: DatabaseSync | undefined): void {
  if (connection?.isOpen) connection.close();
}

const serializationFailure = "40001";
const deadlock = "40P01";
/** A referenced row was deleted since it was read: the next attempt reports it as missing. */
const missingReference = "23503";

function isRetryable(error: unknown): boolean {
  if (error instanceof StaleWriteError) return true;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === serializationFailure || code === deadlock || code === missingReference;
}
