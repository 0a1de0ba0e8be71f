/**
 * PostgreSQL crashes and comes back under a running server: meanwhile callers are told so, afterwards everything
 * acknowledged is there, and the server goes on by itself.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../support/services.ts";
import { startMemoir } from "./process.ts";
import {
  checkScene,
  countAcknowledged,
  leastAcknowledged,
  makeSharedBlocks,
  readEverything,
  type Scene,
  workTogether,
} from "./scene.ts";

/** How long the server may take to find its database again before we say that it does not. */
const recoveryMs = 60_000;

/** Answers the statuses that callers got meanwhile. */
export async function crashDatabaseOften(scene: Scene, postgres: Service, crashes: number): Promise<string[]> {
  const server = startMemoir({ database: scene.database.address });
  const url = await server.ready;
  await makeSharedBlocks(scene, url);
  const answers: string[] = [];
  for (let round = 1; round <= crashes; round++) {
    const working = workTogether(scene, [url], new AbortController().signal);
    await sleep(scene.random.between(50, 900));
    // However slow the machine is: in the end, something was written under the crashes.
    while (round === crashes && countAcknowledged(scene) <= leastAcknowledged) await sleep(20);
    await postgres.restart("crash");
    // Each client stops at its first failure, so this also says that every one of them was answered.
    await working;
    await waitUntilReady(url);
    await checkScene(scene, `crash ${round} of PostgreSQL`);
    answers.push(...scene.clients.flatMap(({ failures }) => failures.splice(0)));
  }
  await readEverything(scene, url);
  server.kill("SIGTERM");
  const status = await server.ended;
  await checkScene(scene, "after the last stop", status === 0 ? [] : [`it ended with ${status}: ${server.output()}`]);
  return answers;
}

async function waitUntilReady(url: string): Promise<void> {
  const signal = AbortSignal.timeout(recoveryMs);
  while (!(await fetch(`${url}/v1/ready/`, { signal })).ok) await sleep(20);
}
