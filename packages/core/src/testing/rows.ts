/**
 * Rows for every table there is, made from what the database itself says about its tables. Tests of the whole schema
 * use them, also at revisions of which the program keeps no types.
 */
import { sql } from "kysely";
import type { Tables } from "../store/engine/schema.ts";
import type { Store } from "../store/engine/store.ts";

export type ColumnType = "text" | "smallint" | "integer" | "bigint" | "bytes" | "vector";

export interface ColumnFacts {
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
  readonly isKey: boolean;
  /** The database hands out its values. */
  readonly isSequence: boolean;
  readonly references: { readonly table: string; readonly column: string } | undefined;
}

export interface TableFacts {
  readonly name: string;
  readonly columns: readonly ColumnFacts[];
}

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

/** Every table, in an order in which rows can be inserted. Tables and columns that serve only the search by words are left out. */
export async function inspectTables(store: Store): Promise<TableFacts[]> {
  const found = store.flavor.name === "sqlite" ? await inspectSqlite(store) : await inspectPostgres(store);
  const tables = Map.groupBy(found, ({ table }) => table);
  return sortByReference([...tables].map(([name, columns]) => ({ name, columns })));
}

type FoundColumn = ColumnFacts & { readonly table: string };

async function inspectSqlite(store: Store): Promise<FoundColumn[]> {
  const { rows } = await sql<{
    table: string;
    name: string;
    type: string;
    notnull: number;
    pk: number;
    to_table: string | null;
    to_column: string | null;
  }>`
    select t.name as "table", c.name, lower(c.type) as type, c."notnull", c.pk,
      f."table" as to_table, f."to" as to_column
    from pragma_table_list t join pragma_table_info(t.name) c
    left join pragma_foreign_key_list(t.name) f on f."from" = c.name
    where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
    order by t.name, c.cid`.execute(store.unscoped);
  return rows.map((row) => ({
    table: row.table,
    name: row.name,
    type: typeNames[row.type] ?? fail(`${row.table}.${row.name} is a ${row.type}`),
    isNullable: row.notnull === 0 && row.pk === 0,
    isKey: row.pk > 0,
    isSequence: row.type === "integer" && row.pk === 1,
    references: toReference(row),
  }));
}

async function inspectPostgres(store: Store): Promise<FoundColumn[]> {
  const { rows } = await sql<{
    table: string;
    name: string;
    type: string;
    is_nullable: boolean;
    is_key: boolean;
    is_identity: boolean;
    to_table: string | null;
    to_column: string | null;
  }>`
    select t.relname as "table", a.attname as name, y.typname as type, not a.attnotnull as is_nullable,
      a.attidentity <> '' as is_identity, target.relname as to_table, target_column.attname as to_column,
      exists (select from pg_constraint k
        where k.conrelid = t.oid and k.contype = 'p' and a.attnum = any (k.conkey)) as is_key
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    join pg_type y on y.oid = a.atttypid
    left join pg_constraint f on f.conrelid = t.oid and f.contype = 'f' and a.attnum = any (f.conkey)
    left join pg_class target on target.oid = f.confrelid
    left join pg_attribute target_column on target_column.attrelid = f.confrelid
      and target_column.attnum = f.confkey[array_position(f.conkey, a.attnum)]
    where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace
    order by t.relname, a.attnum`.execute(store.unscoped);
  return rows.map((row) => ({
    table: row.table,
    name: row.name,
    type: typeNames[row.type] ?? fail(`${row.table}.${row.name} is a ${row.type}`),
    isNullable: row.is_nullable,
    isKey: row.is_key,
    isSequence: row.is_identity,
    references: toReference(row),
  }));
}

const typeNames: Readonly<Record<string, ColumnType>> = {
  text: "text",
  smallint: "smallint",
  int2: "smallint",
  integer: "integer",
  int4: "integer",
  bigint: "bigint",
  int8: "bigint",
  blob: "bytes",
  bytea: "bytes",
  halfvec: "vector",
};

function toReference(row: { to_table: string | null; to_column: string | null }) {
  return row.to_table === null ? undefined : { table: row.to_table, column: row.to_column ?? "id" };
}

function fail(problem: string): never {
  throw new Error(`testing/rows.ts cannot make this: ${problem}`);
}

function sortByReference(tables: readonly TableFacts[]): TableFacts[] {
  const sorted: TableFacts[] = [];
  const waiting = [...tables];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ name, columns }) =>
      columns.every(
        ({ references }) =>
          !references || references.table === name || sorted.some((table) => table.name === references.table),
      ),
    );
    if (next < 0) fail(`tables name each other in a circle: ${waiting.map(({ name }) => name).join(", ")}`);
    sorted.push(...waiting.splice(next, 1));
  }
  return sorted;
}

/** The tables whose rows belong to organizations; the record of migrations does not. */
export function withoutMigrations(tables: readonly TableFacts[]): TableFacts[] {
  return tables.filter(({ name }) => name !== "memoir_migration");
}

/** One row with a value in every column, the same for the same owner; `made` holds the owner's rows it refers to. */
export function makeRow(table: TableFacts, owner: string, made: ReadonlyMap<string, Row>): Row {
  const entries = table.columns
    .filter(({ isSequence }) => !isSequence)
    .map((column, index): [string, Value] => {
      const { name, references, type } = column;
      if (references?.table === table.name) return [name, null];
      if (references) return [name, made.get(references.table)?.[references.column] ?? fail(`no ${references.table}`)];
      if (name === "id") return [name, table.name === "organization" ? owner : `${table.name}-${owner}`];
      return [name, makeValue(type, `${name} of ${owner}'s "${table.name}": ü 🙂\n`, index)];
    });
  return Object.fromEntries(entries);
}

function makeValue(type: ColumnType, text: string, index: number): Value {
  switch (type) {
    case "text":
      // As JSON, because some columns hold that.
      return JSON.stringify(text);
    case "smallint":
      return 1;
    case "integer":
      return 1_000_000 + index;
    case "bigint":
      return 1_700_000_000_000_000 + index;
    case "bytes":
      return Buffer.from(text);
    case "vector":
      return "[0.5,-2,3]";
  }
}

/** Puts one row of `owner` into every table, past every scope; answers the rows by table. */
export async function populate(store: Store, owner: string): Promise<ReadonlyMap<string, Row>> {
  const made = new Map<string, Row>();
  for (const table of withoutMigrations(await inspectTables(store))) {
    const row = makeRow(table, owner, made);
    await store.unscoped
      .insertInto(table.name as keyof Tables)
      .values(row as never)
      .execute();
    made.set(table.name, row);
  }
  return made;
}

/** All rows of the tables, by table, with the given columns only, in a form that compares. */
export async function readRows(store: Store, tables: readonly TableFacts[]): Promise<Record<string, Row[]>> {
  const read: Record<string, Row[]> = {};
  for (const { name, columns } of tables) {
    const rows = await store.unscoped
      .selectFrom(name as keyof Tables)
      .select(columns.map((column) => sql.ref<Value>(column.name).as(column.name)))
      .execute();
    read[name] = rows.map(comparable).sort((left, right) => compare(JSON.stringify(left), JSON.stringify(right)));
  }
  return read;
}

/** How many rows each table has. */
export async function countAllRows(store: Store): Promise<Record<string, number>> {
  const rows = await readRows(store, await inspectTables(store));
  return Object.fromEntries(Object.entries(rows).map(([table, found]) => [table, found.length]));
}

function comparable(row: object): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? `bytes ${Buffer.from(value).toString("hex")}` : value,
    ]),
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
