/** What a model's key costs at the database: nothing, unless a user stored it. */
import { expect, test } from "vitest";
import { say, scripted } from "../../model/scripted.ts";
import { dialects, openTestMemoir } from "../../testing/databases.ts";
import { countStatements, readStatements } from "../../testing/statements.ts";

countStatements();

test.for(dialects)("%s: only a stored provider is looked up for a message", async (dialect, context) => {
  const model = scripted(Array.from({ length: 4 }, () => say("hello")));
  const memoir = await openTestMemoir(dialect, context, {
    models: { get: () => model },
    providers: { openai: { apiKey: "k" } },
    fetch: () => Promise.reject(new Error("nobody is asked")),
  });
  const actor = memoir.defaultActor;
  await memoir.providers.create(actor, { name: "mine", type: "openai", apiKey: "k" });
  const measure = async (handle: string) => {
    const { agent } = await memoir.agents.create(actor, { model: handle });
    const tell = async () => {
      const before = readStatements();
      const content = [{ type: "text" as const, text: "hi" }];
      const run = await memoir.messages.send(actor, agent.id, { messages: [{ role: "user", content }] });
      await memoir.messages.complete(actor, run.id);
      return readStatements() - before;
    };
    await tell();
    return await tell();
  };
  const base = await measure("openai/gpt-4o-mini");
  expect(base).toBeLessThanOrEqual(12);
  expect(await measure("mine/gpt-4o-mini")).toBe(base + 2);
});
