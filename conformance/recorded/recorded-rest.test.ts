/**
 * Replays recordings that belong to no other comparison: lists over all agents, traces, resets, cancelling, chat
 * completions. The recordings lie on our own machines only.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";
import { departures as agentDepartures, type Departure } from "./recorded-departures.ts";
import { isCompared, samples } from "./recorded-samples.ts";
import {
  callers,
  createJudge,
  hasRecordings,
  readSample,
  recordings,
  skipRecorded,
  testComplete,
} from "./recordings.ts";
import { nameOtids, replaySample, waitForRuns } from "./replaying.ts";
import { compareKeyOrder, compareWire, IdMap } from "./wire-difference.ts";

const own: readonly Departure[] = [
  { samples: /^run-trace$/, path: /^status$/, reason: "there is no trace store to configure (api.md 13.11)" },
  {
    samples: /^step-trace$/,
    path: /^body\.request_json\.messages(\.length|\[[0-3]\]\.content)$/,
    reason: "prompts are our own words, and in the recording other things were said before",
  },
  {
    samples: /^step-trace$/,
    path: /^body\.request_json\.(stream|stream_options)$/,
    reason: "every request to a provider streams",
  },
  {
    samples: /^step-trace$/,
    path: /^body\.request_json\.user$/,
    reason: "providers are not told which user asks",
  },
  {
    samples: /^step-trace$/,
    path: /^body\.request_json(\.messages\[\d\])?\.keys$/,
    reason: "the order of the fields of a request means nothing to providers",
  },
  {
    samples: /^step-trace$/,
    path: /^body\.response_json\.(id|object|created|model|choices|usage|service_tier|system_fingerprint|events)$/,
    reason: "a streamed response is kept as the events it came in",
  },
  {
    samples: /-send-/,
    path: /^body\.usage\.(completion|prompt|total|context)_tokens$/,
    reason: "counts are those of the recording's model and prompt",
  },
  {
    samples: /^message-send-archival-tools$/,
    path: /^body\.messages\[[13]\]\.(tool_returns\[0\]\.)?(tool_return|status|stderr.*)$/,
    reason: "chat agents have the archival tools (18.19)",
  },
  {
    samples: /^run-retrieve-started$/,
    path: /^body\.status$/,
    reason: "a run is running from its first step on; the old server says so a little later",
  },
  {
    samples: /^run-retrieve-cancelled$/,
    path: /^body\.(status|completed_at|stop_reason|total_duration_ns)$/,
    reason: "there a run that ends just after the cancel overwrites it (api.md 11), and times have no zone",
  },
  { samples: /^chat-completions-json$/, path: /^status$/, reason: "completions need not be streamed (18.9)" },
  {
    samples: /^agent-reset-messages$/,
    path: /^body\.(tools\[broken\]|(memory\.)?blocks\[human\]\.value|last_stop_reason)$/,
    reason: "in the recording the agent was used and given a tool in between",
  },
];

if (hasRecordings) {
  const judged = createJudge(["rest", "failed", "cancelled", "completions"], own, agentDepartures);
  const { judge } = judged;

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the other recorded answers", async (dialect, context) => {
      const callIds: string[] = [];
      const { providers } = await startDirectedModels({ callIds });
      const { url } = await startServer(dialect, context, { core: { providers } });
      const replay = { url, ids: new IdMap(), callIds, place, headers };
      const unexpected: string[] = [];
      for (const sample of samples.rest) {
        const name = sample.replace("*", "");
        if (name === "run-steps") await waitForRuns(url);
        if (name === "step-trace") await waitForTrace(url + replay.ids.translate(pathOf(place, name)));
        const differences = await replaySample(replay, name);
        if (isCompared(sample)) unexpected.push(...judge(sample, differences));
      }
      expect(unexpected).toEqual([]);
    });

    test.for(dialects)(
      "%s: is shown what was recorded after a failed run, and what the user said",
      async (dialect, context) => {
        const { providers } = await startDirectedModels();
        const { url } = await startServer(dialect, context, { core: { providers } });
        const replay = { url, ids: new IdMap(), callIds: [], place, headers };
        const list = "messages-list-after-llm-errors";
        for (const sample of samples.failed) {
          // There only a current client was given a stream here.
          const isSent = sample !== "message-send-streaming-true*" || place === "";
          if (!isCompared(sample) && isSent) await replaySample(replay, sample.replace("*", ""));
        }
        // The message of the failed run stays (18.16), so one more has to be asked for.
        const path = replay.ids.translate(pathOf(place, list)).replace("limit=6", "limit=7");
        const items = (await (await fetch(url + path, { headers })).json()) as { content: string }[];
        expect(items.at(-1)).toMatchObject({ message_type: "user_message", content: "!fail 500" });
        const theirs = nameOtids(readSample(place, list)?.response.body);
        const ours = nameOtids(items.slice(0, -1));
        const differences = [...compareWire(replay.ids, theirs, ours), ...compareKeyOrder(theirs, ours)];
        expect(judge(list, differences)).toEqual([]);
      },
    );

    test.for(dialects)(
      "%s: sees a run under way, cancels it and sees it ended, as recorded",
      async (dialect, context) => {
        const gate = Promise.withResolvers<void>();
        const { providers, openai } = await startDirectedModels({ gate: () => gate.promise });
        const { url } = await startServer(dialect, context, { core: { providers } });
        const replay = { url, ids: new IdMap(), callIds: [], place, headers };
        const begin = async (name: string) => {
          const before = openai.requests.length;
          await replaySample(replay, "message-send-async");
          await expect.poll(() => openai.requests.length).toBe(before + 1);
          const [run] = (await (await fetch(`${url}/v1/runs/active`)).json()) as { id: string }[];
          const recorded = /run-[0-9a-f-]{36}/.exec(JSON.stringify(readSample(place, name)?.request))?.[0] ?? "";
          replay.ids.matches(recorded, run?.id ?? "");
        };
        await replaySample(replay, "agent-create-default");
        await begin("run-retrieve-started");
        expect(judge("run-retrieve-started", await replaySample(replay, "run-retrieve-started"))).toEqual([]);
        const cancel = async (body?: object) => {
          const path = replay.ids.translate(pathOf(place, "message-cancel"));
          const sent = body && { body: replay.ids.translate(JSON.stringify(body)) };
          const json = sent ? { "content-type": "application/json" } : undefined;
          const answer = await fetch(url + path, { method: "POST", headers: { ...headers, ...json }, ...sent });
          return { status: answer.status, body: await answer.json() };
        };
        expect((await cancel()).status).toBe(200);
        await begin("message-cancel");
        const recorded = readSample(place, "message-cancel");
        const { status, body } = recorded?.response ?? {};
        // The ids are keys there.
        const expected = JSON.parse(replay.ids.translate(JSON.stringify({ status, body })));
        expect(
          judge("message-cancel", compareWire(replay.ids, expected, await cancel(recorded?.request.body))),
        ).toEqual([]);
        gate.resolve();
        const ended = await replaySample(replay, "run-retrieve-cancelled");
        expect(judge("run-retrieve-cancelled", ended)).toEqual([]);
        expect(
          ended?.map(({ path, ours }) => [path, typeof ours === "string" ? ours.slice(0, 9) : typeof ours]),
        ).toEqual([
          ["body.status", "cancelled"],
          ["body.completed_at", expect.any(String)],
          ["body.stop_reason", "cancelled"],
          ["body.total_duration_ns", "number"],
        ]);
      },
    );

    test.for(dialects)("%s: gets the recorded chat completion, chunk for chunk", async (dialect, context) => {
      const { providers } = await startDirectedModels();
      const { url } = await startServer(dialect, context, { core: { providers } });
      const replay = { url, ids: new IdMap(), callIds: [], place, headers };
      await replaySample(replay, "agent-create-default");
      const name = "chat-completions-stream";
      const file = (ending: string) => readFileSync(join(recordings, place, `${name}${ending}`), "utf8");
      const { request, response } = JSON.parse(file(".request.json"));
      const answer = await fetch(url + request.path, {
        method: request.method,
        headers: { ...headers, "content-type": "application/json" },
        body: replay.ids.translate(JSON.stringify(request.body)),
      });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        response.status,
        response.headers["content-type"],
      ]);
      const [theirs, ours] = [readChunks(file(".sse.txt")), readChunks(await answer.text())];
      expect(judge(name, compareWire(replay.ids, theirs, ours))).toEqual([]);
    });
  });

  testComplete(judged);
} else skipRecorded("the rest is as recorded");

const pathOf = (place: string, name: string): string => readSample(place, name)?.request.path ?? "";

/** Traces are written behind the answer. */
async function waitForTrace(url: string): Promise<void> {
  await expect.poll(async () => await (await fetch(url)).json()).not.toBeNull();
}

interface Chunk {
  created: number;
  choices: { delta: { content: string | null; role: string | null } }[];
}

/** The first chunk with all the text, whatever pieces it came in, those between it and the last by their form, the last, the end. */
function readChunks(text: string) {
  const frames = text.trimEnd().split("\n\n");
  const chunks = frames.slice(0, -1).map((frame): Chunk => JSON.parse(frame.replace(/^data: /, "")));
  const said = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  for (const chunk of chunks) {
    expect(Number.isInteger(chunk.created)).toBe(true);
    chunk.created = 0;
  }
  const between = chunks.slice(1, -1).map((chunk) => {
    const [choice] = chunk.choices;
    return JSON.stringify({ ...chunk, id: "", choices: [{ ...choice, delta: { ...choice?.delta, content: "" } }] });
  });
  const [first, last] = [chunks[0], chunks.at(-1)];
  const begin = first?.choices[0] && {
    ...first,
    choices: [{ ...first.choices[0], delta: { ...first.choices[0].delta, content: "" } }],
  };
  return { begin, said, between: [...new Set(between)].map((chunk) => JSON.parse(chunk)), last, end: frames.at(-1) };
}
