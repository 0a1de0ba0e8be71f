/** Replies as no model should give them. */
import { expect, test } from "vitest";
import { dialects, openTestMemoir } from "../../testing/databases.ts";
import { createTalker, say, tell } from "../../testing/talker.ts";
import type { HostTool } from "../../tools/executors/host.ts";

const look: HostTool = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  effect: "read",
  run: () => "seen\0it",
};

test.for(dialects)(
  "%s: names and ids with characters that a database does not take end no conversation",
  async (dialect, context) => {
    const { models } = createTalker((_, index) => {
      if (index > 1) return say("ok\0 \ud800");
      const odd = { id: "a\0b", name: "lo\0ok", arguments: "{}" };
      return { toolCalls: [odd, { id: "c", name: "look", arguments: '{"x":"\\u0000"}' }] };
    });
    const memoir = await openTestMemoir(dialect, context, { models, tools: [look] });
    const { agent } = await memoir.agents.create(memoir.defaultActor, {
      model: "openai/gpt-4o-mini",
      parallelToolCalls: true,
      tools: ["look"],
    });
    expect((await tell(memoir, agent.id, "hello")).reason).toBe("end_turn");
    expect((await tell(memoir, agent.id, "hello again")).reason).toBe("end_turn");
  },
);

test("an answer without a word leaves no empty message behind", async (context) => {
  const { models } = createTalker(() => say(""));
  const memoir = await openTestMemoir("sqlite", context, { models });
  const { agent } = await memoir.agents.create(memoir.defaultActor, { model: "openai/gpt-4o-mini" });
  const { reason, messages } = await tell(memoir, agent.id, "hello");
  expect([reason, messages]).toEqual(["end_turn", []]);
});
