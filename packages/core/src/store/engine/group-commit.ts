/**
 * Group commit for SQLite: transactions that arrive together share one commit, because the commit (an fsync, 0.2 to 0.7
 * ms on the calling thread) costs more than the work. Each is atomic by itself: a savepoint rolls back one that fails,
 * and none resolves before the shared commit is on disk. Between batches the event loop gets its turn.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

/** Maximum time that one batch may block the event loop. */
const batchMs = 3;

interface Pending {
  readonly work: (db: Kysely<Tables>) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Done {
  readonly pending: Pending;
  readonly value: unknown;
}

export class GroupCommit {
  readonly #db: Kysely<Tables>;
  readonly #onCommit: () => void;
  #queue: Pending[] = [];
  #draining: Promise<void> | undefined;

  constructor(db: Kysely<Tables>, onCommit: () => void) {
    this.#db = db;
    this.#onCommit = onCommit;
  }

  run<R>(work: (db: Kysely<Tables>) => Promise<R>): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when everything queued so far has been committed or rejected. */
  async settle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // After this, all requests of the same turn of the event loop are in the queue.
    await nextTurn();
    while (this.#queue.length > 0) {
      await this.#commitBatch();
      await nextTurn();
    }
    this.#draining = undefined;
  }

  async #commitBatch(): Promise<void> {
    const waiting = this.#queue.length;
    const taken: Pending[] = [];
    const done: Done[] = [];
    try {
      await this.#db.transaction().execute(async (transaction) => {
        const startedAt = performance.now();
        while (this.#queue.length > 0 && performance.now() - startedAt < batchMs) {
          const pending = this.#queue.shift();
          if (!pending) break;
          taken.push(pending);
          // A single transaction needs no savepoint.
          if (taken.length === 1 && this.#queue.length === 0)
            done.push({ pending, value: await pending.work(transaction) });
          else await attempt(transaction, pending, done);
        }
      });
    } catch (error) {
      // Nothing of the batch is on disk; if it never began because another process holds the file, the queued
      // transactions are rejected.
      const refused = taken.length > 0 ? taken : this.#queue.splice(0, waiting);
      for (const pending of refused) pending.reject(error);
      return;
    }
    for (const { pending, value } of done) pending.resolve(value);
    this.#onCommit();
  }
}

async function attempt(transaction: Kysely<Tables>, pending: Pending, done: Done[]): Promise<void> {
  await sql`savepoint one`.execute(transaction);
  try {
    const value = await pending.work(transaction);
    done.push({ pending, value });
  } catch (error) {
    await sql`rollback to one`.execute(transaction);
    pending.reject(error);
  }
  await sql`release one`.execute(transaction);
}
