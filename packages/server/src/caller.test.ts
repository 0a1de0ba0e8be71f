import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { Memoir } from "@memoir/core";
import pino from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { type AppOptions, createApp } from "./app.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

/** Over a real connection: Node's client sends what it is given and nothing else, also no User-Agent. */
async function open(options: Partial<AppOptions> = {}) {
  const memoir = new Memoir({ database: ":memory:" });
  await memoir.start();
  const log = pino({ level: "silent" });
  const app = await createApp({ memoir, log, findProviders: async () => [], checkResponses: true, ...options });
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await app.close();
    await memoir.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const call = (method: string, path: string, headers: Headers = {}, body?: object) =>
    new Promise<Answer>((answered, failed) => {
      const type = body ? { "content-type": "application/json" } : {};
      const outgoing = request({ host: "127.0.0.1", port, method, path, headers: { ...type, ...headers } });
      outgoing.on("error", failed).on("response", (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        incoming.on("end", () => answered({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
      });
      outgoing.end(body && JSON.stringify(body));
    });
  return { memoir, call };
}

describe("which generation of client is asking", () => {
  const isCurrent: readonly [who: string, headers: Headers, isCurrent: boolean][] = [
    [
      "an official client from 1.0 on",
      { "x-stainless-package-version": "1.12.1", "user-agent": "Letta/JS 1.12.1" },
      true,
    ],
    ["any agent with that header", { "x-stainless-package-version": "0.0.1", "user-agent": "curl/8" }, true],
    ["a caller without a user agent", {}, true],
    ["the Python client 1.x by its user agent", { "user-agent": "letta-client/1.7.12" }, true],
    ["the npm client 1.x by its user agent", { "user-agent": "@letta-ai/letta-client/1.0.0" }, true],
    ["the Python client 0.1.x", { "user-agent": "letta-client/0.1.324" }, false],
    ["the npm client 0.0.x", { "user-agent": "@letta-ai/letta-client/0.0.68665" }, false],
    ["a client 10.x, which is not 1.x", { "user-agent": "letta-client/10.0.0" }, false],
    ["an empty version header", { "x-stainless-package-version": "", "user-agent": "curl/8" }, false],
    ["curl", { "user-agent": "curl/8.5.0" }, false],
    ["a browser", { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" }, false],
    ["letta-code's own fetch", { "user-agent": "letta-code/0.30.29", "x-letta-source": "letta-code" }, false],
  ];

  test("current ones get relations where they ask, older ones always", async () => {
    const { call } = await open();
    const memory_blocks = [{ label: "human", value: "Ada" }];
    const created = await call("POST", "/v1/agents/", {}, { model: "openai/gpt-4o-mini", memory_blocks });
    const { id } = JSON.parse(created.text);
    for (const [who, headers, expected] of isCurrent) {
      const { text } = await call("GET", `/v1/agents/${id}`, headers);
      expect([who, JSON.parse(text).blocks.length === 0]).toEqual([who, expected]);
    }
  });
});

test("an older client that names what it wants gets that and no more", async () => {
  const { call } = await open();
  const memory_blocks = [{ label: "human", value: "Ada" }];
  const created = await call("POST", "/v1/agents/", {}, { model: "openai/gpt-4o-mini", memory_blocks, tags: ["t"] });
  const { id } = JSON.parse(created.text);
  const counts = async (query: string) => {
    const { blocks, tools, tags } = JSON.parse(
      (await call("GET", `/v1/agents/${id}${query}`, { "user-agent": "curl" })).text,
    );
    return { blocks: blocks.length, hasTools: tools.length > 0, tags: tags.length };
  };
  expect(await counts("")).toEqual({ blocks: 1, hasTools: true, tags: 1 });
  expect(await counts("?include=agent.blocks")).toEqual({ blocks: 1, hasTools: false, tags: 1 });
  expect(await counts("?include_relationships=tools")).toEqual({ blocks: 0, hasTools: true, tags: 0 });
  expect(await counts("?include_relationships=")).toEqual({ blocks: 0, hasTools: false, tags: 0 });
});

describe("with a password", () => {
  const password = "correct horse battery";
  const unauthorized = { status: 401, text: '{"detail":"Unauthorized"}' };

  test("it opens every path, sent either way", async () => {
    const { call } = await open({ password });
    const ways: Headers[] = [{ authorization: `Bearer ${password}` }, { "x-bare-password": `password ${password}` }];
    for (const headers of ways) {
      expect(await call("GET", "/v1/agents/", headers)).toMatchObject({ status: 200, text: "[]" });
      expect(await call("GET", "/v1/nothing-here", headers)).toMatchObject({ status: 404 });
    }
  });

  test("anything else gets the same refusal, whatever was wrong", async () => {
    const { call } = await open({ password });
    const wrong: Headers[] = [
      {},
      { authorization: "" },
      { authorization: password },
      { authorization: `bearer ${password}` },
      { authorization: `Bearer ${password} x` },
      { authorization: `Bearer ${password.slice(0, -1)}` },
      { authorization: `Basic ${Buffer.from(`x:${password}`).toString("base64")}` },
      { "x-bare-password": password },
      { "x-bare-password": `password ${password}x` },
    ];
    for (const headers of wrong) expect(await call("GET", "/v1/agents/", headers)).toMatchObject(unauthorized);
    for (const [method, path] of [
      ["GET", "/v1/no-such-route"],
      ["GET", "/v1/agents/not-an-id"],
      ["PUT", "/v1/agents/"],
      ["DELETE", "/latest/agents/agent-00000000-0000-4000-8000-00000000dead"],
      ["GET", "/v1/memoir/status"],
      ["GET", "/v1"],
      ["GET", "/nothing"],
    ] as const) {
      expect([path, await call(method, path)]).toMatchObject([path, unauthorized]);
    }
  });

  test("no other spelling of a path leads around it", async () => {
    const { call } = await open({ password });
    for (const path of [
      "/%761/agents/",
      "/%76%31/agents/",
      "/v1/%61gents/",
      "http://elsewhere.example/v1/agents/",
      "/latest/agents",
      "//v1/agents/",
      "/v1//agents/",
      "/V1/agents/",
      "/x/../v1/agents/",
      "/v1/health/../agents/",
      "/v1/health;/../agents/",
      "/v1/health%2f..%2fagents/",
    ]) {
      const { status, text } = await call("GET", path);
      expect([path, status, text]).toEqual([path, 401, '{"detail":"Unauthorized"}']);
    }
  });

  test("health, readiness and the page's own files stay open", async () => {
    const { call } = await open({ password });
    for (const path of [
      "/v1/health",
      "/v1/health/",
      "/latest/health/",
      "/v1/ready",
      "/v1/ready/",
      "/latest/ready",
      "/latest/ready/",
      "/openapi.json",
    ]) {
      expect([path, (await call("GET", path)).status]).toEqual([path, 200]);
    }
  });

  test("a browser's preflight is answered before it, and the refusal carries the CORS headers", async () => {
    const { call } = await open({ password, allowedOrigins: ["https://workbench.example"] });
    const origin = "https://workbench.example";
    const ask = { origin, "access-control-request-method": "PATCH", "access-control-request-headers": "authorization" };
    const preflight = await call("OPTIONS", "/v1/agents/", ask);
    expect(preflight).toMatchObject({ status: 204, headers: { "access-control-allow-origin": origin } });
    expect(String(preflight.headers["access-control-allow-methods"])).toContain("PATCH");
    const refused = await call("GET", "/v1/agents/", { origin });
    expect(refused).toMatchObject({ status: 401, headers: { "access-control-allow-origin": origin } });
    const stranger = await call("GET", "/v1/agents/", { origin: "https://evil.example" });
    expect(stranger.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("without a password", () => {
  test("any Authorization header is accepted and ignored", async () => {
    const { call } = await open();
    for (const authorization of ["Bearer anything", "nonsense", ""]) {
      expect((await call("GET", "/v1/agents/", { authorization })).status).toBe(200);
    }
  });
});

describe("who acts", () => {
  test("the default user, where the header names nobody", async () => {
    const { call } = await open();
    const body = { model: "openai/gpt-4o-mini", include_base_tools: false };
    const byDefault = JSON.parse((await call("POST", "/v1/agents/", {}, body)).text);
    expect(byDefault.created_by_id).toBe("user-00000000-0000-4000-8000-000000000000");
    const user_id = "user-00000000-0000-4000-8000-00000000dead";
    const byUnknown = JSON.parse((await call("POST", "/v1/agents/", { user_id }, body)).text);
    expect(byUnknown.created_by_id).toBe(byDefault.created_by_id);
  });

  test("a malformed user id is refused with the form it should have", async () => {
    const { call } = await open();
    const { status, text } = await call("GET", "/v1/agents/", { user_id: "user-1" });
    expect([status, JSON.parse(text).detail]).toEqual([
      400,
      "INVALID_ARGUMENT: Invalid user ID format: user-1. Expected format: 'user-<uuid4>'",
    ]);
  });
});
