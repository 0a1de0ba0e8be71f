/**
 * Replays what was recorded of conversations and of lists of messages, as recorded-messages.test.ts does with messages.
 * Streams in between are sent without streaming, so that the same is said. The recordings lie on our own machines only.
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
import { compareKeyOrder, compareWire, type Difference, IdMap } from "./wire-difference.ts";

const departures: readonly Departure[] = [
  {
    samples: /-send-/,
    path: /^body\.usage\.(completion|prompt|total|context)_tokens$/,
    reason: "counts are those of the recording's model and prompt",
  },
  { samples: /messages-list/, path: /^body\[\d\]\.content$/, reason: "prompts are our own words" },
  { samples: /^agent-recompile$/, path: /^body$/, reason: "prompts are our own words" },
  {
    samples: /^conversation-default-messages$/,
    path: /^body\[0\]\.content$/,
    reason: "in the recording something else was said in between",
  },
  {
    samples: /^error-404-conversation$/,
    path: /^body\.detail$/,
    reason: "the tail that no client reads is left out (api.md 3)",
  },
];

if (hasRecordings) {
  const judged = createJudge(["conversations", "busy"], departures);
  const { judge } = judged;

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers about conversations", async (dialect, context) => {
      const { providers } = await startDirectedModels();
      const { url } = await startServer(dialect, context, { core: { providers } });
      const ids = new IdMap();
      const unexpected: string[] = [];
      for (const sample of samples.conversations) {
        const name = sample.replace("*", "");
        const recorded = readSample(place, name);
        if (!recorded) continue;
        const differences = await replay(url, ids, recorded, headers);
        if (isCompared(sample)) unexpected.push(...judge(sample, differences));
      }
      expect(unexpected).toEqual([]);
    });
  });

  test.for(dialects)("%s: a busy conversation refuses a stream as recorded, if it is to", async (dialect, context) => {
    const [{ place, headers }] = callers;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { providers } = await startDirectedModels({ gate: () => gate });
    const { url } = await startServer(dialect, context, { core: { providers }, refusesBusy: true });
    const ids = new IdMap();
    for (const name of ["agent-create-default", "conversation-create"]) {
      const sample = readSample(place, name);
      if (sample) await replay(url, ids, sample, headers);
    }
    const refused = readSample(place, "error-409-conversation-busy-stream");
    const send = (body: object) =>
      fetch(url + ids.translate(refused?.request.path ?? ""), {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const first = await send({ input: "first" });
    // One that waits for its whole answer was never refused.
    const waiting = send({ input: "third", streaming: false });
    const answer = await send(refused?.request.body ?? {});
    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([409, "false"]);
    const body = (await answer.json()) as { run_id: string };
    const differences = compareWire(ids, refused?.response.body, body);
    expect(judge("error-409-conversation-busy-stream", differences)).toEqual([]);
    open();
    expect(await first.text()).toContain(body.run_id);
    expect((await waiting).status).toBe(200);
  });

  testComplete(judged);
} else skipRecorded("conversations are as recorded");

async function replay(
  url: string,
  ids: IdMap,
  { request, response }: Sample,
  headers: Record<string, string>,
): Promise<Difference[]> {
  const { method, path, body } = request;
  const isSend = method === "POST" && /\/messages$/.test(path);
  const text = body && JSON.stringify(isSend ? { ...body, streaming: false, stream_tokens: undefined } : body);
  const answer = await fetch(url + ids.translate(path), {
    method,
    headers: text === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: text && ids.translate(text),
  });
  const ours = {
    status: answer.status,
    type: answer.headers.get("content-type")?.split(";")[0],
    body: nameOtids(await answer.json()),
  };
  const recorded = {
    status: response.status,
    type: response.headers["content-type"],
    body: nameOtids(structuredClone(response.body)),
  };
  return recorded.status === ours.status
    ? [...compareWire(ids, recorded, ours), ...compareKeyOrder(recorded, ours)]
    : [{ path: "status", recorded: recorded.status, ours: ours.status }];
}

/** Made from the message's id where the agent speaks, and made up where a user did not give one. */
function nameOtids(body: unknown): unknown {
  const list = Array.isArray(body) ? body : ((body as { messages?: unknown[] } | null)?.messages ?? []);
  for (const item of list as { id?: string; otid?: string | null }[]) {
    if (!/^[0-9a-f-]{36}$/.test(item.otid ?? "")) continue;
    item.otid = item.otid?.slice(0, -2) === item.id?.slice(8, -2) ? "of the message" : "made up";
  }
  return body;
}
