/** Pages of lists of 10,000, over HTTP: the last costs what the first costs. */
import { Memoir } from "@memoir/core";
import type { Model } from "../../../packages/core/src/model/model.ts";
import type { Line } from "../lines.ts";
import { createDatabase, type Dialect, listDialects, startBuilt } from "../start.ts";
import type { Figure } from "../table.ts";
import { usage } from "../usage.ts";

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

const atOnce: Model = {
  async *stream() {
    const content = [{ type: "text" as const, text: "Noted." }];
    yield { type: "reply", reply: { content, toolCalls: [], finishReason: "stop", usage } };
  },
};

/** Through the library, which is faster; answers the agent with the messages. */
async function fillDatabase(database: string): Promise<string> {
  const memoir = new Memoir({ database, encryptionKey: "bench", models: { get: () => atOnce } });
  await memoir.start();
  const me = memoir.defaultActor;
  const agent = { model: "openai/gpt-4o-mini", includeBaseTools: false };
  for (let done = 0; done < count; done += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        await memoir.agents.create(me, agent);
        await memoir.blocks.create(me, { label: "note", value: "text" });
      }),
    );
  }
  // Forgetful, so that its context stays short; a turn leaves two messages.
  const talker = await memoir.agents.create(me, { ...agent, autoclear: true });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "The tea is ready." }] }];
  for (let turn = 0; turn < count / 2; turn++) {
    const run = await memoir.messages.send(me, talker.agent.id, { messages });
    await memoir.messages.complete(me, run.id);
  }
  await memoir.close();
  return talker.agent.id;
}

async function measure(dialect: Dialect): Promise<Figure[]> {
  const database = await createDatabase(dialect);
  const agentId = await fillDatabase(database.address);
  const server = startBuilt(database, false, { MEMOIR_ENCRYPTION_KEY: "bench" });
  const url = await server.ready;
  const listOf =
    (path: string): List =>
    async (after, size) => {
      const query = new URLSearchParams({ order: "asc", limit: String(size), ...(after ? { after } : {}) });
      const answer = await fetch(`${url}${path}?${query}`);
      if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as { id: string }[];
    };
  const paths = { agents: "/v1/agents/", blocks: "/v1/blocks/", messages: `/v1/agents/${agentId}/messages` };
  const figures: Figure[] = [];
  for (const [name, path] of Object.entries(paths)) {
    const list = listOf(path);
    const first = await timePage(list, undefined);
    const last = await timePage(list, await findNearEnd(list));
    figures.push({
      name: `pages: the last ${limit} of 10,000 ${name}, ${dialect}`,
      value: last,
      unit: "ms",
      notes: [`${(last / first).toFixed(2)} times the first page`],
    });
  }
  server.kill("SIGTERM");
  await server.ended;
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
