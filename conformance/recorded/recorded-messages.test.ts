/**
 * Replays messages that were recorded at the old server, with a model that answers as the recording's did. Where we mean
 * to differ, the table says so and why, as in recorded.test.ts. The recordings lie on our own machines only.
 */
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";
import { messageDepartures } from "./recorded-message-departures.ts";
import { samples } from "./recorded-samples.ts";
import { callers, createJudge, hasRecordings, skipRecorded, testComplete } from "./recordings.ts";
import { replaySample } from "./replaying.ts";
import { IdMap } from "./wire-difference.ts";

/** Only to be there, and to learn their ids: recorded.test.ts compares them. */
const agents = ["default", "memgpt-v2", "memgpt", "anthropic", "gpt5"].map((name) => `agent-create-${name}`);

if (hasRecordings) {
  const judged = createJudge(["messages"], messageDepartures);
  const { judge } = judged;

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers to its messages", async (dialect, context) => {
      const callIds: string[] = [];
      const { providers } = await startDirectedModels({ callIds });
      const { url } = await startServer(dialect, context, { core: { providers } });
      const replay = { url, ids: new IdMap(), callIds, place, headers };
      for (const name of agents) await replaySample(replay, name);
      const unexpected: string[] = [];
      for (const name of samples.messages) unexpected.push(...judge(name, await replaySample(replay, name)));
      expect(unexpected).toEqual([]);
    });
  });

  testComplete(judged);
} else skipRecorded("messages are as recorded");
