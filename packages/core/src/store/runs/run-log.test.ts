import { expect, test } from "vitest";
import { say, scripted } from "../../model/scripted.ts";
import { dialects } from "../../testing/databases.ts";
import { openWorld } from "../../testing/worlds.ts";
import { deleteOldDeltas, listEvents } from "./run-log.ts";

test.for(dialects)(
  "%s: pieces of a reply are in the log while they are wanted, and go without the rest",
  async (dialect, context) => {
    const model = scripted([say("one two three four five six")]);
    const { memoir, actor, store, scope, createAgent } = await openWorld(dialect, context, {
      models: { get: () => model },
    });
    const { agent } = await createAgent({ model: "openai/gpt-4o-mini" });
    const content = [{ type: "text" as const, text: "count" }];
    const run = await memoir.messages.send(actor, agent.id, {
      messages: [{ role: "user", content }],
      streamsTokens: true,
    });
    await memoir.messages.complete(actor, run.id);
    const types = async () => (await listEvents(scope, run.id)).map(({ type }) => type);
    const before = await types();
    expect(before[0]).toBe("delta");
    const pieces = (await listEvents(scope, run.id)).flatMap((event) => (event.type === "delta" ? event.pieces : []));
    expect(pieces.map((piece) => ("text" in piece ? piece.text : "")).join("")).toBe("one two three four five six");
    const sweep = (moment: number) => store.write(actor.orgId, (writing) => deleteOldDeltas(writing, moment, 100));
    expect(await sweep(run.createdAt)).toBe(0);
    expect(await sweep(store.now() + 1_000_000)).toBeGreaterThan(0);
    expect(await types()).toEqual(before.filter((type) => type !== "delta"));
  },
);
