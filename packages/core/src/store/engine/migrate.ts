/**
 * Migrates a database to the program's revision. All pending migrations run in one transaction under a lock, so that
 * programs starting together migrate once and a failure changes nothing.
 */
import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Now } from "../../shared/clock.ts";
import { MemoirError } from "../../shared/errors.ts";
import { version } from "../../shared/version.ts";
import type { Flavor } from "./dialects/flavor.ts";
import { migrations as allMigrations } from "./migrations/list.ts";
import type { Migration } from "./migrations/migration.ts";
import type { MemoirMigrationTable, Tables } from "./schema.ts";

/** An arbitrary number, the same in every version of Memoir. */
const migrationLock = 4_812_015_162;

export interface MigrationReport {
  readonly applied: string[];
  readonly revision: string | undefined;
}

export async function migrate(
  db: Kysely<Tables>,
  flavor: Flavor,
  now: Now,
  migrations: readonly Migration[] = allMigrations,
): Promise<MigrationReport> {
  return await db.transaction().execute(async (transaction) => {
    if (flavor.name === "postgres") await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
    await sql`create table if not exists memoir_migration (
      name text primary key, checksum text not null, program text not null, applied_at bigint not null)`.execute(
      transaction,
    );
    const recorded = await transaction.selectFrom("memoir_migration").selectAll().orderBy("name").execute();
    checkHistory(recorded, migrations, flavor);
    const pending = migrations.slice(recorded.length);
    for (const migration of pending) {
      for (const statement of migration.statements(flavor)) {
        await runStatement(transaction, migration, statement);
      }
      await transaction
        .insertInto("memoir_migration")
        .values({
          name: migration.name,
          checksum: checksumOf(migration, flavor),
          program: version,
          applied_at: now(),
        })
        .execute();
    }
    return { applied: pending.map(({ name }) => name), revision: migrations.at(-1)?.name };
  });
}

/** The migrations that `migrate` would run; throws if the recorded history does not match. */
export function listPending(recorded: readonly MemoirMigrationTable[], flavor: Flavor): string[] {
  checkHistory(recorded, allMigrations, flavor);
  return allMigrations.slice(recorded.length).map(({ name }) => name);
}

async function runStatement(db: Kysely<Tables>, migration: Migration, statement: string): Promise<void> {
  try {
    await sql.raw(statement).execute(db);
  } catch (error) {
    if (statement.startsWith("create extension")) {
      throw new MemoirError(
        "unavailable",
        "PostgreSQL has no pgvector here: install it and let an administrator run `create extension vector` in this database.",
        { cause: error },
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new MemoirError("unavailable", `migration ${migration.name} failed, nothing was changed: ${reason}`, {
      cause: error,
    });
  }
}

/** The recorded migrations must be a prefix of ours, unchanged. */
function checkHistory(
  recorded: readonly MemoirMigrationTable[],
  migrations: readonly Migration[],
  flavor: Flavor,
): void {
  for (const [index, row] of recorded.entries()) {
    const migration = migrations[index];
    if (migration?.name !== row.name) {
      throw new MemoirError(
        "database-newer",
        `this database was last used by ${nameProgram(recorded.at(-1)?.program ?? row.program)}: ` +
          `it has the migration ${row.name}, unknown here. Start that version, or restore a backup made before it.`,
      );
    }
    if (checksumOf(migration, flavor) !== row.checksum) {
      throw new MemoirError(
        "database-changed",
        `the migration ${row.name} recorded in this database differs from the one in Memoir ${version}. ` +
          "Use the version that made the database, or restore a backup.",
      );
    }
  }
}

function nameProgram(program: string): string {
  return program === version
    ? "a newer build of Memoir"
    : `Memoir ${program}, which is newer than this one (${version})`;
}

export function checksumOf(migration: Migration, flavor: Flavor): string {
  return createHash("sha256").update(migration.statements(flavor).join(";\n")).digest("hex");
}
