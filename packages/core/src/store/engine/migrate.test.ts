import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sql } from "kysely";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { Memoir } from "../../memoir.ts";
import { examineDatabase } from "../../services/offline/inspect-database.ts";
import { MemoirError } from "../../shared/errors.ts";
import { version } from "../../shared/version.ts";
import { createDatabase, type DialectName, dialects, testEncryptionKey } from "../../testing/databases.ts";
import { inspectTables, populate, type Row, readRows } from "../../testing/rows.ts";
import { type MigrationReport, migrate } from "./migrate.ts";
import { migrations } from "./migrations/list.ts";
import type { Migration } from "./migrations/migration.ts";
import { Store } from "./store.ts";

const names = migrations.map(({ name }) => name);
const head = names.at(-1);
const revisions = dialects.flatMap((dialect) => names.map((_, revision) => ({ dialect, revision })));

test("migrations are numbered from 1 without gaps, each in a file of its name", () => {
  for (const [index, name] of names.entries()) {
    expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, "0")}(_[a-z0-9]+)+$`));
  }
  const files = readdirSync(join(import.meta.dirname, "migrations")).filter((file) => /^\d/.test(file));
  expect(files.sort()).toEqual(names.map((name) => `${name}.ts`));
});

test.for(dialects)("%s: a fresh database gets every migration, and the next start none", async (dialect, context) => {
  const { store } = await openEmpty(dialect, context);
  expect(await store.migrate()).toEqual({ applied: names, revision: head });
  const before = await describeDatabase(store);
  expect(before.rows.memoir_migration?.map(({ name, program }) => [name, program])).toEqual(
    names.map((name) => [name, version]),
  );
  expect(await store.migrate()).toEqual({ applied: [], revision: head });
  expect(await describeDatabase(store)).toEqual(before);
});

test.for(revisions)(
  "$dialect: a full database at revision $revision keeps every row on its way to today's",
  async ({ dialect, revision }, context) => {
    const { store } = await openEmpty(dialect, context);
    await migrateWith(store, migrations.slice(0, revision));
    if (revision > 0) for (const owner of ["a", "b"]) await populate(store, owner);
    const tables = (await inspectTables(store)).filter(({ name }) => name !== "memoir_migration");
    const before = await readRows(store, tables);
    expect((await store.migrate()).applied).toEqual(names.slice(revision));
    const after = await readRows(store, tables);
    for (const { name } of tables) {
      expect(after[name], name).toHaveLength(2);
      expect(after[name], name).toEqual(before[name]);
    }
    // What was written before the search by words existed is found by it.
    for (const table of ["message", "passage"] as const) {
      expect(await countFound(store, table, table), table).toBe(after[table]?.length ?? 0);
      await store.unscoped.deleteFrom(table).execute();
      expect(await countFound(store, table, table), table).toBe(0);
    }
  },
);

test.for(dialects)(
  "%s: keys for one agent that exist already may not override, others may",
  async (dialect, context) => {
    const { store } = await openEmpty(dialect, context);
    await migrateWith(store, migrations.slice(0, names.indexOf("0016_key_overrides")));
    for (const owner of ["a", "b"]) await populate(store, owner);
    const [first] = await store.unscoped.selectFrom("api_key").select("id").execute();
    await store.unscoped
      .updateTable("api_key")
      .set({ agent_id: null })
      .where("id", "=", first?.id ?? "")
      .execute();
    await store.migrate();
    const keys = await store.unscoped.selectFrom("api_key").select(["agent_id", "may_override"]).execute();
    expect(keys.map((key) => [key.agent_id === null, key.may_override]).sort()).toEqual([
      [false, 0],
      [true, 1],
    ]);
  },
);

const spoiling: Migration = {
  name: `${String(names.length + 1).padStart(4, "0")}_spoiling`,
  statements: () => [
    "create table extra (id text primary key)",
    "insert into extra values ('half done')",
    "alter table block add column extra text",
    "create index extra_index on block (extra)",
    "update block set value = 'spoiled'",
    "delete from agent_tag",
    "drop table outbox",
    "alter table agent add column of_no_type_at_all references nothing(",
  ],
};

test.for(dialects)("%s: a failing migration leaves a full database as it was", async (dialect, context) => {
  const { store } = await openEmpty(dialect, context);
  await store.migrate();
  await populate(store, "a");
  const before = await describeDatabase(store);
  const error = await refusal(migrateWith(store, [...migrations, spoiling]));
  expect(error.code).toBe("unavailable");
  expect(error.message).toContain(`migration ${spoiling.name} failed, nothing was changed:`);
  expect(await describeDatabase(store)).toEqual(before);
  expect(await store.migrate()).toEqual({ applied: [], revision: head });
});

test.for(dialects)("%s: good migrations before a failing one are undone with it", async (dialect, context) => {
  const { store } = await openEmpty(dialect, context);
  await migrateWith(store, migrations.slice(0, 2));
  await populate(store, "a");
  const before = await describeDatabase(store);
  await refusal(migrateWith(store, [...migrations, spoiling]));
  expect(await describeDatabase(store)).toEqual(before);
  expect((await store.migrate()).applied).toEqual(names.slice(2));
});

test.for(dialects)("%s: a failing migration leaves an empty database empty", async (dialect, context) => {
  const { store } = await openEmpty(dialect, context);
  const before = await describeDatabase(store);
  await refusal(migrateWith(store, [...migrations, spoiling]));
  expect(await describeDatabase(store)).toEqual(before);
  expect(await inspectTables(store)).toEqual([]);
});

test.for(dialects)(
  "%s: a database made by a newer Memoir is refused, and says what to do",
  async (dialect, context) => {
    const { store, database } = await openEmpty(dialect, context);
    const newer: Migration = { name: "9999_newer", statements: () => ["create table newer (id text primary key)"] };
    await migrateWith(store, [...migrations, newer]);
    await populate(store, "a");
    await store.unscoped.updateTable("memoir_migration").set({ program: "9.8.7" }).execute();
    const before = await describeDatabase(store);
    const memoir = new Memoir({ database, encryptionKey: testEncryptionKey });
    for (const attempt of [() => store.migrate(), () => memoir.start(), () => examineDatabase({ database })]) {
      const error = await refusal(attempt());
      expect(error.code).toBe("database-newer");
      expect(error.message).toContain("Memoir 9.8.7");
      expect(error.message).toContain(`newer than this one (${version})`);
      expect(error.message).toContain("9999_newer");
      expect(error.message).toContain("Start that version, or restore a backup");
    }
    expect(await describeDatabase(store)).toEqual(before);
  },
);

test.for(dialects)("%s: a recorded migration that reads differently today is refused", async (dialect, context) => {
  const { store } = await openEmpty(dialect, context);
  const [first, ...rest] = migrations;
  const other: Migration = {
    name: first?.name ?? "",
    statements: (flavor) => [...(first?.statements(flavor) ?? []), "create table other (id text primary key)"],
  };
  await migrateWith(store, [other, ...rest]);
  const before = await describeDatabase(store);
  const error = await refusal(store.migrate());
  expect(error.code).toBe("database-changed");
  expect(error.message).toContain(`the migration ${first?.name} recorded in this database differs`);
  expect(error.message).toContain("Use the version that made the database, or restore a backup");
  expect(await describeDatabase(store)).toEqual(before);
});

test.for(dialects)("%s: ten connections that migrate at once migrate once", async (dialect, context) => {
  const { database } = await openEmpty(dialect, context);
  const stores = await Promise.all(Array.from({ length: 10 }, () => open(database)));
  expect(sortReports(await Promise.all(stores.map((store) => store.migrate())))).toEqual([
    names,
    ...Array.from({ length: 9 }, () => []),
  ]);
});

test.for(dialects)("%s: five programs that open a new database at once migrate once", async (dialect, context) => {
  const database = await createDatabase(dialect, context);
  const script = `
    import { once } from "node:events";
    import { Store } from ${JSON.stringify(import.meta.resolve("./store.ts"))};
    console.log("ready");
    await once(process.stdin, "data");
    const store = await Store.open({ database: process.env.DATABASE });
    console.log(JSON.stringify(await store.migrate()));
    await store.close();
    process.exit();`;
  const programs = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ["--input-type=module", "--no-warnings", "-e", script], {
      env: { ...process.env, DATABASE: database },
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  onTestFinished(() => {
    for (const program of programs) program.kill("SIGKILL");
  });
  const lines = programs.map((program) => createInterface(program.stdout)[Symbol.asyncIterator]());
  await Promise.all(lines.map((line) => line.next()));
  for (const program of programs) program.stdin.write("go\n");
  const answers = await Promise.all(lines.map((line) => line.next()));
  const reports = answers.map(({ value }) => JSON.parse(value ?? "null") as MigrationReport);
  expect(sortReports(reports)).toEqual([names, ...Array.from({ length: 4 }, () => [])]);
});

async function openEmpty(dialect: DialectName, context: TestContext) {
  const database = await createDatabase(dialect, context);
  return { database, store: await open(database) };
}

async function open(database: string): Promise<Store> {
  const store = await Store.open({ database, poolSize: 2 });
  onTestFinished(() => store.close());
  return store;
}

function migrateWith(store: Store, list: readonly Migration[]): Promise<MigrationReport> {
  return migrate(store.unscoped, store.flavor, store.now, list);
}

async function refusal(refused: Promise<unknown>): Promise<MemoirError> {
  const error = await refused.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof MemoirError) return error;
  throw new Error("this should have been refused", { cause: error });
}

function sortReports(reports: readonly MigrationReport[]): string[][] {
  return reports.map(({ applied }) => applied).sort((left, right) => right.length - left.length);
}

/** Everything there is: tables, columns, indexes, triggers, constraints, extensions; and every row. */
async function describeDatabase(store: Store): Promise<{ schema: unknown[]; rows: Record<string, Row[]> }> {
  const query =
    store.flavor.name === "sqlite"
      ? sql`select type, name, tbl_name, sql from sqlite_master order by type, name`
      : sql`
        select 'column' as kind, c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ||
          concat(a.attnotnull, a.attidentity, a.attgenerated) as detail
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0
        union all select 'index', indexdef from pg_indexes where schemaname = current_schema()
        union all select 'constraint', conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
          where connamespace = current_schema()::regnamespace
        union all select 'extension', extname from pg_extension
        order by 1, 2`;
  const { rows: schema } = await query.execute(store.unscoped);
  return { schema, rows: await readRows(store, await inspectTables(store)) };
}

/** How many rows of the table hold the word. */
async function countFound(store: Store, table: "message" | "passage", word: string): Promise<number> {
  const query =
    store.flavor.name === "sqlite"
      ? sql<{ count: number }>`
          select count(*) as count from ${sql.table(`${table}_text`)} where body match ${word}`
      : sql<{ count: number }>`
          select count(*) as count from ${sql.table(table)} where text_index @@ to_tsquery('english', ${word})`;
  const { rows } = await query.execute(store.unscoped);
  return Number(rows[0]?.count);
}
