import fc from "fast-check";
import { describe, expect, type TestContext, test } from "vitest";
import { findModel } from "../../model/catalogue.ts";
import { defaultOrgId, newId } from "../../shared/ids.ts";
import { type DialectName, dialects, openTestStore } from "../../testing/databases.ts";
import { type Agent, type AgentOrder, insertAgent, listAgents } from "../agents/agents.ts";
import { type Block, insertBlocks, listBlocks } from "../blocks/blocks.ts";
import type { PageRequest } from "./paging.ts";
import type { Scope } from "./scope.ts";

const moment = 1_700_000_000_000_000;
const orders = ["asc", "desc"] as const;
const limits = [1, 7, 50];
const nouns = ["block", "agent"] as const;
const nowhere = "agent-00000000-0000-4000-8000-00000000abcd";

describe.each(dialects)("%s", (dialect) => {
  test.for(nouns)(
    "250 rows of one %s list, made in one moment, come exactly once in every order",
    async (noun, context) => {
      const { list, ids } = await openEqual(dialect, noun, 250, context);
      expect(new Set(ids).size).toBe(250);
      for (const order of orders) {
        for (const limit of limits) {
          const pages = await walk((after) => list({ limit, order, after }));
          expect(pages.flat(), `${order}, ${limit} at a time`).toEqual(inOrder(ids, order));
          expect(pages.every((page) => page.length === limit || page === pages.at(-1))).toBe(true);
        }
      }
    },
  );

  test.for(nouns)("cursors of a %s list mark places in the order asked for", async (noun, context) => {
    const { list, ids } = await openEqual(dialect, noun, 20, context);
    for (const order of orders) {
      const sorted = inOrder(ids, order);
      const [fifth, twelfth] = [sorted[4], sorted[11]];
      expect(await list({ limit: 50, order, after: fifth })).toEqual(sorted.slice(5));
      expect(await list({ limit: 50, order, before: twelfth })).toEqual(sorted.slice(0, 11));
      expect(await list({ limit: 50, order, after: fifth, before: twelfth })).toEqual(sorted.slice(5, 11));
      expect(await list({ limit: 3, order, after: fifth, before: twelfth })).toEqual(sorted.slice(5, 8));
      expect(await list({ limit: 3, order, before: twelfth })).toEqual(sorted.slice(0, 3));
      expect(await list({ limit: 50, order, after: twelfth, before: fifth })).toEqual([]);
      expect(await list({ limit: 50, order, after: sorted.at(-1) })).toEqual([]);
      expect(await list({ limit: 50, order, before: sorted[0] })).toEqual([]);
    }
  });

  test("a cursor that names nothing is not found among blocks, and no cursor among agents", async (context) => {
    const blocks = await openEqual(dialect, "block", 3, context);
    for (const cursor of [{ after: nowhere }, { before: nowhere }]) {
      await expect(blocks.list({ limit: 5, order: "asc", ...cursor })).rejects.toMatchObject({
        code: "not-found",
        details: { id: nowhere },
      });
    }
    const agents = await openEqual(dialect, "agent", 3, context);
    expect(await agents.list({ limit: 5, order: "asc", after: nowhere })).toEqual(inOrder(agents.ids, "asc"));
    expect(await agents.list({ limit: 2, order: "desc", before: nowhere })).toEqual(
      inOrder(agents.ids, "desc").slice(0, 2),
    );
  });

  test("a cursor of another organization's row names nothing", async (context) => {
    const store = await openTestStore(dialect, context);
    const theirs = await store.write(defaultOrgId, (scope) => insertEqualBlocks(scope, 1));
    const list = listBlocks(store.read("org-of-others"), {}, { limit: 5, order: "asc", after: theirs[0] });
    await expect(list).rejects.toMatchObject({ code: "not-found" });
  });

  test("agents that never ran come last, whichever way runs are sorted", async (context) => {
    const { list, agents } = await openAgents(dialect, context, [3, null, 1, null, 2, null, 2]);
    for (const order of orders) {
      for (const limit of limits) {
        const pages = await walk((after) => list({ limit, order, after }, "last_run_at"));
        expect(pages.flat()).toEqual(sortAgents(agents, "last_run_at", order));
      }
      const times = (await list({ limit: 50, order }, "last_run_at")).map(
        (id) => agents.find((agent) => agent.id === id)?.lastRunAt,
      );
      const ran = [1, 2, 2, 3];
      expect(times).toEqual([...(order === "asc" ? ran : ran.toReversed()), null, null, null]);
    }
  });

  test("every page is what a sorted list would give", async (context) => {
    const times = Array.from({ length: 40 }, (_, index) => [null, 1, 2, 2, 7][index % 5] ?? null);
    const { list, agents } = await openAgents(dialect, context, times);
    const cursor = fc.option(fc.constantFrom(...agents.map(({ id }) => id), nowhere), { nil: undefined });
    const request = fc.record({
      limit: fc.integer({ min: 1, max: 60 }),
      order: fc.constantFrom(...orders),
      after: cursor,
      before: cursor,
    });
    const by = fc.constantFrom<AgentOrder>("created_at", "updated_at", "last_run_at");
    await fc.assert(
      fc.asyncProperty(request, by, async (page, orderBy) => {
        expect(await list(page, orderBy)).toEqual(cut(sortAgents(agents, orderBy, page.order), page));
      }),
      { numRuns: 300 },
    );
  });
});

/** Creates `count` rows with equal timestamps. */
async function openEqual(dialect: DialectName, noun: (typeof nouns)[number], count: number, context: TestContext) {
  const store = await openTestStore(dialect, context, { now: () => moment });
  const insert = noun === "block" ? insertEqualBlocks : insertEqualAgents;
  const ids = await store.write(defaultOrgId, (scope) => insert(scope, count));
  const scope = store.read(defaultOrgId);
  const list = async (page: PageRequest) =>
    (noun === "block" ? await listBlocks(scope, {}, page) : await listAgents(scope, {}, page)).map(({ id }) => id);
  return { ids, list };
}

async function insertEqualBlocks(scope: Scope, count: number): Promise<string[]> {
  const blocks = Array.from({ length: count }, newBlock);
  await insertBlocks(scope, blocks, { kind: "api", userId: null });
  return blocks.map(({ id }) => id);
}

async function insertEqualAgents(scope: Scope, count: number): Promise<string[]> {
  const agents = Array.from({ length: count }, () => newAgent({}));
  for (const agent of agents) await insertAgent(scope, agent);
  return agents.map(({ id }) => id);
}

/** Agents with few distinct timestamps, one per time of their last run. */
async function openAgents(dialect: DialectName, context: TestContext, times: readonly (number | null)[]) {
  const store = await openTestStore(dialect, context);
  const agents = times.map((lastRunAt, index) =>
    newAgent({ lastRunAt, createdAt: moment + (index % 3), updatedAt: moment + (index % 4) }),
  );
  await store.write(defaultOrgId, async (scope) => {
    for (const agent of agents) await insertAgent(scope, agent);
  });
  const scope = store.read(defaultOrgId);
  const list = async (page: PageRequest, orderBy: AgentOrder) =>
    (await listAgents(scope, {}, page, orderBy)).map(({ id }) => id);
  return { agents, list };
}

function newBlock(): Block {
  return {
    id: newId("block"),
    label: "notes",
    value: "",
    charLimit: 1,
    description: null,
    metadata: {},
    readOnly: false,
    hidden: null,
    isTemplate: false,
    templateName: null,
    templateId: null,
    baseTemplateId: null,
    deploymentId: null,
    entityId: null,
    preserveOnMigration: null,
    projectId: null,
    version: 1,
    createdAt: moment,
    updatedAt: moment,
    createdBy: null,
    updatedBy: null,
  };
}

function newAgent(changes: Partial<Agent>): Agent {
  const model = findModel("memoir/demo");
  if (!model) throw new Error("the demo model is gone");
  return {
    id: newId("agent"),
    name: "Wren",
    kind: "letta_v1_agent",
    description: null,
    system: "",
    metadata: null,
    model,
    embedding: null,
    compaction: {
      model: null,
      modelSettings: null,
      prompt: null,
      acknowledgement: false,
      clipChars: null,
      mode: "all",
      slidingWindowPercentage: 0.3,
      archiveEvicted: false,
    },
    responseFormat: null,
    toolRules: [],
    toolPermissions: null,
    timezone: "UTC",
    autoclear: false,
    sleeptime: null,
    hidden: null,
    maxFilesOpen: 1,
    fileViewChars: 1,
    lastRunAt: null,
    lastRunMs: null,
    lastStopReason: null,
    projectId: null,
    templateId: null,
    baseTemplateId: null,
    deploymentId: null,
    entityId: null,
    createdAt: moment,
    updatedAt: moment,
    createdBy: null,
    updatedBy: null,
    ...changes,
  };
}

/** Pages like the clients, by the last id of each page, until a page is empty. */
async function walk(next: (after: string | undefined) => Promise<string[]>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let page = await next(undefined); page.length > 0; page = await next(page.at(-1))) {
    pages.push(page);
    if (pages.length > 1000) throw new Error("the pages do not end");
  }
  return pages;
}

function inOrder(ids: readonly string[], order: "asc" | "desc"): string[] {
  return order === "asc" ? ids.toSorted() : ids.toSorted().reverse();
}

const fields = { created_at: "createdAt", updated_at: "updatedAt", last_run_at: "lastRunAt" } as const;

/** The expected order: by timestamp and id, then rows without a timestamp by id, both in the requested direction. */
function sortAgents(agents: readonly Agent[], orderBy: AgentOrder, order: "asc" | "desc"): string[] {
  const key = (agent: Agent) => String(agent[fields[orderBy]]).padStart(20, "0") + agent.id;
  const has = agents.filter((agent) => agent[fields[orderBy]] !== null).sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const lacks = agents.filter((agent) => agent[fields[orderBy]] === null).sort((a, b) => (a.id < b.id ? -1 : 1));
  const parts = order === "asc" ? [has, lacks] : [has.reverse(), lacks.reverse()];
  return parts.flat().map(({ id }) => id);
}

function cut(sorted: readonly string[], { limit, after, before }: PageRequest): string[] {
  const start = after === undefined || after === nowhere ? 0 : sorted.indexOf(after) + 1;
  const end = before === undefined || before === nowhere ? sorted.length : sorted.indexOf(before);
  return sorted.slice(start, Math.max(start, end)).slice(0, limit);
}
