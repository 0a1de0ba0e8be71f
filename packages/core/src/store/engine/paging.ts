/**
 * Cursor pagination. Rows sort by one column and then by id, both in the same direction, so that equal timestamps lose
 * nothing.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import { columnName, type Entity } from "./entity.ts";
import type { OrgTable, Tables } from "./schema.ts";
import type { Scope } from "./scope.ts";

export interface PageRequest {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Only rows after this one in the requested order. */
  readonly after?: string;
  /** Only rows before this one in the requested order. */
  readonly before?: string;
}

export interface PageOptions {
  /** A column or an expression. */
  readonly orderBy?: string | RawBuilder<number | null>;
  /** Rows with null in `orderBy` come last in either order. */
  readonly isNullable?: boolean;
  readonly unknownCursor?: "fail" | "ignore";
}

type Query<T extends OrgTable> = SelectQueryBuilder<Tables, T, object>;

export async function listPage<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  query: Query<T>,
  page: PageRequest,
  options: PageOptions = {},
): Promise<E[]> {
  const key = sortKey(entity.table, page.order, options);
  const id = sql.ref(`${entity.table}.id`);
  const isDescending = page.order === "desc";
  let paged = query.select(entity.codec.columns.map((column) => sql.ref(column).as(columnName(column))));
  for (const [cursor, isAfter] of [
    [page.after, true],
    [page.before, false],
  ] as const) {
    if (cursor === undefined) continue;
    const position = await findPosition(scope, entity, cursor, key);
    if (!position && options.unknownCursor === "ignore") continue;
    if (!position) throw notFound(entity.name, cursor);
    const comparison = isAfter === isDescending ? sql`<` : sql`>`;
    paged = paged.where(sql<boolean>`(${key}, ${id}) ${comparison} (${position.key}, ${position.id})`);
  }
  const direction = isDescending ? "desc" : "asc";
  const rows = await paged.orderBy(key, direction).orderBy(id, direction).limit(page.limit).execute();
  return rows.map((row) => entity.codec.decode(row));
}

/** Later than any timestamp, below 2^53. */
const maxTimestamp = 9_000_000_000_000_000;

function sortKey(table: string, order: "asc" | "desc", options: PageOptions) {
  const { orderBy = "created_at" } = options;
  const column = typeof orderBy === "string" ? sql.ref<number>(`${table}.${orderBy}`) : (orderBy as RawBuilder<number>);
  if (!options.isNullable) return column;
  return sql<number>`coalesce(${column}, ${sql.lit(order === "asc" ? maxTimestamp : -1)})`;
}

async function findPosition<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  cursor: string,
  key: ReturnType<typeof sortKey>,
): Promise<{ key: number; id: string } | undefined> {
  return await scope
    .select(entity.table)
    .select([key.as("key"), sql.ref<string>(`${entity.table}.id`).as("id")])
    .where(sql.ref(`${entity.table}.id`), "=", cursor)
    .executeTakeFirst();
}

export async function countRows<T extends OrgTable>(query: Query<T>): Promise<number> {
  const { count } = await query.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
  return Number(count);
}
