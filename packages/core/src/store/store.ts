/**
 * Opens a database and hands out scopes. SQLite: one writing connection, used by one transaction at a time, and one for
 * reading, so that a list never waits for a commit. PostgreSQL: one pool for both.
 */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import { createClock, type Now } from "../clock.ts";
import { MemoirError } from "../errors.ts";
import { type NewId, newId } from "../ids.ts";
import type { Flavor } from "./dialects/flavor.ts";
import { type Durability, NodeSqliteDialect, openSqliteFile, sqliteFlavor } from "./dialects/node-sqlite.ts";
import { StaleWriteError } from "./entity.ts";
import { type MigrationReport, migrate } from "./migrate.ts";
import type { Tables } from "./schema.ts";
import { Scope, type ScopeContext } from "./scope.ts";

export interface StoreOptions {
  /** A file path, `:memory:`, or a `postgres://` address. */
  readonly database: string;
  /** SQLite only: `full` survives a power cut, `normal` a crash of the program. */
  readonly durability?: Durability;
  readonly poolSize?: number;
  readonly now?: Now;
  readonly newId?: NewId;
}

/** Enough for fifty writers of one block: each round at least one of them gets through. */
const transactionAttempts = 60;

export class Store {
  readonly flavor: Flavor;
  /** Where the data lives, fit for showing: no password. */
  readonly location: string;
  readonly #writer: Kysely<Tables>;
  readonly #reader: Kysely<Tables>;
  readonly #context: ScopeContext;

  private constructor(writer: Kysely<Tables>, reader: Kysely<Tables>, location: string, context: ScopeContext) {
    this.#writer = writer;
    this.#reader = reader;
    this.flavor = context.flavor;
    this.location = location;
    this.#context = context;
  }

  static async open(options: StoreOptions): Promise<Store> {
    const times = { now: options.now ?? createClock(), newId: options.newId ?? newId };
    return isPostgresUrl(options.database)
      ? await Store.#openPostgres(options.database, options.poolSize ?? 10, times)
      : Store.#openSqlite(options.database, options.durability ?? "full", times);
  }

  static async #openPostgres(url: string, poolSize: number, times: Omit<ScopeContext, "flavor">): Promise<Store> {
    const { createPostgresDialect, openPostgresPool, postgresFlavor } = await import("./dialects/postgres.ts");
    const db = new Kysely<Tables>({ dialect: createPostgresDialect(openPostgresPool(url, poolSize)) });
    return new Store(db, db, withoutPassword(url), { ...times, flavor: postgresFlavor });
  }

  static #openSqlite(path: string, durability: Durability, times: Omit<ScopeContext, "flavor">): Store {
    if (path !== ":memory:") prepareFolder(path);
    const writer = new Kysely<Tables>({ dialect: new NodeSqliteDialect(openSqliteFile(path, { durability })) });
    const reader =
      path === ":memory:"
        ? writer
        : new Kysely<Tables>({ dialect: new NodeSqliteDialect(openSqliteFile(path, { durability, readOnly: true })) });
    return new Store(writer, reader, path, { ...times, flavor: sqliteFlavor });
  }

  async migrate(): Promise<MigrationReport> {
    return await migrate(this.#writer, this.flavor, this.#context.now);
  }

  /** For reading one organization's rows as they were last committed. */
  read(orgId: string): Scope {
    return new Scope(this.#reader, orgId, this.#context);
  }

  /**
   * One transaction over one organization's rows. `work` may await nothing but statements of its scope, and may be
   * called again from the start when it was in conflict with another.
   */
  async write<R>(orgId: string, work: (scope: Scope) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writer
          .transaction()
          .execute((transaction) => work(new Scope(transaction, orgId, this.#context)));
      } catch (error) {
        if (attempt >= transactionAttempts || !isRetryable(error)) throw error;
        await sleep(Math.min(attempt, 10) * 4 * Math.random());
      }
    }
  }

  /** The bare connection, for what belongs to no organization: `system.ts` and nothing else. */
  get unscoped(): Kysely<Tables> {
    return this.#writer;
  }

  get now(): Now {
    return this.#context.now;
  }

  async close(): Promise<void> {
    if (this.#reader !== this.#writer) await this.#reader.destroy();
    await this.#writer.destroy();
  }
}

export function isPostgresUrl(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  if (parsed.password) parsed.password = "***";
  return parsed.toString();
}

function prepareFolder(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(existsSync(path) ? path : folder, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new MemoirError(
      "unavailable",
      `cannot write to ${existsSync(path) ? path : folder}: choose another place with --database or MEMOIR_DATABASE, or change its permissions.`,
      { cause: error },
    );
  }
}

const serializationFailure = "40001";
const deadlock = "40P01";

function isRetryable(error: unknown): boolean {
  if (error instanceof StaleWriteError) return true;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === serializationFailure || code === deadlock;
}
