import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { providerRows } from "@memoir/core";
import { expect, onTestFinished, test } from "vitest";
import { findProviders } from "./detect-providers.ts";
import { readProviderAccess } from "./provider-access.ts";

/** A server on this machine that takes Ollama's place. */
async function serveFake(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Port 9 is nobody's: what runs on the machine of the test must not matter. */
const nobody = { OLLAMA_BASE_URL: "http://127.0.0.1:9", LMSTUDIO_BASE_URL: "http://127.0.0.1:9" };

async function find(name: string, environment: Record<string, string>, timeoutMs?: number) {
  const providers = await findProviders({ ...nobody, ...environment }, true, timeoutMs);
  return providers.find((provider) => provider.name === name);
}

test("with nothing there, each provider says how to add it", async () => {
  const providers = await findProviders(nobody);
  expect(providers.map(({ name, found }) => [name, found])).toEqual([
    ["openai", false],
    ["anthropic", false],
    ["google_ai", false],
    ["ollama", false],
    ["lmstudio_openai", false],
  ]);
  expect(providers[0]?.detail).toBe("set OPENAI_API_KEY and start again");
  expect(providers[3]?.detail).toBe("OLLAMA_BASE_URL names http://127.0.0.1:9, which does not answer");
});

test("a key in the environment is a provider, and is named without being shown", async () => {
  for (const [name, variable] of [
    ["openai", "OPENAI_API_KEY"],
    ["openai", "OPENAI_BASE_URL"],
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["google_ai", "GEMINI_API_KEY"],
  ] as const) {
    expect(await find(name, { [variable]: "sk-secret" })).toMatchObject({ found: true, detail: `${variable} is set` });
  }
  expect(JSON.stringify(await findProviders({ ...nobody, OPENAI_API_KEY: "sk-secret" }))).not.toContain("sk-secret");
  expect(await find("openai", { OPENAI_API_KEY: "" })).toMatchObject({ found: false });
});

const sets = providerRows.flatMap(({ type, detectedBy }) => detectedBy.map((variables) => [type, variables] as const));

test.for(sets)("%s is found by %j, all of them and no fewer, and is configured by them", async ([type, variables]) => {
  const environment = Object.fromEntries(variables.map((variable) => [variable, "http://127.0.0.1:9"]));
  expect(await find(type, environment)).toMatchObject({ found: true, detail: `${variables[0]} is set` });
  expect(readProviderAccess(environment)).toHaveProperty([type]);
  const { [variables[0] ?? ""]: _, ...fewer } = environment;
  expect((await find(type, fewer))?.found ?? false).toBe(false);
});

test("every provider that a key configures is shown, but Z.ai's two as one", async () => {
  const keyed = providerRows.filter(({ keyVariables }) => keyVariables.length > 0);
  const hidden = keyed.filter(({ detectedBy }) => detectedBy.length === 0).map(({ type }) => type);
  expect(hidden).toEqual(["zai_coding"]);
});

test("a server at the address that a local provider's variable names is found", async () => {
  const address = await serveFake((_request, response) => response.end("{}"));
  const local = providerRows.filter(({ quirks }) => quirks?.isLocal);
  expect(local.length).toBeGreaterThan(3);
  for (const { type, baseUrlVariables } of local) {
    const environment = Object.fromEntries(baseUrlVariables.map((variable) => [variable, address]));
    expect(await find(type, environment, 20_000)).toMatchObject({ found: true, detail: `answers at ${address}` });
  }
});

test("a server that answers where Ollama or LM Studio would is one", async () => {
  const asked: string[] = [];
  const address = await serveFake((request, response) => {
    asked.push(request.url ?? "");
    response.end("{}");
  });
  expect(await find("ollama", { OLLAMA_BASE_URL: address }, 20_000)).toEqual({
    name: "ollama",
    title: "Ollama",
    found: true,
    detail: `answers at ${address}`,
  });
  expect(await find("lmstudio_openai", { LMSTUDIO_BASE_URL: `${address}/v1/` }, 20_000)).toMatchObject({
    found: true,
    detail: `answers at ${address}`,
  });
  expect(asked).toEqual(["/api/tags", "/v1/models"]);
});

test("one that fails, sends elsewhere or never answers is none, and does not hold anybody up", async () => {
  const listeners: RequestListener[] = [
    (_request, response) => response.writeHead(500).end(),
    (_request, response) => response.writeHead(404).end(),
    (_request, response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(),
    (request) => request.socket.destroy(),
    () => {},
  ];
  for (const listener of listeners) {
    const address = await serveFake(listener);
    expect(await find("ollama", { OLLAMA_BASE_URL: address })).toMatchObject({
      found: false,
      detail: `OLLAMA_BASE_URL names ${address}, which does not answer`,
    });
  }
});

test("an address that is none is no reason to fail", async () => {
  expect(await find("ollama", { OLLAMA_BASE_URL: "not an address" })).toMatchObject({ found: false });
  const unset = await find("ollama", { OLLAMA_BASE_URL: "" });
  expect(unset?.detail).not.toContain("names");
});
