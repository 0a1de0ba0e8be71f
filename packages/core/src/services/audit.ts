/** The audit log. Entries are written together about once a second, so that a request does not wait for its own record. */
import type { Actor } from "../actor.ts";
import { type Runtime, readScope } from "../runtime.ts";
import { type AuditEntry, insertAudit, listAudit } from "../store/audit.ts";
import type { PageRequest } from "../store/paging.ts";

export type AuditNote = Pick<AuditEntry, "action" | "target" | "keyId" | "detail">;

export interface AuditService {
  note(actor: Actor, note: AuditNote): void;
  list(actor: Actor, page: PageRequest): Promise<AuditEntry[]>;
  /** Writes what is waiting. */
  flush(): Promise<void>;
}

const pauseMs = 1_000;
/** More is not kept while the database is away. */
const mostWaiting = 10_000;

export function createAuditService(runtime: Runtime): AuditService {
  const waiting = new Map<string, AuditEntry[]>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batches = [...waiting];
    waiting.clear();
    for (const [orgId, entries] of batches) {
      try {
        await runtime.store.write(orgId, (scope) => insertAudit(scope, entries));
      } catch (error) {
        runtime.log.error({ err: error, count: entries.length }, "entries of the audit log could not be written");
      }
    }
  }

  return {
    note(actor, note) {
      const entries = waiting.get(actor.orgId) ?? [];
      if (entries.length >= mostWaiting) return;
      const { store } = runtime;
      entries.push({ ...note, id: store.newId("audit"), userId: actor.userId, createdAt: store.now() });
      waiting.set(actor.orgId, entries);
      timer ??= setTimeout(() => void flush(), pauseMs).unref();
    },
    list: async (actor, page) => {
      await flush();
      return await listAudit(readScope(runtime, actor), page);
    },
    flush,
  };
}
