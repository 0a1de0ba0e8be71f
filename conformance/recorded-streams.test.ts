/**
 * Replays streams that were recorded at the old server, event for event, with a model that answers as the recording's
 * did. Where we mean to differ, the table says so and why. The recordings lie on our own machines only.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { ROOT } from "../scripts/install.cjs";
import { startDirectedModels } from "./directed-models.ts";
import type { Departure } from "./recorded-departures.ts";
import { startServer } from "./server.ts";
import { compareWire, IdMap } from "./wire-difference.ts";

const folder = join(ROOT, "..", "shared", "fixtures", "wire");

interface Request {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly headers: Record<string, string> };
}

const agents = ["default", "memgpt-v2", "anthropic", "gpt5"].map((name) => `agent-create-${name}`);

/** In the order they were recorded. */
const samples = [
  "message-send-streaming-true",
  "stream-steps-text",
  "stream-steps-tool",
  "stream-steps-llm-500",
  "stream-steps-background-tool",
  "stream-steps-memgpt-v2",
  "stream-steps-anthropic-thinking",
  "stream-tokens-text",
  "stream-tokens-tool",
  "stream-tokens-parallel-tools",
  "stream-no-pings",
  "stream-llm-500",
  "stream-llm-429",
  "stream-max-steps-1",
  "stream-tokens-background",
  "run-stream-replay",
  "stream-tokens-anthropic-thinking",
  "stream-tokens-gpt5-reasoning",
] as const;

const departures: readonly Departure[] = [
  {
    samples: /./,
    path: /\.data\.(completion|prompt|total|context)_tokens$/,
    reason: "counts are those of the recording's model and prompt",
  },
  {
    samples: /./,
    path: /\.data\.(cache_write|cached_input|reasoning)_tokens$/,
    reason: "null where the provider does not say, 0 where it says zero (api.md 9)",
  },
  {
    samples: /tokens-gpt5-reasoning$/,
    path: /\.data\.step_id$/,
    reason: "every piece carries its step, also the first, which is empty",
  },
  { samples: /llm-\d+$/, path: /\.data\.(message|detail)$/, reason: "errors are told in our own words (api.md 3)" },
  {
    samples: /./,
    path: /\.data\.tool_return$|tool_returns\[0\]\.tool_return$/,
    reason: "the block holds what ours wrote",
  },
];

interface StreamEvent {
  readonly event: string | null;
  readonly data: unknown;
}

/** Every event is one frame: an optional name, one line of data, an empty line. */
function readFrames(text: string): StreamEvent[] {
  expect(text.endsWith("\n\n")).toBe(true);
  return text
    .slice(0, -2)
    .split("\n\n")
    .map((frame) => {
      const match = /^(?:event: (\w+)\n)?data: (.*)$/.exec(frame);
      expect(match, frame).not.toBeNull();
      const data = match?.[2] ?? "";
      return { event: match?.[1] ?? null, data: data === "[DONE]" ? data : nameParts(JSON.parse(data)) };
    });
}

/** The otid of a part is made from its message's id; a ping's id from nothing that can be compared. */
function nameParts(item: { id?: string; otid?: string | null; message_type?: string }): unknown {
  if (item.message_type === "ping") return { ...item, id: item.id?.slice(0, 5) };
  if (!item.id || !item.otid) return item;
  const isOwn = item.otid.slice(0, -2) === item.id.slice(8, -2);
  return isOwn ? { ...item, otid: `part ${Number.parseInt(item.otid.slice(-2), 16) % 128}` } : item;
}

type Item = Record<string, unknown> & { id?: string; message_type?: string; tool_call?: Record<string, string> };

/** Where a reply is cut into pieces depends on the provider: pieces of one item are put together before they are compared. */
function joinPieces(events: readonly StreamEvent[]): StreamEvent[] {
  const joined: { event: string | null; data: unknown }[] = [];
  for (const { event, data } of events) {
    const [item, last] = [data as Item, joined.at(-1)?.data as Item | undefined];
    const isSame = item.id !== undefined && last?.id === item.id && last.message_type === item.message_type;
    const isOne = isSame && item.tool_call?.tool_call_id === last.tool_call?.tool_call_id;
    if (!isOne || !last) {
      joined.push({ event, data: structuredClone(data) });
      continue;
    }
    for (const key of ["content", "reasoning"]) if (key in item) last[key] = `${last[key] ?? ""}${item[key]}`;
    if (item.tool_call && last.tool_call) {
      const text = `${last.tool_call.arguments ?? ""}${item.tool_call.arguments ?? ""}`;
      last.tool_call = last.tool_calls = { ...last.tool_call, arguments: text } as Record<string, string>;
    }
  }
  return joined;
}

if (existsSync(folder)) {
  const used = new Set<number>();

  test.for(dialects)("%s: streams are as recorded, event for event", async (dialect, context) => {
    const callIds: string[] = [];
    const { providers } = await startDirectedModels({ callIds });
    const { url } = await startServer(dialect, context, { core: { providers } });
    const ids = new IdMap();
    const headers = { "x-stainless-package-version": "1.12.1", "content-type": "application/json" };
    for (const name of agents) {
      const { request, response } = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
      const answer = await fetch(url + request.path, { method: "POST", headers, body: JSON.stringify(request.body) });
      compareWire(ids, response.body, await answer.json());
    }
    const unexpected: string[] = [];
    for (const name of samples) {
      const { request, response }: Request = JSON.parse(readFileSync(join(folder, `${name}.request.json`), "utf8"));
      const recorded = readFileSync(join(folder, `${name}.sse.txt`), "utf8");
      callIds.splice(0, callIds.length, ...new Set(recorded.match(/\b(call|toolu)_[0-9a-z]{12,}/g) ?? []));
      const answer = await fetch(url + ids.translate(request.path), {
        method: request.method,
        headers,
        body: ids.translate(JSON.stringify(request.body)),
      });
      expect([name, answer.status]).toEqual([name, response.status]);
      expect(answer.headers.get("content-type")).toBe(response.headers["content-type"]);
      const ours = joinPieces(readFrames(await answer.text()));
      for (const difference of compareWire(ids, joinPieces(readFrames(recorded)), ours)) {
        const reason = departures.findIndex(
          (departure) => departure.samples.test(name) && departure.path.test(difference.path),
        );
        if (reason === -1) unexpected.push(`${name}: ${JSON.stringify(difference).slice(0, 400)}`);
        else used.add(reason);
      }
    }
    expect(unexpected).toEqual([]);
  });

  test("every departure in the table is still one", () => {
    expect(departures.filter((_, index) => !used.has(index))).toEqual([]);
  });
}
