/**
 * Replays what was recorded of tools and of archives, as recorded.test.ts does with agents and blocks. The recordings lie
 * on our own machines only.
 */
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startServer } from "../support/server.ts";
import type { Departure } from "./recorded-departures.ts";
import { isCompared, samples } from "./recorded-samples.ts";
import {
  callers,
  createJudge,
  hasRecordings,
  readSample,
  type Sample,
  skipRecorded,
  testComplete,
} from "./recordings.ts";
import { compareWire, type Difference, IdMap } from "./wire-difference.ts";

const holdsAgent = /^(tool-(attach|detach)|agent-tool-approval)$/;

const departures: readonly Departure[] = [
  // Words.
  { samples: /./, path: /description$/, reason: "tools and archives are described in our own words" },
  { samples: holdsAgent, path: /\.(system|prompt)$/, reason: "prompts are our own words" },
  {
    samples: /^error-404-tool$/,
    path: /^body\.detail$/,
    reason: "the tail that no client reads is left out (api.md 3)",
  },
  { samples: /^error-422-missing-field$/, path: /^body\.detail$/, reason: "the records are JSON here (api.md 3)" },
  { samples: /^error-tool-/, path: /^body\.detail$/, reason: "what is wrong is said in our own words" },
  { samples: /^archive-attach-second$/, path: /^body\.detail$/, reason: "no SQL in answers (fixtures/wire/README)" },

  // The recording's own circumstances.
  { samples: /./, path: /_config\.\w+_endpoint$/, reason: "the recording's provider was a mock on another address" },
  {
    samples: holdsAgent,
    path: /(message_ids\.length|last_stop_reason|last_run_\w+|name|tags.*|value|metadata.*|temperature)$/,
    reason: "in the recording the agent was talked to and changed in between",
  },
  {
    samples: holdsAgent,
    path: /^body\.(blocks|memory\.blocks|tool_rules|identities|identity_ids|tools\[broken\])/,
    reason: "in the recording the agent was given other things in between",
  },
  {
    samples: /^archival-(list|search)$/,
    path: /^body(\.results)?(\.length|\[1\])|^body\.count$/,
    reason: "in the recording the agent had filed a second passage itself",
  },

  // Order that means nothing there.
  {
    samples: /./,
    path: /(tools|^body)\.order$/,
    reason: "tools made in one instant stand in no order there, and an agent's by their names here",
  },

  // Meant: api.md 18, data-and-search.md and the sandbox.
  {
    samples: /^tool-run-source-error$/,
    path: /tool_return$/,
    reason: "a function that fails is called by its name here, None there",
  },
  {
    samples: /^tool-run-source-error$/,
    path: /stderr\[0\]$/,
    reason: "the lines of a failure are those of the source that was sent",
  },
  {
    samples: /^agent-tool-run$/,
    path: /sandbox_config_fingerprint$/,
    reason: "it names the settings of another organization on another machine",
  },
  {
    samples: /./,
    path: /tools?\[archival_memory_(insert|search)\]$|^body\[archival_memory_(insert|search)\]$/,
    reason: "chat agents have the archival tools (18.19)",
  },
  {
    samples: /^(archival-(create|list)|archive-passage|passages-search)/,
    path: /\.embedding(_config)?$/,
    reason: "passages are embedded after they are filed, and without padding (18.23)",
  },
  {
    samples: /^passages-search$/,
    path: /^body(\.length|\[0\]\.(score|metadata\.\w+))$/,
    reason: "found by words, so with scores and without what has none of them (data-and-search.md 2.7)",
  },
];

if (hasRecordings) {
  const judged = createJudge(["tools"], departures);
  const { judge } = judged;

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers about tools and archives", async (dialect, context) => {
      const providers = { openai: { apiKey: "k", baseUrl: "http://127.0.0.1:9" } };
      const { url } = await startServer(dialect, context, { core: { providers } });
      const ids = new IdMap();
      const unexpected: string[] = [];
      for (const sample of samples.tools) {
        const name = sample.replace("*", "");
        const recorded = readSample(place, name);
        if (!recorded) continue;
        const differences = await replay(url, ids, recorded, headers);
        if (isCompared(sample)) unexpected.push(...judge(sample, differences));
      }
      expect(unexpected).toEqual([]);
    });
  });

  testComplete(judged);
} else skipRecorded("tools and passages are as recorded");

async function replay(
  url: string,
  ids: IdMap,
  { request, response }: Sample,
  headers: Record<string, string>,
): Promise<Difference[]> {
  const { method, path, body } = request;
  const text = body && JSON.stringify(body);
  const answer = await fetch(url + ids.translate(path), {
    method,
    headers: text === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: text && ids.translate(text),
  });
  const answered = await answer.text();
  const ours = {
    status: answer.status,
    type: answer.headers.get("content-type")?.split(";")[0],
    body: answered === "" ? "" : JSON.parse(answered),
  };
  const recorded = { status: response.status, type: response.headers["content-type"], body: response.body };
  return recorded.status === ours.status
    ? compareWire(ids, recorded, ours)
    : [{ path: "status", recorded: recorded.status, ours: `${ours.status} ${answered.slice(0, 200)}` }];
}
