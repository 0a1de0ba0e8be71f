/** A run that is cut off anywhere ends as if nothing had happened. */
import { expect, type TestContext, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { Memoir } from "../memoir.ts";
import type { Model } from "../model/model.ts";
import { callTool, callTools, type ScriptedReply, say, scriptedByPosition } from "../model/scripted.ts";
import { createDatabase, type DialectName, testEncryptionKey } from "../testing/databases.ts";
import type { HostTool } from "../tools/executors/host.ts";

const only = (model: Model) => ({ get: () => model });

/** Small, repeatable, good enough to vary scripts. */
function createRandom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) | 0;
    return (state >>> 1) % below;
  };
}

const edits: ((round: number) => { name: string; arguments: JsonObject })[] = [
  (round) => ({ name: "memory_insert", arguments: { label: "human", new_string: `Fact ${round}.` } }),
  (round) => ({ name: "memory_replace", arguments: { label: "human", old_string: "Ada", new_string: `Ada${round}` } }),
  (round) => ({ name: "archival_memory_insert", arguments: { content: `Story ${round}`, tags: ["story"] } }),
  () => ({ name: "conversation_search", arguments: { query: "hello" } }),
  () => ({ name: "memory_replace", arguments: { label: "nobody", old_string: "x", new_string: "y" } }),
  (round) => ({ name: "look_up", arguments: { text: `Thing ${round}` } }),
];

/** Runs outside the commit, so that a run can be cut off before, during and after it. */
const lookUp: HostTool = {
  name: "look_up",
  description: "Looks a thing up.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  effect: "read",
  run: ({ text }) => `${text} is known.`,
};

function makeScript(seed: number): ScriptedReply[] {
  const random = createRandom(seed);
  const pick = (round: number) => (edits[random(edits.length)] ?? edits[0])?.(round) as ReturnType<(typeof edits)[0]>;
  const steps = Array.from({ length: 1 + random(3) }, (_, round) => {
    const calls = Array.from({ length: 1 + random(2) }, () => pick(round));
    const [first] = calls;
    return calls.length === 1 && first ? callTool(first.name, first.arguments) : callTools(calls);
  });
  return [...steps, say(`Done with ${seed}.`)];
}

interface Outcome {
  readonly block: string;
  readonly messages: unknown[];
  readonly usage: unknown;
  readonly reason: string;
  readonly events: number;
}

async function start(database: string, script: ScriptedReply[]): Promise<Memoir> {
  const models = only(scriptedByPosition(script));
  const memoir = new Memoir({ database, encryptionKey: testEncryptionKey, models, tools: [lookUp] });
  await memoir.start();
  return memoir;
}

/** Runs the script; with a cut, stops the whole Memoir when that event arrives and lets a new one finish. */
async function play(
  dialect: DialectName,
  context: TestContext,
  script: ScriptedReply[],
  cut?: number,
): Promise<Outcome> {
  const database = await createDatabase(dialect, context);
  let memoir = await start(database, script);
  const actor = memoir.defaultActor;
  const { agent } = await memoir.agents.create(actor, {
    model: "openai/gpt-4o-mini",
    parallelToolCalls: true,
    tools: ["look_up"],
    blocks: [{ label: "human", value: "Name: Ada" }],
  });
  const run = await memoir.messages.send(actor, agent.id, {
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  });
  if (cut === 0) {
    await memoir.close();
    memoir = await start(database, script);
  } else if (cut !== undefined) {
    for await (const event of memoir.messages.follow(actor, run.id)) if (event.seq === cut) break;
    await memoir.close();
    memoir = await start(database, script);
  }
  const result = await memoir.messages.complete(actor, run.id);
  let events = 0;
  for await (const _ of memoir.messages.follow(actor, run.id)) events++;
  const block = (await memoir.blocks.getOfAgent(actor, agent.id, "human")).value;
  await memoir.close();
  const messages = result.messages.map(({ role, content, toolCalls, toolReturns }) => ({
    role,
    content,
    toolCalls,
    toolReturns: toolReturns?.map((item) => ({
      ...item,
      output: item.output.replaceAll(/\d+[smhd] ago|"timestamp":"[^"]*"/g, ""),
    })),
  }));
  return { block, messages, usage: result.usage, reason: result.reason, events };
}

const isLong = process.env.MEMOIR_TEST_LONG !== undefined;
const count = isLong ? { sqlite: 97, postgres: 100 } : { sqlite: 25, postgres: 3 };

for (const dialect of ["sqlite", "postgres"] as const) {
  test.for(Array.from({ length: count[dialect] }, (_, seed) => seed))(
    `${dialect}: script %i, cut off after each of its events, ends as the uncut run`,
    async (seed, context) => {
      const script = makeScript(seed);
      const uncut = await play(dialect, context, script);
      expect(uncut.reason).toBe("end_turn");
      for (let cut = 0; cut <= uncut.events; cut++) {
        expect(await play(dialect, context, script, cut), `cut after event ${cut}`).toEqual(uncut);
      }
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
