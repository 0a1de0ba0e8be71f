/**
 * Kysely over node:sqlite. A connection is one DatabaseSync: statements run on the calling thread (a point read takes
 * about 18 us through the builder), so a transaction holds the connection for a few microtasks and must not await
 * anything else. `busy_timeout` stays 0; locks of other processes are awaited without blocking.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import { MemoirError } from "../../../shared/errors.ts";
import { findText } from "../../../shared/find-runs.ts";
import { normalizeText } from "../../../shared/normalize.ts";
import type { Flavor } from "./flavor.ts";

/** How long a writer waits for another process to release the file. */
const lockTimeoutMs = 10_000;
const statementCacheSize = 500;
const cacheKilobytes = 16_384;

export type Durability = "full" | "normal";
export const defaultDurability = "full" satisfies Durability;

export const sqliteFlavor: Flavor = {
  name: "sqlite",
  bytes: "blob",
  sequence: "integer primary key autoincrement",
  clustered: "without rowid",
  vector: "blob",
  enableVectors: [],
  isInList: (value, list) => sql<boolean>`${value} in (select value from json_each(${JSON.stringify(list)}))`,
  likely: (condition) => sql<boolean>`likely(${condition})`,
  // `like` takes quadratic time on the main thread: 12 s for 20,000 characters in 100,000.
  contains: (text, part) => sql<boolean>`contains(${text}, ${foldCase(part)})`,
  bytewise: (text) => sql<string>`${text}`,
  textIndex: (table, scope, column) => [
    `create virtual table ${table}_text using fts5(scope, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`,
    `insert into ${table}_text(rowid, scope, body)
       select seq, replace(${scope}, '-', ''), ${column} from ${table} where ${column} is not null`,
    `create trigger ${table}_text_insert after insert on ${table} when new.${column} is not null begin
       insert into ${table}_text(rowid, scope, body) values (new.seq, replace(new.${scope}, '-', ''), new.${column}); end`,
    `create trigger ${table}_text_delete after delete on ${table} when old.${column} is not null begin
       delete from ${table}_text where rowid = old.seq; end`,
    `create trigger ${table}_text_update after update of ${column}, ${scope} on ${table} begin
       delete from ${table}_text where rowid = old.seq;
       insert into ${table}_text(rowid, scope, body)
         select new.seq, replace(new.${scope}, '-', ''), new.${column} where new.${column} is not null; end`,
  ],
  matchText: (table, owner, words) => {
    const index = sql.ref(`${table}_text`);
    const phrases = words.map((word) => `"${word.replaceAll('"', " ")}"`);
    const within = owner === undefined ? "" : `scope : "${owner.replaceAll("-", "")}" AND `;
    const expression = `${within}body : (${phrases.join(" OR ")})`;
    return {
      index: { table: `${table}_text`, seq: "rowid" },
      matches: sql<boolean>`${index} match ${expression}`,
      // The owner column restricts the search and must not affect the rank.
      rank: sql<number>`-bm25(${index}, 0.0, 1.0)`,
    };
  },
};

export interface SqliteFileOptions {
  readonly durability: Durability;
  readonly readOnly?: boolean;
  /** Requires that no process writes: takes no locks and leaves no WAL behind. */
  readonly isImmutable?: boolean;
}

export function openSqliteFile(path: string, options: SqliteFileOptions): DatabaseSync {
  const address = options.isImmutable ? new URL(`${pathToFileURL(path)}?immutable=1`) : path;
  const database = new DatabaseSync(address, {
    readOnly: options.readOnly ?? false,
    enableForeignKeyConstraints: true,
    timeout: lockTimeoutMs,
  });
  if (!options.readOnly) {
    setJournal(database);
    database.exec(`pragma synchronous = ${options.durability}`);
  }
  database.exec("pragma temp_store = memory");
  database.exec(`pragma cache_size = -${cacheKilobytes}`);
  database.exec("pragma busy_timeout = 0");
  database.function("contains", { deterministic: true }, (text, part) =>
    text === null ? null : Number(findText(foldCase(String(text)), String(part)) >= 0),
  );
  return database;
}

function foldCase(text: string): string {
  return normalizeText(text, "NFC").toLowerCase();
}

/**
 * Processes that open a new file concurrently all set its journal mode; SQLite then fails at once with a potential
 * deadlock, regardless of the timeout.
 */
function setJournal(database: DatabaseSync): void {
  const giveUpAt = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      database.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 * Math.random());
    }
  }
}

export class NodeSqliteDialect implements Dialect {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#database);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter();
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

/** One connection with a first-in, first-out queue of users. */
class NodeSqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: NodeSqliteConnection;
  #held = false;
  readonly #waiting: Array<() => void> = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#connection = new NodeSqliteConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#held = true;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#held = false;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(): Promise<void> {
    // A failed commit or a full disk may have rolled back already.
    if (this.#database.isTransaction) this.#database.exec("rollback");
  }

  async destroy(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }
}

interface CachedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = query.parameters as SQLInputValue[];
    const giveUpAt = performance.now() + lockTimeoutMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        return this.#run<R>(query.sql, parameters);
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() > giveUpAt) {
          throw new MemoirError("unavailable", "another process holds the database file; close it and try again", {
            cause: error,
          });
        }
        await sleep(pause);
      }
    }
  }

  // biome-ignore lint/correctness/useYield: required by the interface, refused on purpose
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("rows are not streamed from SQLite: page with a cursor");
  }

  #run<R>(text: string, parameters: SQLInputValue[]): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(text);
    if (returnsRows) return { rows: statement.all(...parameters) as R[] };
    const { changes } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  #prepare(text: string): CachedStatement {
    const cached = this.#statements.get(text);
    if (cached) return cached;
    const statement = this.#database.prepare(text);
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#statements.size >= statementCacheSize) {
      const oldest = this.#statements.keys().next();
      if (!oldest.done) this.#statements.delete(oldest.value);
    }
    this.#statements.set(text, entry);
    return entry;
  }
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy;
}
