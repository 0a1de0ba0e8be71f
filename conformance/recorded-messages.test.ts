/**
 * Replays messages that were recorded at the old server, with a model that answers as the recording's did. Where we mean
 * to differ, the table says so and why, as in recorded.test.ts. The recordings lie on our own machines only.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "./directed-models.ts";
import { messageDepartures } from "./recorded-message-departures.ts";
import { hasRecordings, recordings, tell } from "./recordings.ts";
import { startServer } from "./server.ts";
import { compareWire, type Difference, IdMap } from "./wire-difference.ts";

interface Sample {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };
}

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
] as const;

const callers = [
  { who: "a current client", place: "", headers: { "x-stainless-package-version": "1.12.1" } },
  { who: "plain HTTP", place: "plain-http", headers: { "user-agent": "curl/8.5.0" } },
] as const;

if (hasRecordings) {
  const used = new Set<number>();

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers to its messages", async (dialect, context) => {
      const read = (name: string): Sample => JSON.parse(readFileSync(join(recordings, place, `${name}.json`), "utf8"));
      const callIds: string[] = [];
      const { providers } = await startDirectedModels({ callIds });
      const { url } = await startServer(dialect, context, { core: { providers } });
      const ids = new IdMap();
      for (const name of agents) await replay(url, ids, read(name), headers);
      const unexpected: string[] = [];
      for (const name of samples) {
        const sample = read(name);
        callIds.splice(0, callIds.length, ...findCallIds(sample));
        for (const difference of await replay(url, ids, sample, headers)) {
          const reason = messageDepartures.findIndex(
            (departure) => departure.samples.test(name) && departure.path.test(difference.path),
          );
          if (reason === -1) unexpected.push(tell(name, difference));
          else used.add(reason);
        }
      }
      expect(unexpected).toEqual([]);
    });
  });

  test("every departure in the table is still one", () => {
    expect(messageDepartures.filter((_, index) => !used.has(index))).toEqual([]);
  });
}

/** The model gives its calls the names they were recorded with, in their order; those that are not kept have none. */
function findCallIds({ response }: Sample): string[] {
  return [...new Set(JSON.stringify(response.body).match(/\b(call|toolu)_[0-9a-z]{12,}/g) ?? [])];
}

async function replay(
  url: string,
  ids: IdMap,
  { request, response }: Sample,
  headers: Record<string, string>,
): Promise<Difference[]> {
  const { method, path, body } = request;
  // A body that is not JSON was recorded as the text it was.
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(url + ids.translate(path), {
    method,
    headers: { ...headers, "content-type": "application/json" },
    body: ids.translate(text),
  });
  const ours = {
    status: answer.status,
    type: answer.headers.get("content-type")?.split(";")[0],
    body: nameParts(await answer.json()),
  };
  const recorded = {
    status: response.status,
    type: response.headers["content-type"],
    body: nameParts(structuredClone(response.body)),
  };
  return recorded.status === ours.status
    ? compareWire(ids, recorded, ours)
    : [{ path: "status", recorded: recorded.status, ours: ours.status }];
}

/** The otid of a part is made from its message's id: it is right if it is that id with the part's number in it. */
function nameParts(body: unknown): unknown {
  const { messages } = (body ?? {}) as { messages?: { id: string; otid: string | null }[] };
  for (const item of Array.isArray(messages) ? messages : []) {
    const [id, otid] = [item.id.slice(8), item.otid ?? ""].map((hex) => Number.parseInt(hex.slice(-2), 16));
    const isOwn = item.otid?.slice(0, -2) === item.id.slice(8, -2) && ((id ?? 0) ^ (otid ?? 0)) < 128;
    if (isOwn) item.otid = `part ${(otid ?? 0) % 128}`;
  }
  return body;
}
