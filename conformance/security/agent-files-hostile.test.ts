/** Broken and hostile agent files: each is refused with a reason, or taken in whole. Nothing in between. */
import { createApp } from "@memoir/server";
import fc from "fast-check";
import { sql } from "kysely";
import pino from "pino";
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { inspectTables } from "../../packages/core/src/testing/rows.ts";
import { openWorld } from "../../packages/core/src/testing/worlds.ts";
import type { Loose } from "../support/agent-files.ts";
import { makeFile, makeLegacyFile } from "../support/agent-files-made.ts";

async function open(dialect: DialectName, context: TestContext) {
  const { memoir, store } = await openWorld(dialect, context);
  const errors: string[] = [];
  const log = pino({ level: "error", base: undefined }, { write: (line: string) => errors.push(line) });
  const app = await createApp({ memoir, log, findProviders: async () => [], checkResponses: true });
  context.onTestFinished(() => app.close());
  const send = async (text: string | Buffer) => {
    const form = new FormData();
    form.set("file", new Blob([text as Uint8Array<ArrayBuffer>]), "agent.af");
    const request = new Request("http://x/", { method: "POST", body: form });
    const payload = Buffer.from(await request.arrayBuffer());
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    const answer = await app.inject({ method: "POST", url: "/v1/agents/import", payload, headers });
    return { status: answer.statusCode, body: answer.json() as Loose };
  };
  // What is kept of the talks with those that were taken in is written later.
  const tables = (await inspectTables(store)).map(({ name }) => name).filter((name) => !/^(trace|content)$/.test(name));
  const each = tables.map((name) => sql`select ${sql.lit(name)} as name, count(*) as count from ${sql.table(name)}`);
  const counting = sql<{ name: string; count: number }>`${sql.join(each, sql` union all `)}`;
  const count = async () => {
    const { rows } = await counting.execute(store.unscoped);
    return Object.fromEntries(rows.map((row) => [row.name, Number(row.count)]));
  };
  const get = async (id: string) => (await app.inject({ url: `/v1/agents/${id}/export` })).statusCode;
  const tell = async (id: string) => {
    const payload = { messages: [{ role: "user", content: "hello" }], override_model: "memoir/demo" };
    const answer = await app.inject({ method: "POST", url: `/v1/agents/${id}/messages`, payload });
    return answer.statusCode;
  };
  return { send, count, get, tell, errors };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function expectWholeOrNothing(
  { send, count, get, tell, errors }: Opened,
  text: string | Buffer,
): Promise<number> {
  const before = await count();
  const { status, body } = await send(text);
  expect(errors.splice(0)).toEqual([]);
  if (status === 200) {
    for (const id of body.agent_ids) expect([await get(id), await tell(id)]).toEqual([200, 200]);
    return status;
  }
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(body.detail.length).toBeGreaterThan(10);
  expect(await count()).toEqual(before);
  return status;
}

const deep = (levels: number): Loose => (levels === 0 ? 0 : [deep(levels - 1)]);

const oddValue = fc.oneof(
  fc.constantFrom<Loose>(
    null,
    true,
    0,
    -1,
    1e21,
    2 ** 31,
    0.5,
    "",
    " ",
    "a\u0000b",
    "\ud800",
    "agent-0",
    "agent-1",
    "block-0",
    "tool-99",
    "message-0",
    "group-0",
    "x".repeat(5000),
    "9999-99-99T00:00:00Z",
    "0001-01-01T00:00:00Z",
    [],
    {},
    [null],
    [[]],
    { type: "text" },
    { id: "agent-0" },
    deep(50),
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Every place in the file, by its path. */
function placesOf(value: Loose, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))];
}

type Change = (parent: Loose, key: string | number, odd: Loose) => void;

const changes: Readonly<Record<string, Change>> = {
  replace: (parent, key, odd) => {
    parent[key] = odd;
  },
  remove: (parent, key) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
  },
  repeat: (parent, key) => {
    if (Array.isArray(parent)) parent.push(structuredClone(parent[Number(key)]));
    else parent[`${key}_copy`] = parent[key];
  },
  add: (parent, key, odd) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 0, odd);
    else parent[`unknown_${key}`] = odd;
  },
  swap: (parent) => {
    if (Array.isArray(parent)) parent.reverse();
  },
};

const mutation = fc.record({
  place: fc.noBias(fc.nat({ max: 100_000 })),
  change: fc.constantFrom(...Object.keys(changes)),
  odd: oddValue,
});

function mutate(file: Loose, { place, change, odd }: { place: number; change: string; odd: Loose }): void {
  const places = placesOf(file).filter((path) => path.length > 0);
  const path = places[place % places.length] ?? [];
  const parent = path.slice(0, -1).reduce<Loose>((inner, key) => inner[key], file);
  const key = path.at(-1);
  if (key !== undefined) changes[change]?.(parent, key, structuredClone(odd));
}

const runs = { sqlite: 150, postgres: 40 } as const;

test.for(dialects)("%s: a file with odd values anywhere is refused or taken in whole", async (dialect, context) => {
  const opened = await open(dialect, context);
  const statuses = new Set<number>();
  const odd = fc.array(mutation, { minLength: 1, maxLength: 3 });
  const check = fc.asyncProperty(odd, fc.boolean(), async (list, isLegacy) => {
    const file = isLegacy ? makeLegacyFile() : makeFile();
    for (const item of list) mutate(file, item);
    statuses.add(await expectWholeOrNothing(opened, JSON.stringify(file)));
  });
  await fc.assert(check, { numRuns: runs[dialect], seed: 20_260, interruptAfterTimeLimit: 20_000 });
  expect([...statuses].sort()).toEqual([200, 400, 422]);
});

test.for(dialects)("%s: a file that is cut short or has other bytes in it is refused", async (dialect, context) => {
  const opened = await open(dialect, context);
  const whole = Buffer.from(JSON.stringify(makeFile()));
  const cut = fc.record({ at: fc.nat(whole.length - 1), byte: fc.integer({ min: 0, max: 255 }), isCut: fc.boolean() });
  const check = fc.asyncProperty(cut, async ({ at, byte, isCut }) => {
    const bytes = Buffer.from(whole);
    bytes[at] = byte;
    const status = await expectWholeOrNothing(opened, isCut ? whole.subarray(0, at) : bytes);
    if (isCut) expect(status).toBe(400);
  });
  await fc.assert(check, { numRuns: runs[dialect] / 2, seed: 20_261, interruptAfterTimeLimit: 20_000 });
});
