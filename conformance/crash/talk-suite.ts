/** kill -9 while clients talk to agents, in the two sizes of message-crash.test.ts and message-crash.long.ts. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type DirectedModels, startDirectedModels } from "../support/directed-models.ts";
import { hasPostgres, type Service, startPostgres, whyMissing } from "../support/services.ts";
import { createPostgresDatabase, createSqliteDatabase, type Database } from "./database.ts";
import { type ServerProcess, startMemoir } from "./process.ts";
import { chooseSeed, createRandom, type Random } from "./random.ts";
import { checkTalk, countOpenRuns } from "./talk-check.ts";
import { createAgents, createTalker, sayNext, type Talker, talk } from "./talkers.ts";

export type Size = {
  /** Each from empty, so that conversations stay short. */
  databases: number;
  kills: number;
};

const talkerCount = 8;
const killed = 137;
/** No measure of speed: after so long for each kill nobody believes any more that it will end. */
const timeout = (kills: number) => ({ timeout: kills * 30_000 });
const seed = chooseSeed();

export function testTalkCrashes({ sqlite, postgres }: { sqlite: Size; postgres: Size }): void {
  const turns = ({ databases }: Size) => Array.from({ length: databases }, (_, index) => index + 1);

  test.for(turns(sqlite))(
    "SQLite: the server is killed while agents work, database %i",
    timeout(sqlite.kills),
    (turn) => killOften(createSqliteDatabase(), sqlite.kills, seed + turn),
  );

  describe("PostgreSQL", () => {
    let service: Service | undefined;
    beforeAll(async () => {
      if (hasPostgres()) service = await startPostgres({ fsync: true });
    });
    afterAll(() => service?.stop());

    test.for(turns(postgres))(
      "the server is killed while agents work, database %i",
      timeout(postgres.kills),
      async (turn, context) => {
        if (!service) return context.skip(whyMissing("postgres"));
        await killOften(await createPostgresDatabase(service.url), postgres.kills, seed + turn);
      },
    );
  });
}

interface Scene {
  readonly database: Database;
  readonly models: DirectedModels;
  readonly talkers: readonly Talker[];
  readonly random: Random;
  /** Messages that a kill met after they were accepted and before they were answered. */
  cut: number;
}

async function killOften(database: Database, kills: number, chance: number): Promise<void> {
  onTestFinished(database.remove);
  console.log(`MEMOIR_TEST_SEED=${seed}`);
  const random = createRandom(chance);
  // Tokens take their time, so that kills fall between them.
  const models = await startDirectedModels({ gate: () => sleep(random.between(0, 2)) });
  const talkers = Array.from({ length: talkerCount }, (_, index) => createTalker(`t${index + 1}`, random));
  const scene: Scene = { database, models, talkers, random, cut: 0 };
  for (let round = 1; round <= kills; round++) await killOnce(scene, round);
  await endInOrder(scene);
  const said = talkers.flatMap((talker) => talker.said);
  const kept = said.filter(({ isKept }) => isKept).length;
  const dropped = said.length - kept;
  console.log(
    `${kills} kills: ${kept} messages answered once, ${scene.cut} of them cut off, ${dropped} never accepted`,
  );
  expect(scene.cut).toBeGreaterThan(kills / 2);
}

async function killOnce(scene: Scene, round: number): Promise<void> {
  const { database, models, talkers, random } = scene;
  const server = startMemoir({ database: database.address, env: models.env });
  const url = await server.ready;
  if (round === 1) await createAgents(url, talkers);
  // Some die again while they still make up for the last time.
  if (round > 1 && random.isOneIn(4)) await sleep(random.between(0, 150));
  else {
    await settle(scene, server, `after kill ${round - 1}`);
    const talking = Promise.all(talkers.map((talker) => talk(url, talker, new AbortController().signal)));
    // The first kill finds everyone at work, however slow the machine is; the others come at any moment.
    if (round === 1) await untilHeard(scene);
    else await sleep(random.between(20, 800));
    server.kill("SIGKILL");
    await talking;
  }
  server.kill("SIGKILL");
  const status = await server.ended;
  refuse(`kill ${round}`, [...findErrors(server), ...(status === killed ? [] : [`it ended with ${status}`])]);
}

/** Waits until a model was asked what to say to each of them. */
async function untilHeard({ models, talkers }: Scene): Promise<void> {
  const isHeard = ({ name }: Talker) => models.openai.requests.some(({ text }) => text.includes(`This is ${name}-`));
  while (!talkers.every(isHeard)) await sleep(2);
}

/** Waits until no run is open, and looks whether everything is as it should be. */
async function settle(scene: Scene, server: ServerProcess, moment: string): Promise<void> {
  const { database, talkers } = scene;
  const fresh = talkers.flatMap(({ said }) => said.filter(({ isKept }) => isKept === undefined));
  const deadline = Date.now() + 60_000;
  while ((await countOpenRuns(database)) > 0) {
    if (Date.now() > deadline) refuse(moment, [`runs stay open:\n${server.output()}`]);
    await sleep(20);
  }
  refuse(moment, [...(await database.findDamage()), ...(await checkTalk(database, talkers))]);
  scene.cut += fresh.filter(({ isAnswered, isKept }) => isKept && !isAnswered).length;
}

/** In the end everyone says one thing more and is answered, and a server that is asked to stop stops. */
async function endInOrder(scene: Scene): Promise<void> {
  const { database, models, talkers } = scene;
  const server = startMemoir({ database: database.address, env: models.env });
  const url = await server.ready;
  await settle(scene, server, "after the last kill");
  const answered = await Promise.all(talkers.map((talker) => sayNext(url, talker)));
  expect(answered).toEqual(talkers.map(() => true));
  await settle(scene, server, "after the last words");
  server.kill("SIGTERM");
  const status = await server.ended;
  refuse("the end", [...findErrors(server), ...(status === 0 ? [] : [`it ended with ${status}: ${server.output()}`])]);
}

function findErrors(server: ServerProcess): string[] {
  return server
    .output()
    .split("\n")
    .filter((line) => /"level":[56]0/.test(line));
}

function refuse(moment: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new Error(`${moment}: ${problems.length} problems\n${problems.slice(0, 10).join("\n").slice(0, 8_000)}`);
}
