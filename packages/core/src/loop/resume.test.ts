/** A run that is cut off anywhere ends as if nothing had happened; resume-kills.long.ts does the same with kill -9. */
import { expect, test } from "vitest";
import { Memoir } from "../memoir.ts";
import type { Model } from "../model/model.ts";
import { callTool, say, scriptedByPosition } from "../model/scripted.ts";
import { beginRun, lookUp, makeScript, readOutcome, startScripted, untilEvent } from "../testing/cut-runs.ts";
import { createDatabase, testEncryptionKey } from "../testing/databases.ts";
import type { HostTool } from "../tools/executors/host.ts";

const only = (model: Model) => ({ get: () => model });

/** 100 scripts, a tenth of them on PostgreSQL: there a start takes several times as long. */
const seeds = { sqlite: { first: 0, count: 90 }, postgres: { first: 90, count: 10 } };

for (const dialect of ["sqlite", "postgres"] as const) {
  const { first, count } = seeds[dialect];
  test.for(Array.from({ length: count }, (_, index) => first + index))(
    `${dialect}: script %i, cut off after each of its events, ends as the uncut run`,
    async (seed, context) => {
      const script = makeScript(seed);
      const database = await createDatabase(dialect, context);
      let memoir = await startScripted(database, script);
      const uncut = await readOutcome(memoir, await beginRun(memoir));
      expect(uncut.reason).toBe("end_turn");
      for (let cut = 0; cut <= uncut.events; cut++) {
        const run = await beginRun(memoir);
        await untilEvent(memoir, run, cut);
        await memoir.close();
        memoir = await startScripted(database, script);
        expect(await readOutcome(memoir, run), `cut after event ${cut}`).toEqual(uncut);
      }
      await memoir.close();
    },
  );
}

test("a call that was cut off puts no later one in doubt, though the provider gives them the same id", async (context) => {
  const database = await createDatabase("sqlite", context);
  const called: unknown[] = [];
  const open = async (answer: () => Promise<string>) => {
    const pay: HostTool = {
      ...lookUp,
      effect: "unsafe",
      run: ({ text }) => {
        called.push(text);
        return answer();
      },
    };
    const reply = (text: string) => callTool("look_up", { text }, { id: "call_0" });
    const models = only(scriptedByPosition([reply("first"), reply("second"), say("Done.")]));
    const memoir = new Memoir({ database, encryptionKey: testEncryptionKey, models, tools: [pay] });
    await memoir.start();
    return memoir;
  };
  const before = await open(() => new Promise(() => {}));
  const actor = before.defaultActor;
  const { agent } = await before.agents.create(actor, { model: "openai/gpt-4o-mini", tools: ["look_up"] });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];
  const run = await before.messages.send(actor, agent.id, { messages });
  for await (const { type } of before.messages.follow(actor, run.id)) if (type === "tool-start") break;
  await before.close();
  const after = await open(async () => "paid");
  const result = await after.messages.complete(actor, run.id);
  await after.close();
  expect(called).toEqual(["first", "second"]);
  const outputs = result.messages.flatMap(({ toolReturns }) => toolReturns?.map(({ output }) => output) ?? []);
  expect(outputs).toEqual([expect.stringContaining("nobody knows"), "paid"]);
});
