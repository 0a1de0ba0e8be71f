import { expect, test } from "vitest";
import { callTools, say, scripted } from "../model/scripted.ts";
import { dialects } from "../testing/databases.ts";
import { tell } from "../testing/talker.ts";
import { openWorld } from "../testing/worlds.ts";

const calls = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: "memory_insert",
    arguments: { label: "human", new_string: `Fact ${index}.` },
  }));

test.for(dialects.flatMap((dialect) => [16, 100].map((count) => [dialect, count] as const)))(
  "%s: %i memory edits in one reply are all done, in their order, and others need not wait for all of them",
  { timeout: 60_000 },
  async ([dialect, count], context) => {
    const model = scripted([callTools(calls(count)), say("Done.")]);
    const world = await openWorld(dialect, context, { models: { get: () => model } });
    const { memoir, actor, scope } = world;
    const { agent } = await world.createAgent({
      model: "anthropic/claude-sonnet-4-5-20250929",
      blocks: [{ label: "human", value: "Facts:", charLimit: 100_000 }],
    });
    const result = await tell(memoir, agent.id, "remember all this");
    expect(result.reason).toBe("end_turn");
    expect(result.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(result.messages[1]?.toolReturns?.map(({ status }) => status)).toEqual(Array(count).fill("success"));
    const { value } = await memoir.blocks.getOfAgent(actor, agent.id, "human");
    const facts = Array.from({ length: count }, (_, index) => `Fact ${index}.`);
    expect(value.split("\n")).toEqual(["Facts:", ...facts]);
    const rows = await scope
      .select("run_event")
      .select(["created_at"])
      .where("run_id", "=", result.run.id)
      .where("type", "=", "tool-result")
      .execute();
    const commits = Map.groupBy(rows, ({ created_at }) => created_at);
    expect(Math.max(...[...commits.values()].map(({ length }) => length))).toBeLessThanOrEqual(16);
    expect(model.requests).toHaveLength(2);
  },
);
