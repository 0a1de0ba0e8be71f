/**
 * Replays what was recorded of runs, steps and jobs, and of what else can be asked about messages, as
 * recorded-messages.test.ts does with messages. The recordings lie on our own machines only.
 */
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
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
import { waitForRuns } from "./replaying.ts";
import { compareWire, type Difference, IdMap } from "./wire-difference.ts";

const departures: readonly Departure[] = [
  {
    samples: /^(run-usage|run-steps|step-|agent-generate)/,
    path: /(completion|prompt|total)_tokens$/,
    reason: "counts are those of the recording's model and prompt",
  },
  { samples: /^(run|step)-metrics$/, path: /_ns$/, reason: "times are those of the recording's machine" },
  { samples: /^(run-steps|step-)/, path: /model_endpoint$/, reason: "the recording's provider was on another address" },
  {
    samples: /^message-modify$/,
    path: /^body\.detail$/,
    reason: "refusals are in our own words",
  },
  {
    samples: /^error-404-run$/,
    path: /^body\.detail$/,
    reason: "the tail that no client reads is left out (api.md 3)",
  },
  { samples: /^messages-search$/, path: /^status$/, reason: "search needs no vector store (18.8)" },
  { samples: /^steps-list$/, path: /^status$/, reason: "the list of steps works (18.22)" },
  {
    samples: /^message-preview-raw-payload$/,
    path: /^body\.(messages\[0\]\.content|tools\[\w+\]\.function\.(parameters\.properties\.\w+\.)?description)$/,
    reason: "prompts and descriptions of tools are our own words",
  },
  {
    samples: /^message-preview-raw-payload$/,
    path: /^body\.messages(\.length|\[[567]\]\.\w+)$/,
    reason: "in the recording other messages were sent before",
  },
  {
    samples: /^message-preview-raw-payload$/,
    path: /^body\.tools\[archival_memory_(insert|search)\]$/,
    reason: "chat agents have the archival tools (18.19)",
  },
  {
    samples: /^message-preview-raw-payload$/,
    path: /^body\.(stream|stream_options)$/,
    reason: "every request to a provider streams",
  },
  {
    samples: /^message-preview-raw-payload$/,
    path: /^body\.user$/,
    reason: "providers are not told which user asks",
  },
  {
    samples: /^run-retrieve-completed$/,
    path: /completed_at$/,
    reason: "times carry their zone (api.md 6)",
  },
  { samples: /^runs-list$/, path: /completed_at$/, reason: "times carry their zone (api.md 6)" },
  {
    samples: /^run(s-list|-retrieve-completed)/,
    path: /total_duration_ns$/,
    reason: "told wherever a run is shown, not in lists only",
  },
  {
    samples: /^runs-list$/,
    path: /^body\[[12]\]/,
    reason: "in the recording other messages were sent before",
  },
];

if (hasRecordings) {
  const judged = createJudge(["runs"], departures);
  const { judge } = judged;

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers about runs", async (dialect, context) => {
      const { providers } = await startDirectedModels();
      const { url } = await startServer(dialect, context, { core: { providers } });
      const ids = new IdMap();
      const unexpected: string[] = [];
      for (const sample of samples.runs) {
        const name = sample.replace("*", "");
        const recorded = readSample(place, name);
        // In one recording the message was the answer to a stream, which is not replayed here.
        if (
          !recorded ||
          (name === "message-retrieve" && ids.translate(recorded.request.path) === recorded.request.path)
        )
          continue;
        if (name === "run-retrieve-completed") await waitForRuns(url);
        const differences = await replay(url, ids, recorded, headers);
        if (isCompared(sample)) unexpected.push(...judge(sample, differences));
      }
      expect(unexpected).toEqual([]);
    });
  });

  testComplete(judged);
} else skipRecorded("runs, steps and jobs are as recorded");

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
  const ours = { status: answer.status, body: nameOtids(await answer.json()) };
  const recorded = { status: response.status, body: nameOtids(structuredClone(response.body)) };
  return recorded.status === ours.status
    ? compareWire(ids, recorded, ours)
    : [{ path: "status", recorded: recorded.status, ours: ours.status }];
}

/** Made from the message's id where the agent speaks, and made up where a user did not give one. */
function nameOtids(body: unknown): unknown {
  for (const item of (Array.isArray(body) ? body : []) as { id?: string; otid?: string | null }[]) {
    if (!/^[0-9a-f-]{36}$/.test(item.otid ?? "")) continue;
    item.otid = item.otid?.slice(0, -2) === item.id?.slice(8, -2) ? "of the message" : "made up";
  }
  return body;
}
