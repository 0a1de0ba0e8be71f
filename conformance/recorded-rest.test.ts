/**
 * Replays recordings that belong to no other comparison: lists over all agents, traces, resets, cancelling, chat
 * completions. The recordings lie on our own machines only.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "./directed-models.ts";
import { departures as agentDepartures, type Departure } from "./recorded-departures.ts";
import { callers, createJudge, hasRecordings, readSample, recordings, skipRecorded } from "./recordings.ts";
import { replaySample } from "./replaying.ts";
import { startServer } from "./server.ts";
import { compareWire, IdMap } from "./wire-difference.ts";

/** In the order they were recorded; those marked with a star are there for what they leave behind. */
const samples = [
  "agent-create-default*",
  "agent-create-gpt5*",
  "agent-update*",
  "message-send-text*",
  "message-send-llm-500*",
  "messages-list-after-llm-errors",
  "message-send-gpt5-reasoning*",
  "messages-list-all-agents",
  "stream-404-agent",
  "message-send-async*",
  "run-trace",
  "run-steps*",
  "step-trace",
  "message-send-while-busy",
  "message-send-archival-tools",
  "chat-completions-json",
  "agent-reset-messages",
] as const;

const own: readonly Departure[] = [
  {
    samples: /^messages-list-after-llm-errors$/,
    path: /^body/,
    reason: "what a user said stays when the run fails, so the newest messages are others (18.16)",
  },
  { samples: /^run-trace$/, path: /^status$/, reason: "there is no trace store to configure (api.md 13.11)" },
  {
    samples: /^step-trace$/,
    path: /^body\.(request|response)_json/,
    reason: "prompts and tools are our own, other things were said, and our requests stream",
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
  { samples: /^chat-completions-json$/, path: /^status$/, reason: "completions need not be streamed (18.9)" },
  {
    samples: /^agent-reset-messages$/,
    path: /^body\.(tools\[broken\]|(memory\.)?blocks\[human\]\.value|last_stop_reason)$/,
    reason: "in the recording the agent was used and given a tool in between",
  },
];

if (hasRecordings) {
  const { judge, unused } = createJudge([...own, ...agentDepartures]);

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the other recorded answers", async (dialect, context) => {
      const callIds: string[] = [];
      const { providers } = await startDirectedModels({ callIds });
      const { url } = await startServer(dialect, context, { core: { providers } });
      const replay = { url, ids: new IdMap(), callIds, place, headers };
      const unexpected: string[] = [];
      for (const sample of samples) {
        const name = sample.replace("*", "");
        if (name === "step-trace") await waitForTrace(url + replay.ids.translate(pathOf(place, name)));
        const differences = (await replaySample(replay, name)) ?? [];
        if (sample === name) unexpected.push(...judge(name, differences));
      }
      expect(unexpected).toEqual([]);
    });

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
        // The old server says so a little later.
        expect(await replaySample(replay, "run-retrieve-started")).toEqual([
          { path: "body.status", recorded: "created", ours: "running" },
        ]);
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
        expect(await cancel(recorded?.request.body)).toEqual(expected);
        gate.resolve();
        const ended = (await replaySample(replay, "run-retrieve-cancelled")) ?? [];
        // There a run that ends just after the cancel overwrites it (api.md 11), times have no zone and durations are kept back.
        expect(
          ended.map(({ path, ours }) => [path, typeof ours === "string" ? ours.slice(0, 9) : typeof ours]),
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
      expect(compareWire(replay.ids, theirs, ours)).toEqual([]);
    });
  });

  test("every departure in the table is still one", () => {
    expect(own.filter((departure) => unused().includes(departure))).toEqual([]);
  });
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
