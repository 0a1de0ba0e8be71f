/** Where our answers to messages differ from the recorded ones on purpose, and why. Read by recorded-messages.test.ts. */
import type { Departure } from "./recorded-departures.ts";

const toolReturn = /^body\.messages\[\d\]\.(tool_returns\[0\]\.)?tool_return$/;

export const messageDepartures: readonly Departure[] = [
  // The recording's own circumstances.
  {
    samples: /./,
    path: /^body\.usage\.(completion|prompt|total|context)_tokens$/,
    reason: "counts are those of the recording's model and prompt",
  },
  {
    samples: /gpt5-reasoning$/,
    path: /^body\.usage\.reasoning_tokens$/,
    reason: "counts are those of the recording's model",
  },

  // Words.
  {
    samples: /llm-\d+$/,
    path: /^body\.error\.(message|detail)$/,
    reason: "errors are told in our own words (api.md 3)",
  },
  {
    samples: /tool-bad-args$/,
    path: /^body\.messages\[1\]\.(tool_returns\[0\]\.)?(tool_return|stderr\[0\])$/,
    reason: "tools tell their errors in our own words",
  },
  { samples: /memgpt-v2-no-assistant$/, path: toolReturn, reason: "tools report in our own words" },
  {
    samples: /memgpt-v2-tool$/,
    path: /^body\.messages\[4\]\.content$/,
    reason: "the model repeats the heartbeat, which is in our own words and tells the time",
  },
  {
    samples: /unknown-tool$/,
    path: toolReturn,
    reason: "the list of tools is no Python list, and holds the archival tools (18.19)",
  },
  {
    samples: /max-steps-1$/,
    path: toolReturn,
    reason: "search results are JSON, not printed Python, and ranked by full text",
  },

  // Meant.
  { samples: /^error-422-/, path: /^body\.detail$/, reason: "the records are JSON here (api.md 3)" },
];
