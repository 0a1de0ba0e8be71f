/** How long from the command to the first answer. The program's compile cache is warm, as it is from the second start on. */
import { get } from "node:http";
import type { Database } from "../../crash/database.ts";
import type { Line } from "../lines.ts";
import { median } from "../measure.ts";
import { createDatabase, startBuilt } from "../start.ts";

const times = 7;

export const start: Line = {
  name: "start",
  async run() {
    const used = await createDatabase("sqlite");
    // The first start migrates this database and, by ending in order, leaves the compile cache behind.
    await timeStart(used);
    const again = await repeat(() => timeStart(used));
    const first = await repeat(async () => {
      const fresh = await createDatabase("sqlite");
      const seconds = await timeStart(fresh);
      await fresh.remove();
      return seconds;
    });
    await used.remove();
    return [
      {
        name: "start: until it is healthy",
        value: median(again),
        unit: "s",
        target: 0.5,
        old: "26 s",
        notes: spread(again),
      },
      { name: "start: the same on an empty folder", value: median(first), unit: "s", notes: spread(first) },
    ];
  },
};

async function timeStart(database: Database): Promise<number> {
  const begun = performance.now();
  const server = startBuilt(database);
  await answer(`${await server.ready}/v1/health/`);
  const seconds = (performance.now() - begun) / 1000;
  server.kill("SIGTERM");
  await server.ended;
  return seconds;
}

function answer(url: string): Promise<void> {
  return new Promise((settle, fail) => {
    get(url, (response) => response.resume().on("end", settle)).on("error", fail);
  });
}

async function repeat(measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  while (values.length < times) values.push(await measure());
  return values;
}

function spread(values: readonly number[]): string[] {
  return [`of ${times}: ${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)} s`];
}
