/** A look at a database without changing it: not created, not migrated. */
import { existsSync } from "node:fs";
import { isPostgresUrl, withoutPassword } from "../../store/engine/database-address.ts";
import { type Durability, defaultDurability } from "../../store/engine/dialects/node-sqlite.ts";
import { listPending } from "../../store/engine/migrate.ts";
import { Store } from "../../store/engine/store.ts";
import { type DatabaseFacts, inspectDatabase, listRecordedMigrations } from "../../store/system.ts";

export interface DatabaseReport {
  readonly kind: "sqlite" | "postgres";
  readonly location: string;
  /** Absent while there is no database. */
  readonly facts: DatabaseFacts | undefined;
  /** Migrations the next start would run. */
  readonly pending: readonly string[];
}

export async function examineDatabase(options: { database: string; durability?: Durability }): Promise<DatabaseReport> {
  const { database } = options;
  const isPostgres = isPostgresUrl(database);
  const kind = isPostgres ? "postgres" : "sqlite";
  const location = isPostgres ? withoutPassword(database) : database;
  if (!isPostgres && !existsSync(database)) return { kind, location, facts: undefined, pending: [] };
  const store = await Store.open({ ...options, poolSize: 1, readOnly: true });
  try {
    const recorded = await listRecordedMigrations(store);
    const facts = await inspectDatabase(store, recorded.at(-1)?.name, options.durability ?? defaultDurability);
    return { kind, location, facts, pending: listPending(recorded, store.flavor) };
  } finally {
    await store.close();
  }
}
