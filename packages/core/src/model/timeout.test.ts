import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { collectFailure, configOf, requestOf } from "../testing/model-requests.ts";
import type { Model, ModelChunk } from "./model.ts";
import { patientFetch } from "./patient-fetch.ts";
import { callTool, say, scripted } from "./scripted.ts";
import { withTimeout } from "./timeout.ts";

const config = configOf("openai/gpt-4o-mini");
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

const piece: ModelChunk = { type: "text-delta", text: "word " };

/** Sends so many pieces, then nothing more. */
const stalling = (pieces: number): Model => ({
  async *stream(_, signal) {
    for (let sent = 0; sent < pieces; sent++) yield piece;
    await never(signal);
  },
});

test.for([0, 3])("a model that stops after %i pieces is given up, and the error names the limit", async (pieces) => {
  const { error } = await collectFailure(
    withTimeout(stalling(pieces), { requestMs: 30, streamMs: 60_000 }),
    requestOf(config),
  );
  expect(error).toMatchObject({ code: "llm-timeout", details: { isRetryable: true } });
  expect(error.message).toContain("sent nothing for 0.03 s");
});

test("a reply that never ends is given up although pieces keep coming", async () => {
  const endless: Model = {
    async *stream(_, signal) {
      while (!signal.aborted) {
        yield piece;
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw signal.reason;
    },
  };
  const { error } = await collectFailure(withTimeout(endless, { requestMs: 60_000, streamMs: 30 }), requestOf(config));
  expect(error).toMatchObject({ code: "llm-timeout" });
  expect(error.message).toContain("did not finish its reply within 0.03 s");
});

test("a caller that takes its time with a piece does not make the provider late", async () => {
  const model = withTimeout(scripted([callTool("memory_insert", { label: "human" }), say("x")]), {
    requestMs: 20,
    streamMs: 60_000,
  });
  const seen: string[] = [];
  for await (const chunk of model.stream(requestOf(config), new AbortController().signal)) {
    await new Promise((resolve) => setTimeout(resolve, 40));
    seen.push(chunk.type);
  }
  expect(seen.at(-1)).toBe("reply");
});

test("a provider may think for longer than Node's own fetch would wait", async () => {
  await fetch("data:,");
  const symbol = Symbol.for("undici.globalDispatcher.1");
  const place = globalThis as unknown as Record<symbol, { constructor: new (options: object) => never }>;
  const usual = place[symbol];
  if (!usual) throw new Error("Node keeps its connections elsewhere now");
  place[symbol] = new usual.constructor({ headersTimeout: 50 });
  const open: ServerResponse[] = [];
  const server = createServer((_, response) => void open.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    place[symbol] = usual;
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const patient = patientFetch(url);
  await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "UND_ERR_HEADERS_TIMEOUT" } });
  for (const response of open) response.end("late");
  expect(await (await patient).text()).toBe("late");
});
