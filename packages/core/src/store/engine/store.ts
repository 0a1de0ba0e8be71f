/**
 * Opens a database and hands out scopes. SQLite: one writing connection, used by one transaction at a time, and one for
 * reading, so that a list never waits for a commit. PostgreSQL: one pool for both.
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
  /** SQLite only: `full` survives a power cut, `normal` a crash of the program. */
  readonly durability?: Durability;
  /** SQLite only: look and change nothing. */
  readonly readOnly?: boolean;
  readonly poolSize?: number;
  readonly now?: Now;
  /** For what is due at some moment; `now` if only that is given. */
  readonly due?: Now;
  readonly newId?: NewId;
}

/** Enough for fifty writers of one block: each round at least one of them gets through. */
const transactionAttempts = 60;

interface SqliteFiles {
  readonly main: DatabaseSync;
  /** For reading; absent where `main` does both. */
  readonly second: DatabaseSync | undefined;
  readonly checkpointer: Checkpointer | undefined;
}

export class Store {
  readonly flavor: Flavor;
  /** Where the data lives, fit for showing: no password. */
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
    const { createPostgresDialect, explainConnection, openPostgresPool, postgresFlavor } = await import(
      "./dialects/postgres.ts"
    );
    const pool = openPostgresPool(url, poolSize);
    const location = withoutPassword(url);
    try {
      await pool.query("select 1");
    } catch (error) {
      await pool.end();
      throw explainConnection(error, location);
    }
    const db = new Kysely<Tables>({ dialect: createPostgresDialect(pool) });
    return new Store(db, db, location, { ...context, flavor: postgresFlavor }, undefined);
  }

  static #openSqlite(options: StoreOptions, context: Omit<ScopeContext, "flavor">): Store {
    const { database: path, durability = defaultDurability, readOnly = false } = options;
    if (path !== ":memory:" && !readOnly) prepareFile(path);
    // A reading connection cannot remove the WAL it makes; without one beside the file, no process has it open.
    const isImmutable = readOnly && !existsSync(`${path}-wal`);
    const main = openSqliteFile(path, { durability, readOnly, isImmutable });
    // Memory cannot be opened twice, and whoever only reads needs no second connection.
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

  /** For reading one organization's rows as they were last committed. */
  read(orgId: string): Scope {
    return new Scope(this.#reader, orgId, this.#context);
  }

  /**
   * The same over the writing connection, whose pages are at hand right after a commit; it waits for the transaction under
   * way. For the few small reads that stand between a message and its model.
   */
  readWarm(orgId: string): Scope {
    return new Scope(this.#writer, orgId, this.#context);
  }

  /**
   * One transaction over one organization's rows. `work` may await nothing but statements of its scope, and may be
   * called again from the start when it was in conflict with another, or needed something from a thread first.
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

  /** The bare connection, for what belongs to no organization: `system.ts` and nothing else. */
  get unscoped(): Kysely<Tables> {
    return this.#writer;
  }

  /** One transaction over what belongs to no organization: for `system.ts` as well. */
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
    // Kysely leaves a connection open that it never used. The writer closes last: it alone can move the WAL into the file.
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
/** What was there when it was looked up has been deleted since: the next attempt finds it missing and says so. */
const missingReference = "23503";

function isRetryable(error: unknown): boolean {
  if (error instanceof StaleWriteError) return true;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === serializationFailure || code === deadlock || code === missingReference;
}
