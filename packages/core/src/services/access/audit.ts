/** The audit log. Entries are written together about once a second, so that a request does not wait for its own record. */
import { type Runtime, readScope } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { type AuditEntry, insertAudit, listAudit } from "../../store/access/audit.ts";
import { isRowRefused } from "../../store/engine/constraint-errors.ts";
import type { PageRequest } from "../../store/engine/paging.ts";

export type AuditNote = Pick<AuditEntry, "action" | "target" | "keyId" | "detail">;

export interface AuditService {
  note(actor: Actor, note: AuditNote): void;
  list(actor: Actor, page: PageRequest): Promise<AuditEntry[]>;
  /** Writes what is waiting. */
  flush(): Promise<void>;
  /** Writes what is waiting and tries nothing again. */
  close(): Promise<void>;
}

const pauseMs = 1_000;
/** Of all organizations; what comes while so many wait is counted and dropped. */
const maxWaiting = 10_000;

export function createAuditService(runtime: Runtime, max = maxWaiting): AuditService {
  const { store, log } = runtime;
  let waiting = new Map<string, AuditEntry[]>();
  let count = 0;
  let dropped = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (!isClosed) timer ??= setTimeout(() => void flush(), pauseMs).unref();
  }

  function enqueue(orgId: string, entries: readonly AuditEntry[]): void {
    const fitting = entries.slice(0, Math.max(0, max - count));
    dropped += entries.length - fitting.length;
    count += fitting.length;
    if (fitting.length > 0) waiting.set(orgId, [...fitting, ...(waiting.get(orgId) ?? [])]);
    schedule();
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batches = waiting;
    waiting = new Map();
    count = 0;
    if (dropped > 0) log.error({ count: dropped }, "audit entries were dropped: too many were waiting");
    dropped = 0;
    for (const [orgId, entries] of batches) await writeBatch(orgId, entries);
  }

  async function writeBatch(orgId: string, entries: readonly AuditEntry[]): Promise<void> {
    try {
      await store.write(orgId, (scope) => insertAudit(scope, entries));
    } catch (error) {
      if (!isRowRefused(error)) {
        log.error({ err: error, count: entries.length }, "audit entries could not be written and are tried again");
        enqueue(orgId, entries);
      } else if (entries.length === 1) {
        log.error({ err: error, organization: orgId, entry: entries[0] }, "an audit entry was refused by the database");
      } else {
        for (const entry of entries) await writeBatch(orgId, [entry]);
      }
    }
  }

  return {
    note(actor, note) {
      schedule();
      if (count >= max) {
        dropped++;
        return;
      }
      const entry = { ...note, id: store.newId("audit"), userId: actor.userId, createdAt: store.now() };
      const entries = waiting.get(actor.orgId);
      if (entries) entries.push(entry);
      else waiting.set(actor.orgId, [entry]);
      count++;
    },
    list: async (actor, page) => {
      await flush();
      return await listAudit(readScope(runtime, actor), page);
    },
    flush,
    close: async () => {
      isClosed = true;
      await flush();
    },
  };
}
