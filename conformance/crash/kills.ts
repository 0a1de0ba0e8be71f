/**
 * Kills the server again and again under the writes of its clients, at random moments and at named points, and looks
 * after each kill whether everything acknowledged is there and nothing is half there.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { failpoints } from "./failpoint.ts";
import { type ServerProcess, startMemoir } from "./process.ts";
import type { Random } from "./random.ts";
import { checkScene, makeSharedBlocks, readEverything, type Scene, workTogether } from "./scene.ts";

type Plan = { when: "starting" | "working"; ms: number } | { when: "failpoint"; point: string };

const preload = pathToFileURL(join(import.meta.dirname, "failpoint.ts")).href;
/** On the empty database: within the migrations, around their commit, and while the first rows are made. */
const firstPoints = ["in-transaction:5", "before-commit:1", "after-commit:1", "in-transaction:2", "before-commit:2"];
/** A failpoint is reached at once or never; the wait is for a machine that is slow. */
const failpointMs = 5_000;
const killed = 137;

export async function killOften(scene: Scene, kills: number): Promise<void> {
  for (let round = 0; round < kills; round++) {
    const plan = planKill(scene.random, round);
    const seen = await killOnce(scene, plan);
    await checkScene(scene, `kill ${round + 1}, ${JSON.stringify(plan)}`, seen);
  }
  await stopInOrder(scene);
}

function planKill(random: Random, round: number): Plan {
  const first = firstPoints[round];
  if (first) return { when: "failpoint", point: first };
  if (random.isOneIn(10)) return { when: "starting", ms: random.between(50, 700) };
  if (random.isOneIn(3)) return { when: "failpoint", point: `${random.pick(failpoints)}:${random.between(5, 120)}` };
  return { when: "working", ms: random.between(5, 900) };
}

/** One life of the server. Answers what was seen of it that should not be. */
async function killOnce(scene: Scene, plan: Plan): Promise<string[]> {
  const server = startMemoir({
    database: scene.database.address,
    ...(plan.when === "failpoint" ? { preload, env: { MEMOIR_TEST_FAILPOINT: plan.point } } : {}),
  });
  if (plan.when === "starting") sleep(plan.ms).then(() => server.kill("SIGKILL"));
  const url = await server.ready.catch(() => undefined);
  const damage = await scene.database.findDamage();
  if (url) await killAtWork(scene, plan, server, url);
  const status = await server.ended;
  const errors = server
    .output()
    .split("\n")
    .filter((line) => /"level":[56]0/.test(line));
  if (status === killed) return [...damage, ...errors];
  return [...damage, `the server was not killed but ended with ${status}:\n${server.output()}`];
}

async function killAtWork(scene: Scene, plan: Plan, server: ServerProcess, url: string): Promise<void> {
  if (plan.when === "starting") return;
  // Not where the server may die of it: these must be acknowledged.
  if (plan.when === "working") await makeSharedBlocks(scene, url);
  const working = workTogether(scene, [url], new AbortController().signal);
  await (plan.when === "working" ? sleep(plan.ms) : Promise.race([server.ended, sleep(failpointMs)]));
  server.kill("SIGKILL");
  await working;
}

/** In the end everything can be read by its clients, and a server that is asked to stop leaves a sound database. */
async function stopInOrder(scene: Scene): Promise<void> {
  const server = startMemoir({ database: scene.database.address });
  await readEverything(scene, await server.ready);
  server.kill("SIGTERM");
  const status = await server.ended;
  await checkScene(scene, "after the last stop", status === 0 ? [] : [`it ended with ${status}: ${server.output()}`]);
}
