/** kill -9 at every commit of a conversation that asks and is answered, in the sizes of approval-crash.test.ts and .long.ts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startDirectedModels } from "../support/directed-models.ts";
import { hasPostgres, type Service, startPostgres, whyMissing } from "../support/services.ts";
import { type Asker, checkAsker, createAsker, goOn } from "./asker.ts";
import { createPostgresDatabase, createSqliteDatabase, type Database } from "./database.ts";
import { armedText, type Failpoint, failpoints } from "./failpoint.ts";
import { node, type ServerProcess, startMemoir } from "./process.ts";
import { chooseSeed, createRandom } from "./random.ts";
import { countOpenRuns } from "./talk-check.ts";

/** Which commits are cut, and which statements: all of them when 1, else every so-many-th. */
export type Stride = { commits: number; statements: number };

const here = (file: string) => join(import.meta.dirname, file);
export const hostCommand = [
  node,
  "--conditions=memoir-source",
  "--disable-warning=ExperimentalWarning",
  "--import",
  pathToFileURL(here("failpoint.ts")).href,
  here("host-program.ts"),
];
const killed = 137;
const seed = chooseSeed();
/** Far more than such a conversation takes. */
const most = 1_000;
const timeout = { timeout: 600_000 };

export function testAskCrashes({ sqlite, postgres }: { sqlite: Stride; postgres: Stride }): void {
  const strideOf = ({ commits, statements }: Stride, point: Failpoint) =>
    point === "in-transaction" ? statements : commits;

  test.for(failpoints)("SQLite: killed %s while an agent asks, wherever that is", timeout, (point) =>
    killEverywhere(createSqliteDatabase(), point, strideOf(sqlite, point)),
  );

  describe("PostgreSQL", () => {
    let service: Service | undefined;
    beforeAll(async () => {
      if (hasPostgres()) service = await startPostgres({ fsync: true });
    });
    afterAll(() => service?.stop());

    test.for(failpoints)("killed %s while an agent asks, wherever that is", timeout, async (point, context) => {
      if (!service) return context.skip(whyMissing("postgres"));
      await killEverywhere(await createPostgresDatabase(service.url), point, strideOf(postgres, point));
    });
  });
}

async function killEverywhere(database: Database, point: string, stride: number): Promise<void> {
  onTestFinished(database.remove);
  const folder = mkdtempSync(join(tmpdir(), "memoir-asks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [plan, effects] = [join(folder, "failpoint"), join(folder, "effects")];
  writeFileSync(effects, "");
  const models = await startDirectedModels();
  const env = { ...models.env, MEMOIR_TEST_FAILPOINT_FILE: plan, MEMOIR_TEST_EFFECTS: effects };
  let cut: Asker | undefined;
  let kills = 0;
  let count = createRandom(seed).between(1, stride);
  for (;;) {
    const server = startMemoir({ database: database.address, command: hostCommand, env });
    const url = await server.ready;
    if (cut) await finish(database, server, url, cut, effects);
    const asker = await createAsker(url, `${point}-${count}`);
    await arm(server, plan, `${point}:${count}`);
    const isDone = await goOn(url, asker);
    server.kill(isDone ? "SIGTERM" : "SIGKILL");
    const status = await server.ended;
    // A stop writes as well.
    if (isDone && (status === 0 || status === killed)) {
      expect(asker.complaints).toEqual([]);
      if (kills > 0 || count === 1) break;
      // Chance had chosen a point behind the end: whatever the seed is, something is cut.
      count = Math.ceil(count / 2);
      continue;
    }
    expect(status, server.output()).toBe(killed);
    expect(count).toBeLessThan(most);
    cut = asker;
    kills++;
    count += stride;
  }
  console.log(`${point}: ${kills} kills, MEMOIR_TEST_SEED=${seed}`);
  expect(kills).toBeGreaterThan(0);
}

async function arm(server: ServerProcess, file: string, text: string): Promise<void> {
  writeFileSync(file, text);
  server.kill("SIGUSR2");
  while (!server.output().includes(armedText(text))) await sleep(2);
}

/** First everything that was accepted comes to its end by itself; then the client goes on. */
async function finish(
  database: Database,
  server: ServerProcess,
  url: string,
  asker: Asker,
  effects: string,
): Promise<void> {
  const read = () => readFileSync(effects, "utf8").split("\n");
  const look = async (moment: string) => {
    const deadline = Date.now() + 60_000;
    while ((await countOpenRuns(database)) > 0 && Date.now() < deadline) await sleep(20);
    const problems = [...(await database.findDamage()), ...(await checkAsker(url, asker, read()))];
    if (problems.length > 0) throw new Error(`${moment}:\n${problems.join("\n")}\n${server.output()}`);
  };
  await look("after the kill");
  expect(await goOn(url, asker)).toBe(true);
  await look("after the rest");
}
