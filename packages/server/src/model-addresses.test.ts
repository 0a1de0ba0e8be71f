/** Which addresses of models callers may give, over HTTP, on servers with and without keys. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { MemoirOptions } from "@memoir/core";
import { expect, onTestFinished, test } from "vitest";
import { openApp } from "./testing/open-app.ts";
import { serveOnce } from "./testing/serve-once.ts";

const secret = "INTERNAL-SECRET-PAGE";

/** Something inside the network that is no model: it tells its secret to everything that calls. */
async function startInner(): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ error: { message: secret } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

async function open(own: Partial<MemoirOptions> = {}) {
  const inner = await startInner();
  const app = await openApp({}, ":memory:", own);
  const { memoir, as } = app;
  const owner = async () => as((await memoir.keys.create(memoir.defaultActor, { name: "o", role: "owner" })).secret);
  const nobody = (method: string, path: string, body?: object) => app.call(method, path, {}, body);
  return { ...app, inner, owner, nobody };
}

const agentAt = (url: string, kind = "vllm") => ({
  llm_config: { model: "m", model_endpoint_type: kind, model_endpoint: url, context_window: 8000 },
  embedding_config: {
    embedding_model: "m",
    embedding_endpoint_type: "openai",
    embedding_endpoint: url,
    embedding_dim: 3,
  },
});
const say = { messages: [{ role: "user", content: "hello" }] };
type Call = (method: string, path: string, body?: object) => Promise<{ status: number; text: string }>;

async function sendTo(call: Call, agent: object) {
  const { id } = JSON.parse((await call("POST", "/v1/agents/", agent)).text);
  return await call("POST", `/v1/agents/${id}/messages`, say);
}

test.for(["vllm", "ollama", "groq", "together", "google_ai", "anthropic", "azure", "openai"])(
  "a server with keys does not call an inner address that an agent of the kind %s names, nor shows its answer",
  async (kind) => {
    const { owner, inner } = await open();
    const refused = await sendTo(await owner(), agentAt(inner.url, kind));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.text).toContain("MEMOIR_MODEL_ALLOW_PRIVATE");
    expect(refused.text).not.toContain(secret);
    expect(inner.seen).toEqual([]);
  },
);

test("an imported agent that names an inner address does not reach it either", async () => {
  const { memoir, as, nobody, inner, url } = await open();
  const { id } = JSON.parse((await nobody("POST", "/v1/agents/", agentAt(inner.url))).text);
  const file = (await nobody("GET", `/v1/agents/${id}/export`)).text;
  expect(file).toContain(inner.url);
  const { secret: member } = await memoir.keys.create(memoir.defaultActor, { name: "m" });
  const body = new FormData();
  body.append("file", new Blob([file], { type: "application/json" }), "agent.af");
  const headers = { authorization: `Bearer ${member}` };
  const imported = await fetch(`${url}/v1/agents/import`, { method: "POST", headers, body });
  const { agent_ids } = (await imported.json()) as { agent_ids: string[] };
  const refused = await as(member)("POST", `/v1/agents/${agent_ids[0]}/messages`, say);
  expect(refused.text).toContain("MEMOIR_MODEL_ALLOW_PRIVATE");
  expect(inner.seen).toEqual([]);
});

test("a server with keys neither checks nor stores a provider at an inner address", async () => {
  const { owner, inner } = await open();
  const key = await owner();
  const provider = { provider_type: "vllm", api_key: "k", base_url: inner.url };
  for (const [path, body] of [
    ["/v1/providers/check", provider],
    ["/v1/providers/", { ...provider, name: "mine" }],
  ] as const) {
    const { status, text } = await key("POST", path, body);
    expect([path, status]).toEqual([path, 400]);
    expect(text).toContain("base_url");
    expect(text).toContain("MEMOIR_MODEL_ALLOW_PRIVATE");
  }
  expect(inner.seen).toEqual([]);
});

test("a provider that was stored before there were keys is not called at an inner address any more", async () => {
  const { owner, nobody, inner } = await open();
  const provider = { name: "mine", provider_type: "vllm", api_key: "k", base_url: inner.url };
  const { id } = JSON.parse((await nobody("POST", "/v1/providers/", provider)).text);
  expect(inner.seen.length).toBeGreaterThan(0);
  inner.seen.length = 0;
  const key = await owner();
  for (const [method, path] of [
    ["POST", `/v1/providers/${id}/check`],
    ["PATCH", `/v1/providers/${id}/refresh`],
    ["GET", "/v1/models/"],
  ] as const) {
    const { text } = await key(method, path);
    expect(text).not.toContain(secret);
  }
  expect(inner.seen).toEqual([]);
});

test("texts are not sent to an inner address for embedding", async () => {
  const { memoir, owner, inner } = await open();
  await owner();
  const [known] = await memoir.models.listEmbeddings(memoir.defaultActor);
  if (!known) throw new Error("there is no embedding");
  const config = { ...known.config, handle: null, endpointKind: "openai", endpoint: inner.url, model: "m" };
  const embedding = memoir.models.embed(memoir.defaultActor, config, ["tea"]);
  await expect(embedding).rejects.toMatchObject({ code: "llm-bad-request" });
  expect(inner.seen).toEqual([]);
});

test("hosts that the operator names, and addresses that the operator configures, are called", async () => {
  const named = await open({ privateModelHosts: ["127.0.0.1"] });
  await sendTo(await named.owner(), agentAt(named.inner.url));
  expect(named.inner.seen).toContain("POST /v1/chat/completions");
  const inner = await startInner();
  const configured = await open({ providers: { vllm: { baseUrl: inner.url } } });
  await sendTo(await configured.owner(), { ...agentAt("http://127.0.0.1:1"), llm_config: undefined, model: "vllm/m" });
  await (await configured.owner())("GET", "/v1/models/");
  expect(inner.seen.length).toBeGreaterThan(0);
});

test("a server on this machine without keys or password calls them as before, but no metadata service", async () => {
  const { nobody, inner } = await open();
  const failed = await sendTo(nobody, agentAt(inner.url));
  expect(failed.text).toContain(secret);
  const refused = await sendTo(nobody, agentAt("http://169.254.169.254/v1"));
  expect(refused.text).toContain("is where machines keep credentials");
  const provider = { name: "m", provider_type: "openai", api_key: "k", base_url: "http://169.254.169.254/" };
  expect((await nobody("POST", "/v1/providers/", provider)).status).toBe(400);
});

test.for([
  [{}, "MEMOIR_MODEL_ALLOW_PRIVATE"],
  [{ MEMOIR_MODEL_ALLOW_PRIVATE: "127.0.0.1" }, secret],
] as const)("a server with a password and %o answers of an inner address: %s", async ([settings, answer]) => {
  const inner = await startInner();
  const { address } = await serveOnce({ MEMOIR_PASSWORD: "open sesame", ...settings });
  const headers = { authorization: "Bearer open sesame", "content-type": "application/json" };
  const call: Call = async (method, path, body) => {
    const response = await fetch(address + path, { method, headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  expect((await sendTo(call, agentAt(inner.url))).text).toContain(answer);
});
