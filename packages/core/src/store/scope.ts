/**
 * A scope is a connection or transaction together with whose rows it may touch. Every query function takes one, and a
 * table with organization data can be reached in no other way: the builders below add the organization to each
 * statement, and the bare connection stays in here.
 */
import {
  type DeleteQueryBuilder,
  type DeleteResult,
  type Insertable,
  type InsertQueryBuilder,
  type InsertResult,
  type Kysely,
  type SelectQueryBuilder,
  sql,
  type UpdateQueryBuilder,
  type UpdateResult,
} from "kysely";
import type { Now } from "../clock.ts";
import type { NewId } from "../ids.ts";
import type { Flavor } from "./dialects/flavor.ts";
import type { OrgTable, Tables } from "./schema.ts";

export interface ScopeContext {
  readonly flavor: Flavor;
  readonly now: Now;
  readonly newId: NewId;
}

/** A row to insert; the scope supplies the organization. */
export type NewRow<T extends OrgTable> = Omit<Insertable<Tables[T]>, "org_id">;

/** Under PostgreSQL's limit of 65,535 parameters a statement and SQLite's of 32,766, for the widest table. */
const rowsPerInsert = 500;

export class Scope {
  readonly orgId: string;
  readonly flavor: Flavor;
  readonly now: Now;
  readonly newId: NewId;
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>, orgId: string, context: ScopeContext) {
    this.#db = db;
    this.orgId = orgId;
    this.flavor = context.flavor;
    this.now = context.now;
    this.newId = context.newId;
  }

  select<T extends OrgTable>(table: T): SelectQueryBuilder<Tables, T, object> {
    const query = this.#db.selectFrom(table as OrgTable).where(sql.ref(`${table}.org_id`), "=", this.orgId);
    return query as unknown as SelectQueryBuilder<Tables, T, object>;
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

  /** Inserts any number of rows, none included. */
  async insertAll<T extends OrgTable>(table: T, rows: readonly NewRow<T>[]): Promise<void> {
    for (let start = 0; start < rows.length; start += rowsPerInsert) {
      await this.insert(table, rows.slice(start, start + rowsPerInsert)).execute();
    }
  }
}
