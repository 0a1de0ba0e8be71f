/**
 * Replays what was recorded of runs, steps and jobs, and of what else can be asked about messages, as
 * recorded-messages.test.ts does with messages. The recordings lie on our own machines only.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "./directed-models.ts";
import type { Departure } from "./recorded-departures.ts";
import { callers, createJudge, hasRecordings, readSample, type Sample, skipRecorded } from "./recordings.ts";
import { startServer } from "./server.ts";
import { compareWire, type Difference, IdMap } from "./wire-difference.ts";

/** In the order they were recorded; those marked with a star are there for what they leave behind. */
const samples = [
  "agent-create-default*",
  "message-send-text*",
  "message-send-input-string*",
  "message-send-multi-part*",
  "message-retrieve",
  "message-modify",
  "messages-search",
  "message-preview-raw-payload",
  "agent-generate",
  "error-404-run",
  "message-send-async",
  "run-retrieve-completed",
  "run-messages",
  "run-usage",
  "run-steps",
  "run-metrics",
  "runs-list",
  "runs-active",
  "steps-list",
  "step-retrieve",
  "step-metrics",
  "step-messages",
  "step-feedback",
  "jobs-list",
] as const;

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
    path: /^body\./,
    reason: "prompts and tools are our own, other things were said, and our requests stream",
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
  const { judge, unused } = createJudge(departures);

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers about runs", async (dialect, context) => {
      const { providers } = await startDirectedModels();
      const { url } = await startServer(dialect, context, { core: { providers } });
      const ids = new IdMap();
      const unexpected: string[] = [];
      for (const sample of samples) {
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
        if (sample === name) unexpected.push(...judge(name, differences));
      }
      expect(unexpected).toEqual([]);
    });
  });

  test("every departure in the table is still one", () => {
    expect(unused()).toEqual([]);
  });
} else skipRecorded("runs, steps and jobs are as recorded");

async function waitForRuns(url: string): Promise<void> {
  while (((await (await fetch(`${url}/v1/runs/active`)).json()) as unknown[]).length > 0) await sleep(10);
}

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
