import { describe, expect, test } from "vitest";
import { noTelemetry } from "../telemetry/telemetry.ts";
import { configOf, requestOf } from "../testing/model-requests.ts";
import { startScriptedOpenAi } from "../testing/scripted-openai.ts";
import { Exchange } from "./exchange.ts";
import type { Model } from "./model.ts";
import { type Observation, observe, observeFetch, observeModels, renderBody } from "./observe.ts";
import { createModels } from "./providers.ts";
import { findSecrets, withoutSecrets, withoutUrlSecrets } from "./secrets.ts";

const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' };
const config = configOf("openai/gpt-4o-mini");

/** A model whose every request is one call of this `fetch`. */
function modelOver(fetch: typeof globalThis.fetch, init: RequestInit): Model {
  const model: Model = {
    async *stream() {
      await (await observeFetch(fetch)("https://provider.test/v1?key=abcdef-secret", init)).text();
      yield* [];
    },
  };
  return observeModels({ get: () => model }).get(config);
}

async function watch(model: Model): Promise<Observation> {
  const observation: Observation = { asked: [] };
  await observe(observation, () => Array.fromAsync(model.stream(requestOf(config), new AbortController().signal)));
  return observation;
}

describe("watching", () => {
  test("nobody watches: the request goes out as it is, and nothing is kept", async () => {
    const seen: unknown[] = [];
    const fetch = observeFetch(async (...args) => {
      seen.push(args);
      return new Response("fine");
    });
    expect(await (await fetch("https://provider.test", json)).text()).toBe("fine");
    expect(seen).toEqual([["https://provider.test", json]]);
  });

  test("what is no request to a model, such as the exchange of credentials for a token, is not kept", async () => {
    const form = { method: "POST", body: new URLSearchParams({ assertion: "signed" }) };
    const { asked } = await watch(modelOver(async () => new Response("{}"), form));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.exchanges).toEqual([]);
  });

  test("an answer that came too late was not cancelled, and telemetry is told so", async () => {
    const told: boolean[] = [];
    const span = { begin() {}, end: ({ isCancelled }: { isCancelled: boolean }) => void told.push(isCancelled) };
    const telemetry = { ...noTelemetry, isOn: true, openModelCall: () => span };
    const failing: Model = {
      // biome-ignore lint/correctness/useYield: it is stopped before its first piece
      async *stream(_, signal) {
        throw signal.reason;
      },
    };
    const model = observeModels({ get: () => failing }, telemetry).get(config);
    for (const reason of [new DOMException("late", "TimeoutError"), new DOMException("enough", "AbortError")]) {
      const work = Array.fromAsync(model.stream(requestOf(config), AbortSignal.abort(reason)));
      await expect(work).rejects.toBe(reason);
    }
    expect(told).toEqual([false, true]);
  });

  test("a connection that fails is kept with its reason", async () => {
    const observation: Observation = { asked: [] };
    const model = modelOver(() => Promise.reject(new Error("no route")), json);
    const stream = () => Array.fromAsync(model.stream(requestOf(config), new AbortController().signal));
    await expect(observe(observation, stream)).rejects.toThrow("no route");
    const [exchange] = observation.asked[0]?.exchanges ?? [];
    expect(exchange).toMatchObject({ error: "no route", status: undefined, response: null });
    expect(observation.asked[0]?.error).toBe("no route");
  });

  test("two calls at once are not mixed up", async () => {
    const model = modelOver(async (_, init) => new Response(String(init?.body)), json);
    const [one, two] = await Promise.all([watch(model), watch(model)]);
    expect([one.asked.length, two.asked.length]).toEqual([1, 1]);
    expect([one.asked[0]?.exchanges.length, two.asked[0]?.exchanges.length]).toEqual([1, 1]);
  });

  test("only a body is made, and nothing is sent", async () => {
    const server = await startScriptedOpenAi([]);
    try {
      const access = { openai: { apiKey: "k", baseUrl: server.baseUrl } };
      const model = createModels(access, { fetch: observeFetch(fetch) }).get(config);
      const body = JSON.parse(Buffer.from((await renderBody(model, requestOf(config))) ?? "").toString());
      expect(body).toMatchObject({ model: "gpt-4o-mini", messages: [{ role: "system" }, { role: "user" }] });
      expect(server.requests).toHaveLength(0);
      const nameless = createModels({}, { fetch: observeFetch(fetch) }).get(config);
      expect(await renderBody(nameless, requestOf(config))).toBeUndefined();
    } finally {
      await server.close();
    }
  });
});

describe("an answer", () => {
  test("reaches its reader piece by piece, no later than it comes", async () => {
    const gate = Promise.withResolvers<void>();
    const pieces = ["first ", "second"].map((text) => Buffer.from(text));
    const source = new ReadableStream({
      async pull(controller) {
        const piece = pieces.shift();
        if (!piece) return controller.close();
        if (pieces.length === 0) await gate.promise;
        controller.enqueue(piece);
      },
    });
    const exchange = new Exchange("", new Uint8Array(), []);
    const reader = exchange.watch(new Response(source)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? "").toString()).toBe("first ");
    expect(Buffer.from(exchange.response ?? "").toString()).toBe("first ");
    gate.resolve();
    await reader?.read();
    expect((await reader?.read())?.done).toBe(true);
    expect(Buffer.from(exchange.response ?? "").toString()).toBe("first second");
    expect(exchange).toMatchObject({ status: 200, isCut: false, endedMs: expect.any(Number) });
  });

  test("is kept up to 5 MB and read to its end", async () => {
    const piece = new Uint8Array(700_000);
    let left = 10;
    const source = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
    });
    const exchange = new Exchange("", new Uint8Array(), []);
    const read = await exchange.watch(new Response(source)).arrayBuffer();
    expect(read.byteLength).toBe(7_000_000);
    expect(exchange.response).toHaveLength(5_000_000);
    expect(exchange.isCut).toBe(true);
  });

  test("whose reader leaves lets the provider go", async () => {
    let reason: unknown;
    const source = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.from("x")),
      cancel(input) {
        reason = input;
      },
    });
    const exchange = new Exchange("", new Uint8Array(), []);
    await exchange.watch(new Response(source)).body?.cancel("enough");
    expect(reason).toBe("enough");
    expect(exchange.endedMs).toBeDefined();
  });

  test("without a body stays as it is", () => {
    const response = new Response(null, { status: 204 });
    expect(new Exchange("", new Uint8Array(), []).watch(response)).toBe(response);
  });
});

describe("secrets", () => {
  const url = "https://user:passw0rd@host.test/v1/models/x:go?key=AIza-secret&alt=sse&access_token=token-1234";

  test("are found in headers and addresses", () => {
    const headers = {
      authorization: "Bearer sk-1234567",
      "x-api-key": "ant-1234567",
      "content-type": "application/json",
    };
    expect(findSecrets(url, headers)).toEqual(
      expect.arrayContaining(["sk-1234567", "ant-1234567", "AIza-secret", "token-1234", "passw0rd"]),
    );
    expect(findSecrets("https://host.test", headers)).not.toContain("application/json");
  });

  test("do not stay in an address", () => {
    expect(withoutUrlSecrets(url)).toBe("https://host.test/v1/models/x:go?key=***&alt=sse&access_token=***");
    expect(withoutUrlSecrets("no address")).toBe("");
  });

  test("are taken out of bytes, and every other byte stays", () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x00, 0xc3]), Buffer.from("ä sk-geheim-ü ö")]);
    const clean = Buffer.from(withoutSecrets(bytes, ["sk-geheim-ü"]));
    expect(clean).toEqual(Buffer.concat([Buffer.from([0xff, 0x00, 0xc3]), Buffer.from("ä *** ö")]));
    expect(Buffer.from(withoutSecrets(bytes, ["absent"]))).toEqual(bytes);
  });
});
