import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { providerRows } from "@memoir/core";
import { expect, onTestFinished, test } from "vitest";
import { readProviderAccess } from "./provider-access.ts";

test("with nothing set, no provider is configured", () => {
  expect(readProviderAccess({})).toEqual({});
  expect(readProviderAccess({ OPENAI_API_KEY: "", AWS_DEFAULT_REGION: "eu-west-1", OPENROUTER_TITLE: "x" })).toEqual(
    {},
  );
});

test.for([
  ["openai", { OPENAI_API_KEY: "k", OPENAI_API_BASE: "http://b/v1" }, { apiKey: "k", baseUrl: "http://b/v1" }],
  ["openai", { OPENAI_BASE_URL: "http://a/v1", OPENAI_API_BASE: "http://b/v1" }, { baseUrl: "http://a/v1" }],
  ["anthropic", { ANTHROPIC_API_KEY: "k\n" }, { apiKey: "k" }],
  ["google_ai", { GEMINI_API_KEY: "k", GEMINI_BASE_URL: "http://g" }, { apiKey: "k", baseUrl: "http://g" }],
  [
    "azure",
    { AZURE_API_KEY: "k", AZURE_BASE_URL: "https://x.openai.azure.com", AZURE_API_VERSION: "2025-01-01" },
    { apiKey: "k", baseUrl: "https://x.openai.azure.com", apiVersion: "2025-01-01" },
  ],
  [
    "bedrock",
    { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "s", AWS_DEFAULT_REGION: "eu-west-1", AWS_SESSION_TOKEN: "t" },
    { apiKey: "s", accessKey: "id", region: "eu-west-1", headers: { "x-amz-security-token": "t" } },
  ],
  ["bedrock", { AWS_BEARER_TOKEN_BEDROCK: "b", AWS_ACCESS_KEY_ID: "id" }, { apiKey: "b" }],
  [
    "google_vertex",
    { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "global" },
    { project: "p", location: "global" },
  ],
  [
    "openrouter",
    { OPENROUTER_API_KEY: "k", OPENROUTER_REFERER: "https://me.example", OPENROUTER_TITLE: "Me" },
    { apiKey: "k", headers: { "HTTP-Referer": "https://me.example", "X-Title": "Me" } },
  ],
  ["zai", { ZAI_API_KEY: "k", ZAI_BASE_URL: "http://z" }, { apiKey: "k", baseUrl: "http://z" }],
  ["zai_coding", { ZAI_API_KEY: "k" }, { apiKey: "k" }],
  ["hugging-face", { HF_TOKEN: "k" }, { apiKey: "k" }],
  ["mistral", { MISTRAL_API_KEY: "k" }, { apiKey: "k" }],
  ["cerebras", { CEREBRAS_API_KEY: "k" }, { apiKey: "k" }],
  ["fireworks", { FIREWORKS_API_KEY: "k" }, { apiKey: "k" }],
  ["ollama", { OLLAMA_BASE_URL: "http://127.0.0.1:11434" }, { baseUrl: "http://127.0.0.1:11434" }],
  ["lmstudio_openai", { LMSTUDIO_BASE_URL: "http://l" }, { baseUrl: "http://l" }],
  ["vllm", { VLLM_API_BASE: "http://v" }, { baseUrl: "http://v" }],
  ["sglang", { SGLANG_API_BASE: "http://s" }, { baseUrl: "http://s" }],
] as const)("%s is configured by its own variables: %j", ([provider, environment, access]) => {
  expect(readProviderAccess(environment)[provider]).toEqual(access);
});

test.for(providerRows.map((row) => [row.type, row] as const))(
  "%s is configured by every variable of its record",
  ([type, { keyVariables, isKeyFile, baseUrlVariables }]) => {
    const variables = [...(isKeyFile ? [] : keyVariables), ...baseUrlVariables];
    for (const variable of variables) expect(readProviderAccess({ [variable]: "http://x" })).toHaveProperty([type]);
  },
);

test("credentials of Google Cloud are read from their file, and a lost file keeps nothing from starting", () => {
  const folder = mkdtempSync(join(tmpdir(), "memoir-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "key.json");
  writeFileSync(file, '{"type":"service_account"}');
  const place = { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "us-central1" };
  const read = (path: string) =>
    readProviderAccess({ ...place, GOOGLE_APPLICATION_CREDENTIALS: path }).google_vertex?.apiKey;
  expect(read(file)).toBe('{"type":"service_account"}');
  expect(read(join(folder, "lost.json"))).toBeTypeOf("string");
});

test("a provider whose handles begin otherwise goes by that name", () => {
  expect(readProviderAccess({ VLLM_API_BASE: "http://v", VLLM_HANDLE_BASE: "our" })).toEqual({
    our: { baseUrl: "http://v", type: "vllm" },
  });
  expect(readProviderAccess({ VLLM_HANDLE_BASE: "our" })).toEqual({});
});
