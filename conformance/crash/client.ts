/**
 * One of the clients under whose writes the server dies. It works one request at a time, notes what was acknowledged,
 * stops at the first answer that does not come, and now and then reads something back as any user would.
 */
import { type Author, describe, nextOperation, type Operation } from "./operations.ts";
import type { Random } from "./random.ts";
import type { SharedBlocks } from "./shared.ts";
import { compareWorlds, emptyWorld, type World } from "./world.ts";

export type Client = Author & {
  /** Sent and not answered; it may or may not have happened. */
  pending: Operation | undefined;
  acknowledged: number;
  /** Answers nobody should get, in words. */
  problems: string[];
  /** How the last request of a round failed: a status, or what the connection said. */
  failures: string[];
};

/** Nothing takes this long; a request that does hangs. */
const hangMs = 30_000;

export function createClient(name: string, random: Random): Client {
  return {
    name,
    random: random.fork(name),
    world: emptyWorld(),
    ids: new Map(),
    serial: 0,
    pending: undefined,
    acknowledged: 0,
    problems: [],
    failures: [],
  };
}

/** Works until a request fails or the signal says stop. */
export async function work(client: Client, url: string, shared: SharedBlocks, stop: AbortSignal): Promise<void> {
  let goesOn = true;
  while (goesOn && !stop.aborted) {
    if (client.random.isOneIn(8)) goesOn = await readBack(client, url);
    else if (client.random.isOneIn(6)) goesOn = await writeShared(client, url, shared);
    else goesOn = await write(client, url);
  }
}

async function write(client: Client, url: string): Promise<boolean> {
  const operation = nextOperation(client);
  client.pending = operation;
  const answer = await send(client, operation.method, `${url}${operation.path}`, operation.body);
  if (answer === undefined) return false;
  operation.apply(client.world);
  client.pending = undefined;
  client.acknowledged++;
  learnIds(client, answer);
  return true;
}

async function writeShared(client: Client, url: string, shared: SharedBlocks): Promise<boolean> {
  const next = shared.begin(client.name, client.random);
  if (!next) return await write(client, url);
  const { id, text } = next;
  const answer = await send(client, "PATCH", `${url}/v1/blocks/${id}`, { value: text });
  if (answer === undefined) return false;
  shared.acknowledge(text);
  client.acknowledged++;
  return true;
}

/** What is acknowledged is visible at once. */
async function readBack(client: Client, url: string): Promise<boolean> {
  const name = client.random.pick(Object.keys(client.world.agents));
  if (!name) return true;
  const answer = await send(client, "GET", `${url}/v1/agents/${client.ids.get(name)}`);
  if (answer === undefined) return false;
  client.problems.push(...compareAgent(client.world, name, answer as WireAgent));
  return true;
}

type WireAgent = {
  id: string;
  name: string;
  description: string;
  tags: string[];
  blocks: { id: string; label: string; value: string }[];
};

/** The agent as the API shows it against the agent as the client knows it. */
export function compareAgent({ agents, blocks }: World, name: string, wire: WireAgent): string[] {
  const agent = agents[name];
  const expected = { agents: agent ? { [name]: agent } : {}, blocks: {} as World["blocks"], identities: {} };
  for (const label of agent?.labels ?? []) expected.blocks[label] = [blocks[label]?.at(-1) ?? ""];
  const { description, tags } = describe(agent?.token ?? "");
  const isDescribed = wire.description === description && wire.tags.toSorted().join() === tags.toSorted().join();
  const token = isDescribed ? (agent?.token ?? "") : `${wire.description} tagged ${wire.tags}`;
  const found = {
    agents: { [wire.name]: { token, labels: wire.blocks.map(({ label }) => label).sort() } },
    blocks: Object.fromEntries(wire.blocks.map(({ label, value }) => [label, [value]])),
    identities: {},
  };
  return compareWorlds(expected, found).map((problem) => `read over HTTP: ${problem}`);
}

/** The whole answer, or undefined if it did not come. An answer that blames the client is a problem. */
async function send(client: Client, method: string, url: string, body?: unknown): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(hangMs),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    client.failures.push(String(response.status));
    if (response.status < 500) client.problems.push(`${method} ${url} was answered ${response.status}: ${text}`);
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") client.problems.push(`${method} ${url} hangs`);
    client.failures.push("no answer");
  }
  return undefined;
}

function learnIds(client: Client, answer: unknown): void {
  const { id, name, label, identifier_key, blocks = [] } = (answer ?? {}) as Record<string, string> & WireAgent;
  const known = identifier_key ?? label ?? name;
  if (id && known) client.ids.set(known, id);
  for (const block of blocks) client.ids.set(block.label, block.id);
}
