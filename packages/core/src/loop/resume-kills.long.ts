/** resume.test.ts with processes that die of SIGKILL: 100 scripts on each database, killed after each of their events. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type BegunRun, beginRun, makeScript, type Outcome, readOutcome, startScripted } from "../testing/cut-runs.ts";
import { createDatabase, dialects } from "../testing/databases.ts";

const program = join(import.meta.dirname, "..", "testing", "cut-runs-program.ts");

interface Told {
  readonly outcome?: Outcome;
  readonly run?: BegunRun;
  readonly signal: string | null;
}

async function play(database: string, seed: number, cut: number | undefined, left?: BegunRun): Promise<Told> {
  const words = [database, String(seed), String(cut ?? "none"), ...(left ? [left.agentId, left.runId] : [])];
  const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  return Object.assign(
    { signal },
    ...text
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

for (const dialect of dialects) {
  test.for(Array.from({ length: 100 }, (_, seed) => seed))(
    `${dialect}: script %i, killed after each of its events, ends as the uncut run`,
    { timeout: 600_000 },
    async (seed, context) => {
      const database = await createDatabase(dialect, context);
      const memoir = await startScripted(database, makeScript(seed));
      const uncut = await readOutcome(memoir, await beginRun(memoir));
      await memoir.close();
      expect(uncut.reason).toBe("end_turn");
      let { run, signal } = await play(database, seed, 0);
      for (let cut = 1; cut <= uncut.events + 1; cut++) {
        expect([run === undefined, signal], `event ${cut - 1}`).toEqual([false, "SIGKILL"]);
        const told = await play(database, seed, cut <= uncut.events ? cut : undefined, run);
        expect(told.outcome, `killed after event ${cut - 1}`).toEqual(uncut);
        ({ run, signal } = told);
      }
      expect([run, signal]).toEqual([undefined, null]);
    },
  );
}
