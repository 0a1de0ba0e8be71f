import { describe, expect, test } from "vitest";
import type { Runtime } from "../../runtime.ts";
import type { Store } from "../../store/engine/store.ts";
import { dialects } from "../../testing/databases.ts";
import { openWorld } from "../../testing/worlds.ts";
import { createAuditService } from "./audit.ts";

const page = { limit: 50, order: "asc" } as const;
/** The store with some of it changed. */
const change = (store: Store, changes: object) => ({
  newId: store.newId,
  now: () => store.now(),
  read: (orgId: string) => store.read(orgId),
  write: ((...work) => store.write(...work)) as Store["write"],
  ...changes,
});

const note = (action: string) => ({ action, target: null, keyId: null, detail: null });

function collectLog() {
  const lines: unknown[] = [];
  const add = (fields: unknown, message?: string) => void lines.push([message, fields]);
  return { lines, log: { debug: add, info: add, warn: add, error: add } as unknown as Runtime["log"] };
}

describe.for(dialects)("%s", (dialect) => {
  test("one entry that the database refuses does not take the others with it", async (context) => {
    const { store, actor } = await openWorld(dialect, context);
    const { log, lines } = collectLog();
    const ids = ["audit-1", "audit-2", "audit-2", "audit-3"];
    const odd = change(store, { newId: () => ids.shift() });
    const audit = createAuditService({ store: odd, log } as unknown as Runtime);
    for (const action of ["one", "two", "again", "three"]) audit.note(actor, note(action));
    const listed = await audit.list(actor, page);
    expect(listed.map(({ action }) => action)).toEqual(expect.arrayContaining(["one", "three"]));
    expect(listed).toHaveLength(3);
    expect(lines).toEqual([
      ["an audit entry was refused by the database", expect.objectContaining({ entry: expect.anything() })],
    ]);
  });

  test("entries wait while the database is away; those beyond the queue are counted", async (context) => {
    const { store, actor } = await openWorld(dialect, context);
    const { log, lines } = collectLog();
    let isAway = true;
    const write: Store["write"] = (...work) => (isAway ? Promise.reject(new Error("away")) : store.write(...work));
    const away = change(store, { write });
    const audit = createAuditService({ store: away, log } as unknown as Runtime, 3);
    for (const action of ["a", "b", "c", "d", "e"]) audit.note(actor, note(action));
    await audit.flush();
    expect(lines).toEqual([
      ["audit entries were dropped: too many were waiting", { count: 2 }],
      ["audit entries could not be written and are tried again", expect.objectContaining({ count: 3 })],
    ]);
    isAway = false;
    expect((await audit.list(actor, page)).map(({ action }) => action)).toEqual(["a", "b", "c"]);
    await audit.close();
  });
});
