/** A database opened beside a server that may be at work on it: nothing is migrated, no run is begun. */
import { existsSync } from "node:fs";
import { MemoirError } from "../../shared/errors.ts";
import { isPostgresUrl } from "../../store/engine/database-address.ts";
import type { Durability } from "../../store/engine/dialects/node-sqlite.ts";
import { listPending } from "../../store/engine/migrate.ts";
import { Store } from "../../store/engine/store.ts";
import { listRecordedMigrations } from "../../store/system.ts";

export interface QuietOptions {
  readonly database: string;
  readonly durability?: Durability;
  readonly readOnly?: boolean;
}

export async function withQuietStore<R>(options: QuietOptions, work: (store: Store) => Promise<R>): Promise<R> {
  rejectMissingFile(options.database);
  const store = await Store.open({ ...options, poolSize: 2 });
  try {
    await rejectOldRevision(store);
    return await work(store);
  } finally {
    await store.close();
  }
}

function rejectMissingFile(database: string): void {
  if (isPostgresUrl(database) || existsSync(database)) return;
  throw new MemoirError("unavailable", `there is no database at ${database}: name it with --database`);
}

async function rejectOldRevision(store: Store): Promise<void> {
  const pending = listPending(await listRecordedMigrations(store), store.flavor);
  if (pending.length === 0) return;
  throw new MemoirError("unavailable", "the database is of an older revision: start memoir serve once, then try again");
}
