/** A database, the clients that write to it, and what has been seen so far: what the rounds of a crash test share. */
import { type Checked, check } from "./checking.ts";
import { type Client, compareAgent, createClient, work } from "./client.ts";
import type { Database } from "./database.ts";
import { createRandom, type Random } from "./random.ts";
import { createSharedBlocks, type SharedBlocks } from "./shared.ts";
import type { Ids } from "./world.ts";

export type Scene = {
  random: Random;
  database: Database;
  clients: Client[];
  shared: SharedBlocks;
  sharedIds: Ids;
  tally: Omit<Checked, "problems">;
};

const clientCount = 16;
const sharedLabels = ["shared-1", "shared-2", "shared-3"];

export function createScene(database: Database, seed: number): Scene {
  const random = createRandom(seed);
  const clients = Array.from({ length: clientCount }, (_, index) => createClient(`c${index + 1}`, random));
  const sharedIds: Ids = new Map();
  const shared = createSharedBlocks(sharedIds);
  return { random, database, clients, shared, sharedIds, tally: { unanswered: 0, happened: 0 } };
}

/** Lets all clients work, evenly on the servers there are, until their requests fail or `stop` says so. */
export async function workTogether(scene: Scene, urls: readonly string[], stop: AbortSignal): Promise<void> {
  const { clients, shared } = scene;
  await Promise.all(clients.map((client, index) => work(client, urls[index % urls.length] ?? "", shared, stop)));
}

/** Before clients first work: makes the blocks that all of them write. */
export async function makeSharedBlocks({ sharedIds }: Scene, url: string): Promise<void> {
  if (sharedIds.size > 0) return;
  for (const label of sharedLabels) {
    const body = JSON.stringify({ label, value: label });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/v1/blocks/`, { method: "POST", headers, body });
    const { id } = (await answer.json()) as { id: string };
    sharedIds.set(label, id);
  }
}

/** Fails with everything that is wrong in the database, and with what else was seen in `moment`. */
export async function checkScene(scene: Scene, moment: string, seen: readonly string[] = []): Promise<void> {
  const { problems, unanswered, happened } = await check(scene.database, scene.clients, scene.shared);
  scene.tally.unanswered += unanswered;
  scene.tally.happened += happened;
  refuse(moment, [...seen, ...problems]);
}

/** Reads every agent over HTTP, as its client would. */
export async function readEverything(scene: Scene, url: string): Promise<void> {
  const problems: string[] = [];
  for (const { world, ids } of scene.clients) {
    for (const name of Object.keys(world.agents)) {
      const answer = await fetch(`${url}/v1/agents/${ids.get(name)}`);
      if (answer.ok) problems.push(...compareAgent(world, name, (await answer.json()) as never));
      else problems.push(`${name} was answered ${answer.status}: ${await answer.text()}`);
    }
  }
  refuse("reading everything", problems);
}

/** Crashes say nothing unless something was written under them. */
export const leastAcknowledged = 100;

export function countAcknowledged({ clients }: Scene): number {
  return clients.reduce((sum, client) => sum + client.acknowledged, 0);
}

export function summarize(scene: Scene): string {
  const { tally } = scene;
  const acknowledged = countAcknowledged(scene);
  return `${acknowledged} writes acknowledged, ${tally.unanswered} cut off, ${tally.happened} of these had happened`;
}

function refuse(moment: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, 20).join("\n");
  throw new Error(`${moment}: ${problems.length} problems\n${shown}`);
}
