/** Pages of lists of 10,000: the last costs what the first costs. */
import { Memoir } from "@memoir/core";
import type { Line } from "../lines.ts";
import { createDatabase, type Dialect, listDialects } from "../start.ts";
import type { Figure } from "../table.ts";

const count = 10_000;
const limit = 50;
type List = (after: string | undefined, size: number) => Promise<readonly { readonly id: string }[]>;

async function timePage(list: List, after: string | undefined): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < 15; round++) {
    const startedAt = performance.now();
    await list(after, limit);
    taken.push(performance.now() - startedAt);
  }
  return taken.sort((left, right) => left - right)[7] ?? 0;
}

/** The one before the last page. */
async function findNearEnd(list: List): Promise<string | undefined> {
  const ids: string[] = [];
  for (;;) {
    const page = await list(ids.at(-1), 1_000);
    ids.push(...page.map(({ id }) => id));
    if (page.length < 1_000) return ids.at(-limit - 1);
  }
}

async function measure(dialect: Dialect): Promise<Figure[]> {
  const database = await createDatabase(dialect);
  const memoir = new Memoir({ database: database.address, encryptionKey: "bench" });
  await memoir.start();
  const me = memoir.defaultActor;
  const agent = { model: "memoir/demo", includeBaseTools: false };
  for (let done = 0; done < count; done += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        await memoir.agents.create(me, agent);
        await memoir.blocks.create(me, { label: "note", value: "text" });
      }),
    );
  }
  const lists: Readonly<Record<string, List>> = {
    agents: async (after, size) =>
      (await memoir.agents.list(me, { page: { limit: size, order: "asc", after }, relations: new Set() })).map(
        (view) => view.agent,
      ),
    blocks: (after, size) => memoir.blocks.list(me, {}, { limit: size, order: "asc", after }),
  };
  const figures: Figure[] = [];
  for (const [name, list] of Object.entries(lists)) {
    const first = await timePage(list, undefined);
    const last = await timePage(list, await findNearEnd(list));
    figures.push({
      name: `pages: the last ${limit} of 10,000 ${name}, ${dialect}`,
      value: last,
      unit: "ms",
      notes: [`${(last / first).toFixed(2)} times the first page`],
    });
  }
  await memoir.close();
  await database.remove();
  return figures;
}

export const pages: Line = {
  name: "pages",
  async run() {
    const figures: Figure[] = [];
    for (const dialect of listDialects()) figures.push(...(await measure(dialect)));
    return figures;
  },
};
