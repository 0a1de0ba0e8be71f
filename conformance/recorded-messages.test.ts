/**
 * Replays messages that were recorded at the old server, with a model that answers as the recording's did. Where we mean
 * to differ, the table says so and why, as in recorded.test.ts. The recordings lie on our own machines only.
 */
import { describe, expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "./directed-models.ts";
import { messageDepartures } from "./recorded-message-departures.ts";
import { callers, createJudge, hasRecordings, skipRecorded } from "./recordings.ts";
import { replaySample } from "./replaying.ts";
import { startServer } from "./server.ts";
import { IdMap } from "./wire-difference.ts";

/** Only to be there, and to learn their ids: recorded.test.ts compares them. */
const agents = ["default", "memgpt-v2", "memgpt", "anthropic", "gpt5"].map((name) => `agent-create-${name}`);

/** In the order they were recorded, for each stands on what the ones before it left. */
const samples = [
  "error-422-bad-type",
  "error-422-bad-role",
  "error-422-bad-json",
  "error-empty-messages",
  "message-send-text",
  "message-send-input-string",
  "message-send-tool-step",
  "message-send-parallel-tools",
  "message-send-unknown-tool",
  "message-send-tool-bad-args",
  "message-send-max-steps-1",
  "message-send-filter-types",
  "message-send-system-role",
  "message-send-multi-part",
  "message-send-several",
  "message-send-override-model",
  "message-send-llm-500",
  "message-send-llm-429",
  "message-send-llm-401",
  "message-send-llm-400",
  "message-send-memgpt-v2",
  "message-send-memgpt-v2-no-assistant",
  "message-send-memgpt-v2-tool",
  "message-send-memgpt",
  "message-send-anthropic-thinking",
  "message-send-anthropic-tool",
  "message-send-gpt5-reasoning",
  "client-tool-request",
  "client-tool-return",
] as const;

if (hasRecordings) {
  const { judge, unused } = createJudge(messageDepartures);

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers to its messages", async (dialect, context) => {
      const callIds: string[] = [];
      const { providers } = await startDirectedModels({ callIds });
      const { url } = await startServer(dialect, context, { core: { providers } });
      const replay = { url, ids: new IdMap(), callIds, place, headers };
      for (const name of agents) await replaySample(replay, name);
      const unexpected: string[] = [];
      for (const name of samples) unexpected.push(...judge(name, (await replaySample(replay, name)) ?? []));
      expect(unexpected).toEqual([]);
    });
  });

  test("every departure in the table is still one", () => {
    expect(unused()).toEqual([]);
  });
} else skipRecorded("messages are as recorded");
