/** A server that points elsewhere does not learn where a key or a conversation would go next. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { configOf, requestOf } from "../testing/model-requests.ts";
import { findEmbedding } from "./catalogue.ts";
import { createEmbedder } from "./embedders/create-embedder.ts";
import { listProvider } from "./listing/list-provider.ts";
import type { ProviderAccess } from "./model.ts";
import { createModels } from "./providers.ts";

async function listen(answer: (request: IncomingMessage) => [status: number, headers: Record<string, string>]) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    request.resume().on("end", () => response.writeHead(...answer(request)).end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function openRedirecting(status: number) {
  const elsewhere = await listen(() => [200, { "content-type": "application/json" }]);
  const pointing = await listen(() => [status, { location: `${elsewhere.url}/redirected` }]);
  return { elsewhere, pointing };
}

const apiKey = "sk-stored-4711";
const vertex = { project: "p", location: "us-central1", apiKey: "token-4711" };
const protocols: readonly [string, ProviderAccess][] = [
  ["openai", { apiKey }],
  ["anthropic", { apiKey }],
  ["azure", { apiKey }],
  ["google_ai", { apiKey }],
  ["google_vertex", vertex],
  ["bedrock", { apiKey, accessKey: "AKIA4711", region: "us-east-1" }],
  ["vllm", { apiKey }],
];

test.for(protocols.flatMap(([type, access]) => [301, 307, 308].map((status) => ({ type, access, status }))))(
  "$type: a model call that is answered with $status goes nowhere else",
  async ({ type, access, status }) => {
    const { elsewhere, pointing } = await openRedirecting(status);
    const config = configOf("openai/gpt-4o", { handle: `${type}/gpt-4o`, provider: type, endpointKind: type });
    const request = requestOf(config);
    const model = createModels({ [type]: { ...access, baseUrl: pointing.url } }, { retries: { tries: 1 } }).get(
      request.config,
    );
    const call = async () => {
      for await (const _ of model.stream(request, new AbortController().signal)) break;
    };
    await expect(call()).rejects.toMatchObject({
      code: "llm-bad-request",
      message: expect.stringContaining("points to another address"),
    });
    expect(pointing.seen).toHaveLength(1);
    expect(elsewhere.seen).toEqual([]);
  },
);

test.for(["openai", "anthropic", "azure", "google_ai", "bedrock", "ollama"])(
  "%s: a list of models is not fetched from where a server points to",
  async (type) => {
    const { elsewhere, pointing } = await openRedirecting(307);
    const access = { apiKey, accessKey: "AKIA4711", baseUrl: pointing.url };
    const listed = listProvider({ name: type, type, access }, fetch);
    await expect(listed).rejects.toThrow(/points to another address/);
    expect(elsewhere.seen).toEqual([]);
  },
);

test.for(["openai", "azure", "google_ai", "ollama"])(
  "%s: texts to embed are not sent where a server points to",
  async (type) => {
    const { elsewhere, pointing } = await openRedirecting(308);
    const usual = findEmbedding("memoir/lexical-512");
    if (!usual) throw new Error("the catalogue has no embedding");
    const config = { ...usual, handle: null, endpointKind: type, endpoint: pointing.url, model: "m", dimension: 3 };
    const route = { provider: type, type, access: { apiKey, baseUrl: pointing.url } };
    const embedder = createEmbedder(config, route, { fetch, retries: { tries: 1 } });
    await expect(embedder.embed(["tea"], new AbortController().signal)).rejects.toThrow(/points to another address/);
    expect(elsewhere.seen).toEqual([]);
  },
);
