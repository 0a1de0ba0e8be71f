/**
 * Every operation there is, asked by callers that must not be answered: without a key, with an expired one, from another
 * organization, as a reader, with a key for another agent, and with ids of the wrong kind. The requests are the ones that
 * succeed for their owner, with ids that exist: in paths, in bodies and in queries. An id of another organization must
 * answer as an id that does not exist, word for word, and afterwards no row of the owner is another than before.
 */
import { type Actor, defaultOrgId, type Memoir } from "@memoir/core";
import { listRoutes } from "@memoir/server";
import { expect, test } from "vitest";
import { Store } from "../../packages/core/src/store/engine/store.ts";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { inspectTables, type Row, readRows } from "../../packages/core/src/testing/rows.ts";
import { type Listed, listOperations, type OpenApi } from "../contract/walk/contract.ts";
import { listReferences, type Reference } from "../contract/walk/references.ts";
import { refusals, requests } from "../contract/walk/requests.ts";
import { compose, type Sendable, send, startWalkServer } from "../contract/walk/send.ts";
import { ask as askAs, createThings, type Tenant, type Things } from "../contract/walk/things.ts";

const mark = "XYZZY-4711";
const password = "open sesame";
const deadUuid = "00000000-0000-4000-8000-00000000dead";
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface Case extends Listed {
  readonly access: string;
  /** Succeeds for the owner. */
  readonly request: Sendable;
  /** The same with ids of objects that do not exist. */
  readonly dead: Sendable;
  /** The same with ids of another kind. */
  readonly wrong: Sendable;
}

test.for(dialects)(
  "%s: nobody sees, changes or learns of what is not theirs, whichever operation they try",
  { timeout: 600_000 },
  async (dialect, context) => {
    const server = await startWalkServer(dialect, context, { needsKey: true, password });
    const { url, memoir, errors, database, modelServer, gate } = server;
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
    const headers = { authorization: `Bearer ${password}` };
    const owner: Tenant = { url, headers, database, orgId: defaultOrgId, mark, modelServer };
    const { stranger, callers, otherId } = await makeCallers(memoir, owner);
    const cases = await composeCases(memoir, document, owner);
    expect(cases.length).toBeGreaterThan(250);
    const victim = createThings(owner);
    const references = cases.filter(({ access }) => access !== "admin").flatMap((each) => tryable(document, each));
    for (const { kind } of references) await victim(kind);
    const store = await Store.open({ database });
    await untilTraced(store, owner);
    const before = await untilStill(async () => {
      // A batch is found to be done when it is listed.
      await askAs(owner, "GET", "/v1/messages/batches?limit=1000");
      return await readTenant(store, defaultOrgId);
    });
    const known = new Set(JSON.stringify(before).match(uuids));
    /** What a caller has named itself is no news to it; a key for an agent may know that agent. */
    const sent = new Set([defaultOrgId, otherId].flatMap((id) => id.match(uuids) ?? []));
    const ask = async (request: Sendable, key: string | undefined): Promise<Answer> => {
      for (const id of `${request.path} ${request.body}`.match(uuids) ?? []) sent.add(id);
      const answer = await send(url, request, key ? { authorization: `Bearer ${key}` } : {});
      return { status: answer.status, text: await answer.text() };
    };
    const leaks: string[] = [];
    for (const each of cases) {
      for (const [who, key] of Object.entries(callers)) {
        const answer = await ask(each.request, key);
        const note = (problem: string) => leaks.push(`${who}: ${each.name}: ${problem}: ${tell(answer)}`);
        if (isFailure(answer)) note("fails");
        if (who === "nobody" || who === "expired") {
          if (answer.status !== 401) note("does not ask for a key");
        } else if (who === "reader") {
          judgeReader(each, answer, note);
        } else {
          judgeStranger(answer, (id) => known.has(id) && !sent.has(id), note);
          if (each.request.path === each.dead.path && each.request.body === each.dead.body) continue;
          const missing = await ask(each.dead, key);
          if (!isAlike(answer, missing)) note(`differs from what does not exist, ${tell(missing)}`);
        }
      }
      const answer = await ask(each.wrong, callers["another organization"]);
      if (isFailure(answer)) leaks.push(`wrong ids: ${each.name}: ${tell(answer)}`);
    }
    for (const { each, reference, kind } of references) {
      const foreign = await victim(kind);
      const key = callers["another organization"];
      const answer = await ask(await refer(document, each, stranger, reference, foreign), key);
      const missing = await ask(await refer(document, each, stranger, reference, kill(foreign)), key);
      const note = (problem: string) =>
        leaks.push(`${each.name}: ${kind} as ${reference.place}: ${problem}: ${tell(answer)}`);
      if (isFailure(answer)) note("fails");
      if (answer.status === 422) note("is refused before anything is looked up");
      if (answer.text.includes(mark)) note("shows what is not theirs");
      if (!isAlike(answer, missing)) note(`differs from what does not exist, ${tell(missing)}`);
    }
    expect(leaks).toEqual([]);
    expect(findChanges(before, await untilStill(() => readTenant(store, defaultOrgId)))).toEqual([]);
    expect(findStored(await readTenant(store, stranger.orgId), known)).toEqual([]);
    await store.close();
    expect(await askAsOwner(server, cases, headers, gate)).toEqual([]);
    expect(errors).toEqual([]);
  },
);

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Note = (problem: string) => void;

const tell = ({ status, text }: Answer) => `${status} ${text.slice(0, 200)}`;
const isFailure = ({ status }: Answer) => status >= 500 && status !== 501;

async function makeCallers(memoir: Memoir, owner: Tenant) {
  const actor = memoir.defaultActor;
  const { id: orgId } = await memoir.tenants.createOrganization("elsewhere");
  const { id: userId } = await memoir.tenants.createUser({ name: "stranger", orgId });
  const there: Actor = { orgId, userId };
  const other = await memoir.agents.create(actor, { model: "memoir/demo", name: "Other" });
  const soon = Date.now() + 500;
  const make = async (who: Actor, fields: object) =>
    (await memoir.keys.create(who, { name: "caller", ...fields })).secret;
  const callers = {
    nobody: undefined,
    expired: await make(actor, { expiresAt: soon * 1000 }),
    "another organization": await make(there, { role: "owner" }),
    reader: await make(actor, { role: "reader" }),
    "another agent": await make(actor, { agentId: other.agent.id }),
  };
  while (Date.now() <= soon) await new Promise((resolve) => setTimeout(resolve, 10));
  const stranger: Tenant = { ...owner, headers: { ...owner.headers, user_id: userId }, orgId, mark: "stranger" };
  return { callers, stranger, otherId: other.agent.id };
}

/** Every operation but the open ones, each with objects of its own. */
async function composeCases(memoir: Memoir, document: OpenApi, owner: Tenant): Promise<Case[]> {
  const access = new Map(
    listRoutes({ memoir, findProviders: async () => [] }).map((route) => [
      `${route.method} ${route.path}`,
      route.access,
    ]),
  );
  const cases: Case[] = [];
  for (const listed of listOperations(document)) {
    const level = access.get(listed.name) ?? "";
    if (level === "open") continue;
    const things = createThings(owner);
    const request = await compose(document, listed, things);
    await requests[listed.name]?.before?.(things, owner);
    const dead = await compose(document, listed, async (name) => kill(await things(name)));
    const wrong = await compose(document, listed, async (name) =>
      (await things(name)).replace(/^.*-.*$/, `user-${deadUuid}`),
    );
    cases.push({ ...listed, access: level, request, dead, wrong });
  }
  return cases;
}

/** The id of an object that does not exist, of the same kind. */
const kill = (id: string) => id.replace(uuids, deadUuid);

function tryable(document: OpenApi, each: Case): { each: Case; reference: Reference; kind: string }[] {
  return listReferences(document, each).flatMap((reference) =>
    reference.kinds.map((kind) => ({ each, reference, kind })),
  );
}

/** The request for the caller's own objects, with one id more. */
async function refer(
  document: OpenApi,
  each: Case,
  tenant: Tenant,
  { isInQuery, write }: Reference,
  id: string,
): Promise<Sendable> {
  const things = isStream(each) ? idle(createThings(tenant)) : createThings(tenant);
  const request = await compose(document, each, things, isInQuery ? undefined : write(id));
  await requests[each.name]?.before?.(things, tenant);
  if (!isInQuery) return request;
  const address = new URL(request.path, "http://localhost");
  for (const [name, value] of Object.entries(write(id))) address.searchParams.set(name, String(value));
  return { ...request, path: address.pathname + address.search };
}

const isStream = ({ name }: Case) => name === "POST /v1/conversations/{conversation_id}/stream";

/** Nothing is under way: the stream of what is would end only when its model answers. */
const idle =
  (things: Things): Things =>
  (name) =>
    things(name.replace(/^busy_/, ""));

function judgeReader({ name, access }: Case, { status }: Answer, note: Note): void {
  const isAllowed = access === "read";
  if (!isAllowed && status !== 403) note("lets a reader do it");
  if (isAllowed && status >= 300 && status !== refusals[name]?.status) note("does not let a reader read");
}

function judgeStranger({ text }: Answer, isSecret: (id: string) => boolean, note: Note): void {
  if (text.includes(mark)) note("shows what is not theirs");
  const told = text.match(uuids)?.filter(isSecret) ?? [];
  if (told.length > 0) note(`tells ids that are not theirs, ${told}`);
}

/** The same but for ids and moments. */
function isAlike(left: Answer, right: Answer): boolean {
  const plain = ({ text }: Answer) =>
    text.replaceAll(uuids, "#").replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+( [AP]M)?/g, "then");
  return left.status === right.status && plain(left) === plain(right);
}

type Rows = Record<string, readonly Row[]>;

/** All rows of an organization, but for the record of who asked for what. */
async function readTenant(store: Store, orgId: string): Promise<Rows> {
  const tables = (await inspectTables(store)).filter(({ name }) => name !== "audit");
  const rows = await readRows(store, tables);
  const isOwn = (row: Row) => row.org_id === orgId;
  return Object.fromEntries(
    Object.entries(rows).map(([name, all]) => [name, all.filter(isOwn).map(({ last_used_at: _, ...row }) => row)]),
  );
}

/** What works in the background comes to rest first. */
async function untilStill(read: () => Promise<Rows>): Promise<Rows> {
  for (let last = await read(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const next = await read();
    if (JSON.stringify(next) === JSON.stringify(last)) return next;
    last = next;
  }
}

/** Traces are stored in their order, a second or more after their steps: once that of a new message is, all are. */
async function untilTraced(store: Store, owner: Tenant): Promise<void> {
  await untilStill(() => readTenant(store, owner.orgId));
  const { id } = await askAs(owner, "POST", "/v1/agents/", { model: "openai/gpt-4o-mini" });
  await askAs(owner, "POST", `/v1/agents/${id}/messages`, { input: "!say hi" });
  const listTraced = async () => (await readTenant(store, owner.orgId)).trace?.map(({ agent_id }) => agent_id);
  await expect.poll(listTraced, { timeout: 60_000 }).toContain(id);
}

/** Rows that were there and are not, and the other way round. */
function findChanges(before: Rows, after: Rows): string[] {
  return Object.keys(before).flatMap((table) => {
    const [old, now] = [before, after].map((rows) => (rows[table] ?? []).map((row) => JSON.stringify(row)));
    const gone = old?.filter((row) => !now?.includes(row)) ?? [];
    const come = now?.filter((row) => !old?.includes(row)) ?? [];
    return [...gone, ...come].map((row) => `${table}: ${row}`);
  });
}

/** What callers write into these rows as a text of their own; it is looked up nowhere. */
const freeTexts = /"(sender_?id|group_?id|deployment_id)\\?":\\?"[^"]*"/gi;
const hasFreeTexts = new Set(["block", "message", "run"]);

/** Rows of one organization that hold ids of another. */
function findStored(rows: Rows, known: ReadonlySet<string>): string[] {
  return Object.entries(rows).flatMap(([table, all]) =>
    all.flatMap((row) => {
      const text = hasFreeTexts.has(table) ? JSON.stringify(row).replaceAll(freeTexts, "") : JSON.stringify(row);
      const found = text.match(uuids)?.filter((id) => known.has(id)) ?? [];
      return found.length > 0 ? [`${table}: ${found}: ${text}`] : [];
    }),
  );
}

const order = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** That they succeed for the owner shows that nothing but the owner was wrong with them. */
async function askAsOwner(
  { url }: { readonly url: string },
  cases: readonly Case[],
  headers: Readonly<Record<string, string>>,
  gate: { open(): void; close(): void },
): Promise<string[]> {
  const problems: string[] = [];
  // Deletes come late; the stream comes last, because it lets every slow model answer.
  const rank = (each: Case) => order.indexOf(each.method) + (isStream(each) ? order.length : 0);
  const sorted = cases.toSorted((left, right) => rank(left) - rank(right) || right.path.length - left.path.length);
  for (const each of sorted) {
    const { name, request } = each;
    const answer = await send(url, request, headers);
    if (isStream(each)) gate.open();
    const told = { status: answer.status, text: await answer.text() };
    gate.close();
    if (refusals[name] ? told.status !== refusals[name].status : told.status >= 300) {
      problems.push(`${name}: ${tell(told)}`);
    }
  }
  return problems;
}
