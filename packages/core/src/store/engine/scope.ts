/**
 * A scope is a connection or transaction bound to one organization. Every query function takes one; its builders add
 * the organization to each statement, and the raw connection stays private, so that no query can reach rows of another
 * organization.
 */
import {
  type CompiledQuery,
  type DeleteQueryBuilder,
  type DeleteResult,
  type Insertable,
  type InsertQueryBuilder,
  type InsertResult,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type UpdateQueryBuilder,
  type UpdateResult,
} from "kysely";
import type { Now } from "../../shared/clock.ts";
import type { NewId } from "../../shared/ids.ts";
import type { Flavor, TextTable } from "./dialects/flavor.ts";
import type { OrgTable, Tables } from "./schema.ts";
import type { StatementCache } from "./statement-cache.ts";

export interface ScopeContext {
  readonly flavor: Flavor;
  readonly now: Now;
  /** Clock for due times. */
  readonly due: Now;
  readonly newId: NewId;
  /** Compiled inserts by table, number of rows and columns. */
  readonly inserts: StatementCache;
}

/** A row to insert, without the organization. */
export type NewRow<T extends OrgTable> = Omit<Insertable<Tables[T]>, "org_id">;

/** Below PostgreSQL's limit of 65,535 parameters per statement and SQLite's of 32,766, for the widest table. */
const rowsPerInsert = 500;

/** Insert statements for up to this many rows are cached. */
const maxCachedRows = 4;

export interface TextMatches<T extends TextTable> {
  readonly query: SelectQueryBuilder<Tables, T, object>;
  /** Higher is better. */
  readonly rank: RawBuilder<number>;
}

/** Placeholder for the organization in prepared statements. */
const orgPlaceholder = "\u0000organization";

export class Scope {
  readonly orgId: string;
  readonly flavor: Flavor;
  readonly now: Now;
  /** The clock for `expires_at` and `due_at`. */
  readonly due: Now;
  readonly newId: NewId;
  readonly inserts: StatementCache;
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>, orgId: string, context: ScopeContext) {
    this.#db = db;
    this.orgId = orgId;
    this.flavor = context.flavor;
    this.now = context.now;
    this.due = context.due;
    this.newId = context.newId;
    this.inserts = context.inserts;
  }

  select<T extends OrgTable>(table: T): SelectQueryBuilder<Tables, T, object> {
    const query = this.#db.selectFrom(table as OrgTable).where(this.#isOwn(table));
    return query as unknown as SelectQueryBuilder<Tables, T, object>;
  }

  /**
   * Marked as unselective, because most files hold one organization and SQLite would otherwise read all its rows
   * instead of those of an agent.
   */
  #isOwn(table: OrgTable): RawBuilder<boolean> {
    return this.flavor.likely(sql<boolean>`${sql.ref(`${table}.org_id`)} = ${this.orgId}`);
  }

  /**
   * Full-text matches with their rank, of one owner or of the whole organization. The index has no organization column,
   * so it is only reachable here, joined with its table.
   */
  selectMatches<T extends TextTable>(table: T, owner: string | undefined, words: readonly string[]): TextMatches<T> {
    const { index, matches, rank } = this.flavor.matchText(table, owner, words);
    const tables = index ? [sql.table(index.table).as(index.table), table] : [table];
    let query = this.#db
      .selectFrom(tables as unknown as ["message"])
      .where(this.#isOwn(table))
      .where(matches);
    if (index) query = query.where(sql.ref(`${table}.seq`), "=", sql.ref(`${index.table}.${index.seq}`));
    return { query: query as unknown as TextMatches<T>["query"], rank };
  }

  update<T extends OrgTable>(table: T): UpdateQueryBuilder<Tables, T, T, UpdateResult> {
    const query = this.#db.updateTable(table as "block").where(sql.ref("org_id"), "=", this.orgId);
    return query as unknown as UpdateQueryBuilder<Tables, T, T, UpdateResult>;
  }

  delete<T extends OrgTable>(table: T): DeleteQueryBuilder<Tables, T, DeleteResult> {
    const query = this.#db.deleteFrom(table as "block").where(sql.ref("org_id"), "=", this.orgId);
    return query as unknown as DeleteQueryBuilder<Tables, T, DeleteResult>;
  }

  insert<T extends OrgTable>(
    table: T,
    row: NewRow<T> | readonly NewRow<T>[],
  ): InsertQueryBuilder<Tables, T, InsertResult> {
    const rows = (Array.isArray(row) ? row : [row]).map((values) => ({ ...values, org_id: this.orgId }));
    const query = this.#db.insertInto(table as "block").values(rows as never);
    return query as unknown as InsertQueryBuilder<Tables, T, InsertResult>;
  }

  /** Inserts any number of rows, including none. */
  async insertAll<T extends OrgTable>(table: T, rows: readonly NewRow<T>[]): Promise<void> {
    for (let start = 0; start < rows.length; start += rowsPerInsert) {
      const some = rows.slice(start, start + rowsPerInsert);
      await (some.length <= maxCachedRows ? this.#insertFew(table, some) : this.insert(table, some).execute());
    }
  }

  /** Most inserts have few rows and the same columns, so their statements are cached. */
  async #insertFew<T extends OrgTable>(table: T, rows: readonly NewRow<T>[]): Promise<void> {
    const columns = rows.map((row) => Object.keys(row).join());
    const key = `${table} ${rows.length} ${columns[0]}`;
    const parameters = rows.flatMap((row) => [...Object.values(row), this.orgId]);
    const isUsual = columns.every((each) => each === columns[0]) && parameters.every(isPlain);
    const known = isUsual ? this.inserts.get(key) : undefined;
    const query = known ?? this.insert(table, rows).compile();
    if (isUsual && !known) this.inserts.set(key, query);
    await this.#db.executeQuery(known ? { ...known, parameters } : query);
  }

  /** A scope for building prepared statements for any organization. */
  template(): Scope {
    return new Scope(this.#db, orgPlaceholder, this);
  }

  /** Runs a statement built over a template, with `values` for its parameters; the organization's slots are filled here. */
  async runPrepared<R>(statement: CompiledQuery<R>, values: readonly unknown[]): Promise<R[]> {
    if (!statement.parameters.includes(orgPlaceholder))
      throw new Error(`a statement of no organization: ${statement.sql}`);
    const parameters = statement.parameters.map((slot, index) =>
      slot === orgPlaceholder ? this.orgId : values[index],
    );
    return (await this.#db.executeQuery<R>({ ...statement, parameters })).rows;
  }

  /** Rolls back the writes of `work` if it fails, and keeps the rest of the transaction. */
  async nested<R>(work: () => Promise<R>): Promise<R> {
    await sql`savepoint nested`.execute(this.#db);
    try {
      const value = await work();
      await sql`release savepoint nested`.execute(this.#db);
      return value;
    } catch (error) {
      await sql`rollback to savepoint nested`.execute(this.#db);
      // Otherwise an outer savepoint of the same name would only roll back to here.
      await sql`release savepoint nested`.execute(this.#db);
      throw error;
    }
  }
}

const plainTypes = new Set(["string", "number", "bigint", "boolean"]);

/** Expressions become part of the statement, and undefined columns are omitted, so neither fits a cached statement. */
function isPlain(value: unknown): boolean {
  return value === null || plainTypes.has(typeof value) || value instanceof Uint8Array;
}
