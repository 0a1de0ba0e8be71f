/** How much is asked of the database for a message: the old server needed 154 statements. */
import { expect, test } from "vitest";
import { callTool, say, scripted } from "../model/scripted.ts";
import { dialects, openTestMemoir } from "../testing/databases.ts";
import { countStatements, readStatements } from "../testing/statements.ts";

countStatements();

test.for(dialects)("%s: a step takes at most 8 statements, accepting a message 4", async (dialect, context) => {
  const search = callTool("conversation_search", { query: "tea" });
  const model = scripted([say("first"), say("one step"), search, say("two steps")]);
  const memoir = await openTestMemoir(dialect, context, {
    models: { get: () => model },
    // A provider that is not configured may be a stored one, which takes a statement to find out.
    providers: { openai: { apiKey: "k" } },
  });
  const actor = memoir.defaultActor;
  const blocks = [
    { label: "human", value: "Name: Ada" },
    { label: "persona", value: "I am terse." },
  ];
  const { agent } = await memoir.agents.create(actor, { model: "openai/gpt-4o-mini", blocks });
  const tell = async () => {
    const before = readStatements();
    const content = [{ type: "text" as const, text: "tea" }];
    const run = await memoir.messages.send(actor, agent.id, { messages: [{ role: "user", content }] });
    await memoir.messages.complete(actor, run.id);
    const count = readStatements() - before;
    // Reading them has them written, so that it does not happen while the next turn is counted.
    await memoir.traces.listOfRun(actor, run.id);
    return count;
  };
  await tell();
  expect(await tell()).toBeLessThanOrEqual(4 + 8);
  expect(await tell()).toBeLessThanOrEqual(4 + 8 + 8);
});
