/**
 * Replays streams that were recorded at the old server, event for event. Where we mean to differ, the table says so and
 * why. The recordings lie on our own machines only.
 */
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";
import type { Departure } from "./recorded-departures.ts";
import { isCompared, samples } from "./recorded-samples.ts";
import { callers, createJudge, hasRecordings, skipRecorded, testComplete } from "./recordings.ts";
import { type LeftOut, replaySample, type StreamEvent } from "./replaying.ts";
import { IdMap } from "./wire-difference.ts";

const departures: readonly Departure[] = [
  // The recording's own circumstances.
  {
    samples: /./,
    path: /\.data\.(completion|prompt|total|context)_tokens$/,
    reason: "counts are those of the recording's model and prompt",
  },
  {
    samples: /./,
    path: /\.data\.tool_return$|tool_returns\[0\]\.tool_return$/,
    reason: "the block holds what ours wrote",
  },

  // Words.
  { samples: /llm-\d+$/, path: /\.data\.(message|detail)$/, reason: "errors are told in our own words (api.md 3)" },

  {
    samples: /^stream-drop-mid-reply$/,
    path: /\.data\.(message|detail)$/,
    reason: "errors are told in our own words (api.md 3)",
  },

  // Meant.
  {
    samples: /^stream-drop-mid-reply$/,
    path: /^\[1\]\.data\.content$/,
    reason: "how much came before the end depends on the pieces",
  },
  {
    samples: /^stream-drop-mid-reply$/,
    path: /\.data\.error_type$/,
    reason: "a provider that breaks off has failed; the old server took it for its own failure",
  },
  {
    samples: /^stream-tokens-memgpt-v2-tool$/,
    path: /\.data\.tool_calls?\.arguments$/,
    reason: "the arguments were lost there (api.md 10.4)",
  },
  {
    samples: /^message-send-streaming-true$/,
    path: /^status$/,
    reason: "every client may have a stream (18.2)",
  },
  {
    samples: /^stream-tokens-(memgpt-v2|anthropic)/,
    path: /\.data\.(cache_write|cached_input|reasoning)_tokens$/,
    reason: "what the provider said was lost there; 0 where it says zero (api.md 9)",
  },
  {
    samples: /tokens-gpt5-reasoning$/,
    path: /\.data\.reasoning_tokens$/,
    reason: "counts are those of the recording's model",
  },
  {
    samples: /tokens-gpt5-reasoning$/,
    path: /\.data\.step_id$/,
    reason: "no empty piece comes first, and every piece carries its step",
  },
];

const isOf =
  (type: string, fields: object = {}) =>
  ({ data }: StreamEvent) =>
    Object.entries({ message_type: type, ...fields }).every(
      ([key, value]) => (data as Record<string, unknown>)[key] === value,
    );

/** Events that only one of the two sends, and why. */
const leftOut: readonly (LeftOut & { readonly samples: RegExp; readonly reason: string })[] = [
  {
    samples: /^stream-drop-mid-reply$/,
    recorded: isOf("stop_reason", { stop_reason: "error" }),
    ours: ({ data }) => data === "[DONE]",
    reason: "one stop reason and an end satisfy every client (api.md 10.8)",
  },
  {
    samples: /^stream-tokens-memgpt-v2(-tool)?$/,
    ours: isOf("assistant_message"),
    reason: "what is said by the message tool was lost there (api.md 10.4)",
  },
];

if (hasRecordings) {
  const judged = createJudge(["streams"], departures);
  const { judge } = judged;

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded streams, event for event", async (dialect, context) => {
      const callIds: string[] = [];
      const { providers } = await startDirectedModels({ callIds });
      const { url } = await startServer(dialect, context, { core: { providers } });
      const replay = { url, ids: new IdMap(), callIds, place, headers };
      const unexpected: string[] = [];
      for (const sample of samples.streams) {
        const name = sample.replace("*", "");
        const left = leftOut.find(({ samples: names }) => names.test(name));
        const differences = await replaySample(replay, name, left);
        if (isCompared(sample)) unexpected.push(...judge(sample, differences));
      }
      expect(unexpected).toEqual([]);
    });
  });

  testComplete(judged);
} else skipRecorded("streams are as recorded");
