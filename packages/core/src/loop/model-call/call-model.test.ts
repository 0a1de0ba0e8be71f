/** Calls for which there is little room: what a model is asked then, and what it is still told. */
import { expect, test } from "vitest";
import type { Memoir } from "../../memoir.ts";
import { createModelError } from "../../model/errors.ts";
import type { ModelRequest } from "../../model/model.ts";
import type { NewAgent } from "../../services/agents/agent-create.ts";
import { openTestMemoir } from "../../testing/databases.ts";
import { createTalker, say, tell } from "../../testing/talker.ts";
import type { HostTool } from "../../tools/executors/host.ts";

const refuse = (code: "llm-context-exceeded" | "llm-overloaded") =>
  createModelError(code, "no", { provider: "openai", model: "gpt-4o-mini" });

async function createAgent(memoir: Memoir, input: Partial<NewAgent> = {}): Promise<string> {
  const blocks = [{ label: "human", value: "Name: Ada" }];
  const model = "openai/gpt-4o-mini";
  const { agent } = await memoir.agents.create(memoir.defaultActor, { model, contextWindow: 8_192, blocks, ...input });
  return agent.id;
}

const textOf = ({ messages }: ModelRequest) => JSON.stringify(messages);
const wordy = (words: string) => `${words} ${"the kettle is on the stove ".repeat(25)}`;

test("a model that takes far less than it is said to is asked less and less, and answers the next message too", async (context) => {
  const { models } = createTalker((request) =>
    textOf(request).length > 5_000 ? refuse("llm-context-exceeded") : say("ok"),
  );
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir, { contextWindow: 128_000 });
  for (const words of ["hello", "long words here ".repeat(2_000), "still there?"]) {
    expect((await tell(memoir, agentId, words)).reason).toBe("end_turn");
  }
});

test("the question stays in view however often room is made while it is answered", async (context) => {
  const readMuch: HostTool = {
    name: "read_much",
    description: "Reads much.",
    parameters: { type: "object", properties: {} },
    effect: "read",
    run: () => "line of text ".repeat(1_200),
  };
  const { asked, summaries, models } = createTalker((_, index) =>
    index > 15 ? say("done") : { toolCalls: [{ id: `call-${index}`, name: "read_much", arguments: "{}" }] },
  );
  const memoir = await openTestMemoir("sqlite", context, { models, tools: [readMuch] });
  const agentId = await createAgent(memoir, { tools: ["read_much"] });
  expect((await tell(memoir, agentId, "How many kettles are there?")).reason).toBe("end_turn");
  expect(summaries.length).toBeGreaterThan(2);
  for (const request of asked) expect(textOf(request)).toContain("How many kettles are there?");
});

test.for([
  ["nobody can write", () => refuse("llm-overloaded")],
  ["is far too long", () => say("and so on and on ".repeat(3_000))],
] as const)("a summary that %s leaves room for the conversation", async ([, summarise], context) => {
  const { asked, models } = createTalker(() => say(wordy("answer")), summarise);
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir);
  const made: boolean[] = [];
  for (let round = 1; round <= 70; round++) {
    const { run } = await tell(memoir, agentId, wordy(`question ${round}`));
    const types = [];
    for await (const { type } of memoir.messages.follow(memoir.defaultActor, run.id)) types.push(type);
    made.push(types.includes("compaction"));
  }
  expect(made.filter((isMade) => isMade).length).toBeLessThan(25);
  for (const request of asked.slice(-10)) expect(request.messages.length).toBeGreaterThan(5);
});

test("an agent that summarises for itself sees the images too", async (context) => {
  const { asked, models } = createTalker();
  const memoir = await openTestMemoir("sqlite", context, { models });
  const agentId = await createAgent(memoir);
  const actor = memoir.defaultActor;
  const source = { type: "base64" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  const run = await memoir.messages.send(actor, agentId, {
    messages: [{ role: "user", content: [{ type: "image", source }] }],
  });
  await memoir.messages.complete(actor, run.id);
  await memoir.messages.compact(actor, { agentId }, { mode: "self_compact_all" });
  expect(asked).toHaveLength(2);
  for (const request of asked) expect(textOf(request)).toContain(source.data);
});
