import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serveOnce } from "./testing/serve-once.ts";

async function listModels(...names: string[]): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data: names.map((id) => ({ id, object: "model" })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test.for([
  [
    { MEMOIR_DEFAULT_MODEL: "nope/x" },
    '--default-model names a model that does not exist: Handle nope/x not found: no provider is named "nope".',
  ],
  [{ MEMOIR_FALLBACK_MODELS: "memoir/demo,nope/x" }, 'no provider is named "nope"'],
  [{ MEMOIR_FALLBACK_MODELS: "nope" }, "must have the form provider/model"],
  [{ MEMOIR_DEFAULT_MODEL: "memoir/nope" }, "Handle memoir/nope not found, must be one of [memoir/demo]"],
] as const)("%j keeps the server from starting, with the reason", async ([environment, reason]) => {
  await expect(serveOnce(environment)).rejects.toThrow(reason);
});

test("a default model that its provider does not list is refused with those it lists", async () => {
  const environment = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: await listModels("tiny-1") };
  await expect(serveOnce({ ...environment, MEMOIR_DEFAULT_MODEL: "openai/tiny-2" })).rejects.toThrow("openai/tiny-1");
  await serveOnce({ ...environment, MEMOIR_DEFAULT_MODEL: "openai/tiny-1" });
});

test.for([
  { MEMOIR_DEFAULT_MODEL: "openai/not-in-the-catalogue" },
  { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:9/v1", MEMOIR_DEFAULT_MODEL: "openai/tiny-1" },
  { MEMOIR_DEFAULT_MODEL: "openai/gpt-4o-mini", MEMOIR_FALLBACK_MODELS: "memoir/demo" },
])("%j may be right, so the server starts", async (environment) => {
  await serveOnce(environment);
});
