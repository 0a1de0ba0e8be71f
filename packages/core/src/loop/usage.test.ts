import { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { silentLog } from "../shared/log.ts";

import { tokenCounts } from "../store/engine/migrations/0018_token_counts.ts";
import { dialects } from "../testing/databases.ts";
import { createTalker, say, tell } from "../testing/talker.ts";
import { openWorld } from "../testing/worlds.ts";

const absurd = [1.5, 3e9, 2 ** 53 + 2, -5, 1e300, Number.NaN, Number.POSITIVE_INFINITY];

test.for(dialects.flatMap((dialect) => absurd.map((count) => [dialect, count] as const)))(
  "%s: a reply whose provider reports %d tokens is kept, and its step is listed",
  async ([dialect, count], context) => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
    const usage = {
      ...{ promptTokens: 7, completionTokens: count, totalTokens: 7 + count },
      ...{ cachedTokens: count, cacheWriteTokens: null, reasoningTokens: count },
    };
    const { models } = createTalker(() => ({ ...say("here"), usage }));
    const { memoir, actor, createAgent } = await openWorld(dialect, context, { models, log });
    const { agent } = await createAgent({ model: "openai/gpt-4o-mini" });
    const result = await tell(memoir, agent.id, "hello");
    expect(result.reason).toBe("end_turn");
    const rounded = count === 1.5 ? 2 : 0;
    expect(result.usage).toMatchObject({ promptTokens: 7, completionTokens: rounded });
    expect(await memoir.runs.usage(actor, result.run.id)).toMatchObject({
      ...{ promptTokens: 7, completionTokens: rounded, steps: 1 },
      ...{ cachedTokens: rounded || null, reasoningTokens: rounded || null },
    });
    const page = { limit: 10, order: "asc" as const };
    expect(await memoir.steps.list(actor, { filter: {}, page })).toHaveLength(1);
    expect(warnings.filter((text) => text.includes("token counts"))).toHaveLength(count === 1.5 ? 0 : 1);
  },
);

test("sqlite: steps that were stored with absurd counts are listed after the next start", async (context) => {
  const { models } = createTalker();
  const { memoir, actor, createAgent, store } = await openWorld("sqlite", context, { models });
  const { agent } = await createAgent({ model: "openai/gpt-4o-mini" });
  const { run } = await tell(memoir, agent.id, "hello");
  const counts = { completion_tokens: 9007199254740993n, total_tokens: 9007199254740993n, cached_tokens: 1.5 };
  await store.unscoped
    .updateTable("step")
    .set(counts as never)
    .execute();
  await expect(memoir.runs.usage(actor, run.id)).rejects.toThrow("too large");
  for (const statement of tokenCounts.statements(store.flavor)) {
    await store.writeUnscoped(async (db) => void (await db.executeQuery(CompiledQuery.raw(statement))));
  }
  expect(await memoir.runs.usage(actor, run.id)).toMatchObject({
    completionTokens: 0,
    totalTokens: 0,
    cachedTokens: 2,
  });
});
