import { expect, test, vi } from "vitest";
import { dialects } from "../testing/databases.ts";
import { createTalker, say, type Talker, tell } from "../testing/talker.ts";
import { openWorld, type World } from "../testing/worlds.ts";

const never = () => createTalker((_, __, signal) => new Promise((_, fail) => signal.addEventListener("abort", fail)));

/** A run that was under way when its process ended. */
async function leaveRun({ memoir, actor }: World, { asked }: Talker, text: string) {
  const { agent } = await memoir.agents.create(actor, { model: "openai/gpt-4o-mini" });
  const before = asked.length;
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
  const run = await memoir.messages.send(actor, agent.id, { messages });
  await vi.waitUntil(() => asked.length > before);
  return { agentId: agent.id, runId: run.id };
}

const setTakeovers = ({ store }: World, runId: string, takeovers: number) =>
  store.unscoped.updateTable("run").set({ takeovers }).where("id", "=", runId).execute();

async function readTakeovers({ store }: World, runId: string): Promise<number> {
  const { takeovers } = await store.unscoped
    .selectFrom("run")
    .select("takeovers")
    .where("id", "=", runId)
    .executeTakeFirstOrThrow();
  return takeovers;
}

test.for(dialects)(
  "%s: a run that ended the process again and again fails with a reason, and its agent goes on",
  async (dialect, context) => {
    const silent = never();
    const world = await openWorld(dialect, context, { models: silent.models });
    const { agentId, runId } = await leaveRun(world, silent, "hello");
    await world.memoir.close();
    await setTakeovers(world, runId, 5);
    const talker = createTalker();
    const memoir = await world.openAnother({ models: talker.models });
    const result = await memoir.messages.complete(world.actor, runId);
    expect(result.run.status).toBe("failed");
    expect(result.failure).toEqual({
      code: "run-abandoned",
      message: expect.stringContaining("the process ended 6 times while it worked on this run"),
    });
    expect(talker.asked).toHaveLength(0);
    expect((await tell(memoir, agentId, "still there?")).reason).toBe("end_turn");
  },
);

test.for(dialects)(
  "%s: takeovers are counted until the run gets further, and an orderly stop is none",
  async (dialect, context) => {
    const silent = never();
    const world = await openWorld(dialect, context, { models: silent.models });
    const { runId } = await leaveRun(world, silent, "hello");
    const second = never();
    const taker = await world.openAnother({ models: second.models });
    await vi.waitUntil(() => second.asked.length === 1);
    expect(await readTakeovers(world, runId)).toBe(1);
    await taker.close();
    expect(await readTakeovers(world, runId)).toBe(0);
    await setTakeovers(world, runId, 4);
    const talker = createTalker(() => say("at last"));
    const last = await world.openAnother({ models: talker.models });
    expect((await last.messages.complete(world.actor, runId)).reason).toBe("end_turn");
    expect(await readTakeovers(world, runId)).toBe(0);
  },
);

test.for(dialects)(
  "%s: runs that may have ended the process are taken up after all others",
  async (dialect, context) => {
    const silent = never();
    const world = await openWorld(dialect, context, { models: silent.models });
    const suspect = await leaveRun(world, silent, "suspect");
    const others = [await leaveRun(world, silent, "first"), await leaveRun(world, silent, "second")];
    await world.memoir.close();
    await setTakeovers(world, suspect.runId, 2);
    const talker = createTalker();
    const memoir = await world.openAnother({ models: talker.models });
    for (const { runId } of [...others, suspect]) await memoir.messages.complete(world.actor, runId);
    const said = talker.asked.map(({ messages }) => JSON.stringify(messages));
    expect(said).toHaveLength(3);
    expect(said[2]).toContain("suspect");
  },
);

test.for(dialects)(
  "%s: a reply without an end fails its run with a reason, and its agent goes on",
  async (dialect, context) => {
    const world = await openWorld(dialect, context, {
      maxReplyBytes: 1_000,
      models: {
        get: () => ({
          async *stream({ messages }) {
            const isLong = JSON.stringify(messages.at(-1)).includes("without an end");
            for (; isLong; ) yield { type: "text-delta" as const, text: "more ".repeat(20) };
            const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
            const unknown = { cachedTokens: null, cacheWriteTokens: null, reasoningTokens: null };
            const content = [{ type: "text" as const, text: "short" }];
            const reply = { content, toolCalls: [], finishReason: "stop" as const, usage: { ...usage, ...unknown } };
            yield { type: "reply" as const, reply };
          },
        }),
      },
    });
    const { agent } = await world.createAgent({ model: "openai/gpt-4o-mini" });
    const failed = await tell(world.memoir, agent.id, "talk without an end");
    expect(failed.reason).toBe("llm_api_error");
    expect(failed.failure?.message).toContain("grew longer than 1000 bytes and was not read further");
    expect((await tell(world.memoir, agent.id, "be short")).reason).toBe("end_turn");
  },
);
