/** The crash tests, in the two sizes of crash.test.ts and crash.long.ts. The databases take turns: two cores are few. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hasPostgres, type Service, startPostgres, whyMissing } from "../support/services.ts";
import { createPostgresDatabase, createSqliteDatabase, type Database } from "./database.ts";
import { crashDatabaseOften } from "./database-crashes.ts";
import { killOften } from "./kills.ts";
import { chooseSeed } from "./random.ts";
import { countAcknowledged, createScene, leastAcknowledged, type Scene, summarize } from "./scene.ts";

export type Size = {
  /** How many databases of each kind, each from empty with a seed of its own. */
  databases: number;
  /** How often the server is killed on each. */
  kills: number;
  /** How often PostgreSQL itself crashes. */
  databaseCrashes: number;
};

/** No measure of speed: after so long for each crash nobody believes any more that it will end. */
const timeout = (crashes: number) => ({ timeout: crashes * 30_000 });

export function testCrashes({ databases, kills, databaseCrashes }: Size): void {
  const turns = Array.from({ length: databases }, (_, index) => index + 1);

  test.for(turns)("SQLite: the server is killed again and again, database %i", timeout(kills), async (turn) => {
    const scene = openScene(createSqliteDatabase(), turn);
    await killOften(scene, kills);
    report(scene, `${kills} kills`);
  });

  describe("PostgreSQL", () => {
    let postgres: Service | undefined;
    beforeAll(async () => {
      // Of its own, and one that keeps its promises: only then does a crash say something.
      if (hasPostgres()) postgres = await startPostgres({ fsync: true });
    });
    afterAll(() => postgres?.stop());

    test.for(turns)("the server is killed again and again, database %i", timeout(kills), async (turn, context) => {
      if (!postgres) return context.skip(whyMissing("postgres"));
      const scene = openScene(await createPostgresDatabase(postgres.url), turn);
      await killOften(scene, kills);
      report(scene, `${kills} kills`);
    });

    test("it crashes itself, and the server goes on", timeout(databaseCrashes), async (context) => {
      if (!postgres) return context.skip(whyMissing("postgres"));
      const scene = openScene(await createPostgresDatabase(postgres.url), 0);
      const answers = await crashDatabaseOften(scene, postgres, databaseCrashes);
      report(scene, `${databaseCrashes} crashes`);
      expect([...new Set(answers)]).toEqual(["503"]);
    });
  });
}

const seed = chooseSeed();

function openScene(database: Database, turn: number): Scene {
  onTestFinished(database.remove);
  console.log(`MEMOIR_TEST_SEED=${seed}`);
  return createScene(database, seed + turn);
}

function report(scene: Scene, crashes: string): void {
  console.log(`${crashes}: ${summarize(scene)}`);
  expect(countAcknowledged(scene)).toBeGreaterThan(leastAcknowledged);
}
