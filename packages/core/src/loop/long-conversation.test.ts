/** A conversation many times longer than the window, with tools that say too much and a summariser that fails at times. */
import { expect, test } from "vitest";
import { loadCounter, sumMessages } from "../memory/tokens.ts";
import type { Model, ModelReply, ModelRequest } from "../model/model.ts";
import { MemoirError } from "../shared/errors.ts";
import { getDefaultConversation } from "../store/conversations/conversations.ts";
import { useTools } from "../testing/builtin-tools.ts";
import { type DialectName, dialects } from "../testing/databases.ts";
import { openWorld } from "../testing/worlds.ts";
import type { HostTool } from "../tools/executors/host.ts";

const isLong = process.env.MEMOIR_TEST_LONG !== undefined;
/** Questions and answers together; the everyday suite plays the long one on SQLite only. */
const counts: Readonly<Record<DialectName, number>> = {
  sqlite: isLong ? 10_000 : 1_000,
  postgres: isLong ? 1_000 : 200,
};

const usage: ModelReply["usage"] = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  cachedTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

const readMuch: HostTool = {
  name: "read_much",
  description: "Reads much.",
  parameters: { type: "object", properties: {} },
  effect: "read",
  run: () => "line after line of a very long file ".repeat(3_000),
};

/** Every question has a word of its own, so that it can be searched for. */
const nameOf = (index: number) => `quark${index.toString(36)}zed`;

function createTalker() {
  let summaries = 0;
  let largest = 0;
  const model: Model = {
    async *stream(request) {
      if (request.toolChoice !== "none") largest = Math.max(largest, await countTokens(request));
      yield { type: "reply", reply: { ...answer(request), usage } };
    },
  };
  function answer(request: ModelRequest): Omit<ModelReply, "usage"> {
    if (request.toolChoice === "none") {
      if (++summaries % 3 === 0) throw new MemoirError("llm-overloaded", "busy");
      return { content: [{ type: "text", text: `Summary ${summaries}.` }], toolCalls: [], finishReason: "stop" };
    }
    const question = request.messages.findLast(({ role }) => role === "user");
    const words = JSON.stringify(question);
    const number = Number(/number (\d+)/.exec(words)?.[1] ?? 0);
    const hasRead = request.messages.at(-1)?.role === "tool";
    if (number % 10 === 0 && !hasRead) {
      const call = { id: `call-${number}`, name: "read_much", arguments: "{}" };
      return { content: [], toolCalls: [call], finishReason: "tool-calls" };
    }
    return { content: [{ type: "text", text: `reply${number.toString(36)}ok` }], toolCalls: [], finishReason: "stop" };
  }
  return { models: { get: () => model }, report: () => ({ summaries, largest }) };
}

/** As the provider of the agent's model counts them. */
async function countTokens({ system, messages, tools }: ModelRequest): Promise<number> {
  const counter = await loadCounter("openai");
  return counter.text(system) + counter.tools(tools) + (await sumMessages(messages, counter));
}

test.for(dialects)(
  "%s: a conversation many times longer than the window never fails, and every message of it is found",
  { timeout: isLong ? 1_800_000 : 120_000 },
  async (dialect, context) => {
    const talker = createTalker();
    const world = await openWorld(dialect, context, { models: talker.models, tools: [readMuch] });
    const { memoir, actor } = world;
    const { agent } = await world.createAgent({
      model: "openai/gpt-4o-mini",
      contextWindow: 8_192,
      tools: ["read_much"],
    });
    const rounds = counts[dialect] / 2;
    for (let index = 1; index <= rounds; index++) {
      const text = `This is number ${index}, called ${nameOf(index)}. ${"It goes on for a while. ".repeat(10)}`;
      const run = await memoir.messages.send(actor, agent.id, {
        messages: [{ role: "user", content: [{ type: "text", text }] }],
      });
      const result = await memoir.messages.complete(actor, run.id);
      expect(result.reason, `message ${index}: ${result.failure?.message}`).toBe("end_turn");
    }
    const { summaries, largest } = talker.report();
    expect(summaries).toBeGreaterThan(rounds / 50);
    expect(largest).toBeLessThanOrEqual(8_192);
    const { id } = await getDefaultConversation(world.scope, agent.id);
    const user = useTools(world, agent.id, id, "UTC");
    for (let index = 1; index <= rounds; index++) {
      for (const word of [nameOf(index), `reply${index.toString(36)}ok`]) {
        const found = await user.call("conversation_search", { query: word, limit: 1 });
        expect(JSON.stringify(found), word).toContain(word);
      }
    }
  },
);
