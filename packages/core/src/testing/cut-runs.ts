/** Scripted runs for tests that cut them off: what the model does, and what has to be the same whether it was cut or not. */
import { Memoir } from "../memoir.ts";
import { callTool, callTools, type ScriptedReply, say, scriptedByPosition } from "../model/scripted.ts";
import type { JsonObject } from "../shared/json.ts";
import type { HostTool } from "../tools/executors/host.ts";
import { testEncryptionKey } from "./databases.ts";

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
export const lookUp: HostTool = {
  name: "look_up",
  description: "Looks a thing up.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  effect: "read",
  run: ({ text }) => `${text} is known.`,
};

export function makeScript(seed: number): ScriptedReply[] {
  const random = createRandom(seed);
  const pick = (round: number) => (edits[random(edits.length)] ?? edits[0])?.(round) as ReturnType<(typeof edits)[0]>;
  const steps = Array.from({ length: 1 + random(3) }, (_, round) => {
    const calls = Array.from({ length: 1 + random(2) }, () => pick(round));
    const [first] = calls;
    return calls.length === 1 && first ? callTool(first.name, first.arguments) : callTools(calls);
  });
  return [...steps, say(`Done with ${seed}.`)];
}

export interface Outcome {
  readonly block: string;
  readonly messages: unknown[];
  readonly usage: unknown;
  readonly reason: string;
  readonly events: number;
}

/** A run of an agent of its own. */
export interface BegunRun {
  readonly agentId: string;
  readonly runId: string;
}

export async function startScripted(database: string, script: ScriptedReply[]): Promise<Memoir> {
  const model = scriptedByPosition(script);
  const models = { get: () => model };
  const memoir = new Memoir({ database, encryptionKey: testEncryptionKey, models, tools: [lookUp] });
  await memoir.start();
  return memoir;
}

export async function beginRun(memoir: Memoir): Promise<BegunRun> {
  const actor = memoir.defaultActor;
  const { agent } = await memoir.agents.create(actor, {
    model: "openai/gpt-4o-mini",
    parallelToolCalls: true,
    tools: ["look_up"],
    blocks: [{ label: "human", value: "Name: Ada" }],
  });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];
  return { agentId: agent.id, runId: (await memoir.messages.send(actor, agent.id, { messages })).id };
}

/** Waits for the event; 0 is the moment after the run was accepted. */
export async function untilEvent(memoir: Memoir, { runId }: BegunRun, number: number): Promise<void> {
  if (number === 0) return;
  for await (const event of memoir.messages.follow(memoir.defaultActor, runId)) if (event.seq === number) return;
}

export async function readOutcome(memoir: Memoir, { agentId, runId }: BegunRun): Promise<Outcome> {
  const actor = memoir.defaultActor;
  const result = await memoir.messages.complete(actor, runId);
  let events = 0;
  for await (const _ of memoir.messages.follow(actor, runId)) events++;
  const block = (await memoir.blocks.getOfAgent(actor, agentId, "human")).value;
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
