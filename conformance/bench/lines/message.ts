/**
 * Our own time for a message: everything between a caller's send and its answer, with a model that answers at once. In
 * this process, through the library, so that neither HTTP nor a client's own work is in it.
 */
import { Memoir } from "@memoir/core";
import type { Model } from "../../../packages/core/src/model/model.ts";
import { countStatements, readStatements } from "../../../packages/core/src/testing/statements.ts";
import type { Line } from "../lines.ts";
import { createDatabase, type Dialect, listDialects } from "../start.ts";
import type { Figure } from "../table.ts";
import { usage } from "../usage.ts";

const atOnce: Model = {
  async *stream() {
    yield {
      type: "reply",
      reply: { content: [{ type: "text", text: "Noted." }], toolCalls: [], finishReason: "stop", usage },
    };
  },
};

type Talk = (agentId: string) => Promise<number>;
type CreateAgent = (input?: { autoclear?: boolean }) => Promise<string>;

async function open(dialect: Dialect) {
  const database = await createDatabase(dialect);
  const memoir = new Memoir({
    database: database.address,
    encryptionKey: "bench",
    models: { get: () => atOnce },
  });
  await memoir.start();
  const actor = memoir.defaultActor;
  const createAgent: CreateAgent = async (input = {}) => {
    const blocks = [
      { label: "human", value: "Name: Ada" },
      { label: "persona", value: "I am terse." },
    ];
    return (await memoir.agents.create(actor, { model: "openai/gpt-4o-mini", blocks, ...input })).agent.id;
  };
  const talk: Talk = async (agentId) => {
    const startedAt = performance.now();
    const content = [{ type: "text" as const, text: "The kettle is on the stove and the tea is nearly ready." }];
    const run = await memoir.messages.send(actor, agentId, { messages: [{ role: "user", content }] });
    await memoir.messages.complete(actor, run.id);
    return performance.now() - startedAt;
  };
  const close = async () => {
    await memoir.close();
    await database.remove();
  };
  return { createAgent, talk, close };
}

async function repeat(talk: Talk, agentId: string, times: number): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < times; round++) taken.push(await talk(agentId));
  return taken;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function measure(dialect: Dialect): Promise<Figure[]> {
  const { createAgent, talk, close } = await open(dialect);
  const agentId = await createAgent();
  await repeat(talk, agentId, 100);
  const before = readStatements();
  const taken = await repeat(talk, agentId, 300);
  const statements = (readStatements() - before) / 300;
  const agents = await Promise.all(Array.from({ length: 64 }, () => createAgent()));
  const startedAt = performance.now();
  await Promise.all(agents.map((id) => repeat(talk, id, 20)));
  const rate = (64 * 20) / ((performance.now() - startedAt) / 1000);
  const figures: Figure[] = [
    {
      name: `message: own time, median, ${dialect}`,
      value: median(taken),
      unit: "ms",
      target: dialect === "sqlite" ? 2 : 8,
      old: "241 ms, 154 statements",
      notes: [`${statements.toFixed(1)} statements a message`],
    },
    {
      name: `message: 64 agents at once, ${dialect}`,
      value: rate,
      unit: "/s",
      ...(dialect === "sqlite" ? { target: 600 } : {}),
      old: "6/s",
    },
    ...(dialect === "sqlite" ? await measureLong(createAgent, talk) : []),
  ];
  await close();
  return figures;
}

/** A step costs the same however much has been said; a context of any length is read once. */
async function measureLong(createAgent: CreateAgent, talk: Talk): Promise<Figure[]> {
  const talker = await createAgent();
  const short = median(await repeat(talk, talker, 60));
  await repeat(talk, talker, 1_190);
  const middle = median(await repeat(talk, talker, 60));
  // This one forgets its context with each message and keeps everything it heard.
  const keeper = await createAgent({ autoclear: true });
  const few = median(await repeat(talk, keeper, 60));
  await repeat(talk, keeper, 4_940);
  const many = median(await repeat(talk, keeper, 60));
  const times = (value: number, base: number) => `${(value / base).toFixed(2)} times that at 10 messages`;
  return [
    {
      name: "message: with 2,500 in context, sqlite",
      value: middle,
      unit: "ms",
      target: 10,
      old: "1,266 ms",
      notes: [times(middle, short)],
    },
    { name: "message: with 10,000 stored, sqlite", value: many, unit: "ms", notes: [times(many, few), "target 1.2"] },
  ];
}

export const message: Line = {
  name: "message",
  async run() {
    countStatements();
    const figures: Figure[] = [];
    for (const dialect of listDialects()) figures.push(...(await measure(dialect)));
    return figures;
  },
};
