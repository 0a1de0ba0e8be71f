import { describe, expect, test } from "vitest";
import type { ModelConfig } from "../shared/model-config.ts";
import { compatibleRow, findProviderRow, providerRows } from "../shared/provider-rows.ts";
import { collectFailure, configOf, requestOf } from "../testing/model-requests.ts";
import { findModel, listCatalogued, listModels } from "./catalogue.ts";
import { toListedConfig } from "./listing/listed-config.ts";
import type { ProviderAccess } from "./model.ts";
import { createModels } from "./providers.ts";

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of requests
  readonly body: any;
}

/** What is sent to whom, with nobody there to answer. */
async function ask(config: ModelConfig, access: Record<string, ProviderAccess>, own?: ProviderAccess): Promise<Sent> {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    sent.push({ url: String(input), headers, body: JSON.parse(String(init?.body)) });
    return Response.json({ error: { message: "nobody is here" } }, { status: 418 });
  };
  const models = createModels(access, { fetch, retries: { tries: 1 } });
  await collectFailure(models.get(config, own), requestOf(config));
  const [first] = sent;
  if (!first) throw new Error("nothing was sent");
  return first;
}

function configFor(provider: string, model: string): ModelConfig {
  const handle = `${provider}/${model}`;
  return { ...configOf("openai/gpt-4o-mini"), handle, provider, model, endpointKind: provider, endpoint: null };
}

const bearer = { authorization: "Bearer the-key" };

/** Each provider with its key: the address it is asked at, and how it is told who asks. */
const expected: Readonly<Record<string, readonly [access: ProviderAccess, url: string, auth: object]>> = {
  openai: [{}, "https://api.openai.com/v1/chat/completions", bearer],
  anthropic: [{}, "https://api.anthropic.com/v1/messages", { "x-api-key": "the-key" }],
  ollama: [{ baseUrl: "http://box:11434" }, "http://box:11434/v1/chat/completions", bearer],
  google_ai: [
    {},
    "https://generativelanguage.googleapis.com/v1beta/models/some-model:streamGenerateContent?alt=sse",
    { "x-goog-api-key": "the-key" },
  ],
  google_vertex: [
    { project: "p1", location: "europe-west1" },
    "https://europe-west1-aiplatform.googleapis.com/v1/projects/p1/locations/europe-west1/publishers/google/models/some-model:streamGenerateContent?alt=sse",
    bearer,
  ],
  azure: [
    { baseUrl: "https://x.openai.azure.com" },
    "https://x.openai.azure.com/openai/deployments/some-model/chat/completions?api-version=2024-09-01-preview",
    { "api-key": "the-key" },
  ],
  groq: [{}, "https://api.groq.com/openai/v1/chat/completions", bearer],
  together: [{}, "https://api.together.xyz/v1/chat/completions", bearer],
  vllm: [{ baseUrl: "http://box:8000/v1/" }, "http://box:8000/v1/chat/completions", bearer],
  sglang: [{ baseUrl: "http://box:30000" }, "http://box:30000/v1/chat/completions", bearer],
  bedrock: [
    { accessKey: "AKIDEXAMPLE", region: "eu-central-1" },
    "https://bedrock-runtime.eu-central-1.amazonaws.com/model/some-model/converse-stream",
    {
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /,
      ),
    },
  ],
  deepseek: [{}, "https://api.deepseek.com/v1/chat/completions", bearer],
  xai: [{}, "https://api.x.ai/v1/chat/completions", bearer],
  lmstudio_openai: [{ baseUrl: "http://box:1234/api/v0" }, "http://box:1234/v1/chat/completions", bearer],
  zai: [{}, "https://api.z.ai/api/paas/v4/chat/completions", bearer],
  zai_coding: [{}, "https://api.z.ai/api/coding/paas/v4/chat/completions", bearer],
  openrouter: [{}, "https://openrouter.ai/api/v1/chat/completions", bearer],
  minimax: [{}, "https://api.minimax.io/anthropic/v1/messages", { "x-api-key": "the-key" }],
  baseten: [{}, "https://inference.baseten.co/v1/chat/completions", bearer],
  mistral: [{}, "https://api.mistral.ai/v1/chat/completions", bearer],
  cerebras: [{}, "https://api.cerebras.ai/v1/chat/completions", bearer],
  fireworks: [{}, "https://api.fireworks.ai/inference/v1/chat/completions", bearer],
  "hugging-face": [{}, "https://router.huggingface.co/v1/chat/completions", bearer],
};

test("records have types of their own and name other records and models that exist", () => {
  const types = providerRows.map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
  for (const { type, modelsOf, suggestedModel, listing } of providerRows) {
    if (modelsOf !== undefined) expect(types).toContain(modelsOf);
    if (suggestedModel !== undefined) expect(findModel(`${type}/${suggestedModel}`), type).toBeDefined();
    // Without a list of its own, a provider has no models but those of the catalogue.
    if (listing === "catalogue") expect(listCatalogued(type).length, type).toBeGreaterThan(0);
  }
});

test("every model of the catalogue belongs to a record, and shows its address as a list does", () => {
  for (const { provider, model, endpoint } of listModels()) {
    const row = findProviderRow(provider ?? "");
    expect(row, provider ?? "").toBeDefined();
    const named = { name: provider ?? "", type: provider ?? "", access: {} };
    expect(endpoint).toBe(toListedConfig(named, "base", { kind: "llm", name: model }).endpoint);
  }
});

const spoken = providerRows.filter(({ adapter }) => adapter !== "demo");

test("every provider has its line here", () => {
  expect(spoken.map(({ type }) => type).toSorted()).toEqual(Object.keys(expected).toSorted());
});

describe.for(spoken.map(({ type }) => type))("%s", (type) => {
  const [access, url, auth] = expected[type] ?? [{}, "", {}];
  const config = configFor(type, "some-model");

  test("is asked at its own address, with its own key, for the model that was named", async () => {
    const sent = await ask(config, { [type]: { apiKey: "the-key", ...access } });
    expect(sent.url).toBe(url);
    expect(sent.headers).toMatchObject(auth);
    expect(`${sent.url} ${sent.body.model}`).toContain("some-model");
    if (type === "azure") expect(sent.headers).not.toHaveProperty("authorization");
  });

  test("is asked with the key of a stored provider, whatever the operator has", async () => {
    const named = { ...configFor("my-own", "some-model"), category: "byok" as const };
    const operator = { [type]: { apiKey: "operators", ...access }, "my-own": { apiKey: "operators" } };
    const sent = await ask(named, operator, { type, apiKey: "the-key", ...access });
    expect(sent.url).toBe(url);
    expect(sent.headers).toMatchObject(auth);
    expect(JSON.stringify(sent)).not.toContain("operators");
  });

  test("says what is missing when it is not configured", async () => {
    const row = findProviderRow(type);
    if (row?.quirks?.isLocal && row.baseUrl !== null) return;
    const { error } = await collectFailure(createModels({}).get(config), requestOf(config));
    expect(error).toMatchObject({ code: "llm-authentication", details: { provider: type, isRetryable: false } });
    expect(error.message).toMatch(/[A-Z]+_[A-Z]+/);
  });
});

test("what a stored provider lacks is not taken from the operator's machine", async () => {
  for (const type of ["ollama", "lmstudio_openai", "google_vertex", "bedrock"]) {
    const config = configFor("my-own", "m");
    const stored = { type, project: "p", location: "global" };
    const { error } = await collectFailure(createModels({}).get(config, stored), requestOf(config));
    expect(error.code).toBe("llm-authentication");
  }
});

test("places that become part of a host's name cannot name another host", async () => {
  const region = "evil.example/#";
  const vertex = await ask(configFor("google_vertex", "m"), {
    google_vertex: { apiKey: "t", project: "p", location: region },
  });
  expect(new URL(vertex.url).hostname).toBe("evilexample-aiplatform.googleapis.com");
  const bedrock = await ask(configFor("bedrock", "m"), { bedrock: { apiKey: "s", accessKey: "a", region } });
  expect(new URL(bedrock.url).hostname).toBe("bedrock-runtime.evilexample.amazonaws.com");
});

test("Azure's newer surface is asked as OpenAI is, with Azure's header", async () => {
  const access = { azure: { apiKey: "the-key", baseUrl: "https://x.openai.azure.com/openai/v1/" } };
  const chat = await ask(configFor("azure", "gpt-4o"), access);
  expect(chat.url).toBe("https://x.openai.azure.com/openai/v1/chat/completions");
  expect(chat.headers["api-key"]).toBe("the-key");
  const reasoner = await ask(configFor("azure", "gpt-5-mini"), access);
  expect(reasoner.url).toBe("https://x.openai.azure.com/openai/v1/responses");
});

test("a model that reasons is asked in Chat Completions on Azure's older surface, without what it refuses", async () => {
  const config = {
    ...configFor("azure", "gpt-5-mini"),
    reasoning: { enabled: true, effort: "low" as const, budgetTokens: 0 },
  };
  const access = { azure: { apiKey: "k", baseUrl: "https://x.openai.azure.com/", apiVersion: "2025-04-01-preview" } };
  const { url, body } = await ask(config, access);
  expect(url).toBe(
    "https://x.openai.azure.com/openai/deployments/gpt-5-mini/chat/completions?api-version=2025-04-01-preview",
  );
  expect(body).toMatchObject({ reasoning_effort: "low", max_completion_tokens: 16_384 });
  expect(body).not.toHaveProperty("temperature");
  expect(body).not.toHaveProperty("parallel_tool_calls");
});

test("MiniMax speaks Anthropic's protocol without betas and without a temperature of 0", async () => {
  const config = { ...configOf("minimax/MiniMax-M2"), temperature: 0, strict: true };
  const { headers, body } = await ask(config, { minimax: { apiKey: "k" } });
  expect(headers).not.toHaveProperty("anthropic-beta");
  expect(body.temperature).toBeGreaterThan(0);
  expect(body.model).toBe("MiniMax-M2");
  expect(JSON.stringify(body.tools)).not.toContain("eager_input_streaming");
});

test("a Bedrock key that needs no signature is sent as it is; a session's token is signed along", async () => {
  const config = configFor("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0");
  const plain = await ask(config, { bedrock: { apiKey: "the-key" } });
  expect(plain.headers.authorization).toBe("Bearer the-key");
  expect(plain.url).toContain("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
  const headers = { "x-amz-security-token": "session" };
  const signed = await ask(config, { bedrock: { apiKey: "s", accessKey: "a", headers } });
  expect(signed.headers.authorization).toContain("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,");
});

test.for([
  ["llama-3.3-70b", "compatible", "max_tokens"],
  ["gpt-oss:20b", "compatible", "max_tokens"],
  ["gpt-4o-mini", "openai", "max_completion_tokens"],
] as const)("behind another address of OpenAI's, %s is spoken to as %s", async ([model, , limit]) => {
  const sent = await ask(configFor("openai", model), { openai: { apiKey: "k", baseUrl: "http://box/v1" } });
  expect(sent.url).toBe("http://box/v1/chat/completions");
  expect(sent.body).toHaveProperty(limit);
});

test("any compatible server can be named as what it is", async () => {
  const own = { type: compatibleRow.type, apiKey: "k", baseUrl: "https://llm.example/api/v2/" };
  const sent = await ask(configFor("my-own", "m"), {}, own);
  expect(sent.url).toBe("https://llm.example/api/v2/chat/completions");
});

test.for([
  ["gpt-4.1", "https://api.openai.com/v1", "24h"],
  ["gpt-5", "https://api.openai.com/v1", "24h"],
  ["gpt-5-mini", "https://api.openai.com/v1", undefined],
  ["gpt-4.1-mini", "https://api.openai.com/v1", undefined],
  ["gpt-4.1", "https://proxy.example/v1", undefined],
] as const)("%s at %s keeps its cache for %s", async ([model, baseUrl, kept]) => {
  const { body } = await ask(configFor("openai", model), { openai: { apiKey: "k", baseUrl } });
  expect(body.prompt_cache_retention).toBe(kept);
});

test("agents of older servers find OpenAI behind another address", async () => {
  const sent = await ask(configFor("openai-proxy", "gpt-4o-mini"), {
    openai: { apiKey: "k", baseUrl: "http://box/v1" },
  });
  expect(sent.url).toBe("http://box/v1/chat/completions");
});

test("a whole config that names a local server is called without any key", async () => {
  const config = { ...configFor("openai", "qwen3:8b"), handle: null, provider: null, endpoint: "http://box:11434/v1" };
  const sent = await ask(config, { openai: { apiKey: "operators" } });
  expect(sent).toMatchObject({ url: "http://box:11434/v1/chat/completions", body: { model: "qwen3:8b" } });
  expect(JSON.stringify(sent)).not.toContain("operators");
});
