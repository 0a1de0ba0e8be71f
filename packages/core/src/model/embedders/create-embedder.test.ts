import { describe, expect, test } from "vitest";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import { type JsonAnswer, type JsonRequest, startJsonServer } from "../../testing/json-server.ts";
import type { ProviderAccess } from "../model.ts";
import { createEmbedder } from "./create-embedder.ts";

const never = new AbortController().signal;

function configOf(more: Partial<EmbeddingConfig> = {}): EmbeddingConfig {
  return {
    handle: "p/m",
    model: "m",
    endpointKind: "openai",
    endpoint: null,
    dimension: 2,
    chunkSize: 300,
    batchSize: 32,
    azureEndpoint: null,
    azureVersion: null,
    azureDeployment: null,
    ...more,
  };
}

async function open(
  type: string,
  answer: (request: JsonRequest) => JsonAnswer | undefined | Promise<JsonAnswer | undefined>,
  { path = "", ...more }: { path?: string; access?: ProviderAccess; config?: Partial<EmbeddingConfig> } = {},
) {
  const server = await startJsonServer(answer);
  const access = { apiKey: "key-1", baseUrl: `${server.origin}${path}`, ...more.access };
  const waits: number[] = [];
  const retries = { sleep: async (ms: number) => void waits.push(ms), random: () => 0 };
  const embedder = createEmbedder(configOf(more.config), { provider: "p", type, access }, { fetch, retries });
  return { server, waits, embed: (texts: readonly string[]) => embedder.embed(texts, never) };
}

/** The length of each text, and 1. */
const lengths = (texts: readonly string[]) => texts.map((text) => [text.length, 1]);
const inOpenAiForm = (texts: readonly string[]) => ({
  data: lengths(texts)
    .map((embedding, index) => ({ index, embedding }))
    .reverse(),
});

describe("each provider is asked in its own way", () => {
  test("openai: vectors in the order of the texts, blank ones sent as a space", async () => {
    const { embed, server } = await open("openai", ({ body }) => ({ body: inOpenAiForm(body.input) }), { path: "/v1" });
    expect(await embed(["abc", "", "de"])).toEqual(
      [
        [3, 1],
        [1, 1],
        [2, 1],
      ].map((vector) => Float32Array.from(vector)),
    );
    expect(server.requests).toMatchObject([
      {
        path: "/v1/embeddings",
        body: { model: "m", input: ["abc", " ", "de"] },
        headers: { authorization: "Bearer key-1" },
      },
    ]);
  });

  test("ollama: its own route, whether or not /v1 is in the address", async () => {
    const { embed, server } = await open("ollama", ({ body }) => ({ body: { embeddings: lengths(body.input) } }), {
      path: "/v1",
    });
    expect(await embed(["abc"])).toEqual([Float32Array.from([3, 1])]);
    expect(server.requests).toMatchObject([{ path: "/api/embed", body: { model: "m", input: ["abc"] } }]);
  });

  test("google: the wanted length is asked for, and the vector made as long as one", async () => {
    const { embed, server } = await open(
      "google_ai",
      ({ body }) => ({ body: { embeddings: body.requests.map(() => ({ values: [3, 4] })) } }),
      { config: { model: "gemini-embedding-001" } },
    );
    const [vector] = await embed(["abc"]);
    expect(vector?.[0]).toBeCloseTo(0.6, 6);
    expect(server.requests).toMatchObject([
      {
        path: "/v1beta/models/gemini-embedding-001:batchEmbedContents",
        headers: { "x-goog-api-key": "key-1" },
        body: { requests: [{ model: "models/gemini-embedding-001", outputDimensionality: 2 }] },
      },
    ]);
  });

  test.for([
    ["", "/openai/deployments/team-embed/embeddings?api-version=2024-09-01-preview"],
    ["/openai/v1", "/openai/v1/embeddings"],
  ] as const)("azure at %j", async ([path, asked]) => {
    const { embed, server } = await open("azure", ({ body }) => ({ body: inOpenAiForm(body.input) }), {
      path,
      config: { azureDeployment: "team-embed" },
    });
    expect(await embed(["abc"])).toEqual([Float32Array.from([3, 1])]);
    expect(server.requests).toMatchObject([{ path: asked, headers: { "api-key": "key-1" } }]);
  });

  test("the built-in one asks nobody", async () => {
    const route = { provider: "memoir", type: "memoir", access: {} };
    const nobody: typeof fetch = () => Promise.reject(new Error("asked"));
    const [vector] = await createEmbedder(configOf({ dimension: 512 }), route, { fetch: nobody }).embed(["a"], never);
    expect(vector).toHaveLength(512);
  });
});

describe("many texts", () => {
  test("go in batches, three at a time, and come back in order", async () => {
    let now = 0;
    let most = 0;
    const { promise: threeAreHere, resolve } = Promise.withResolvers<void>();
    const { embed, server } = await open("ollama", async ({ body }) => {
      most = Math.max(most, ++now);
      if (now === 3) resolve();
      await threeAreHere;
      await new Promise((done) => setTimeout(done, 5));
      now--;
      return { body: { embeddings: body.input.map((text: string) => [Number(text), 1]) } };
    });
    const texts = Array.from({ length: 500 }, (_, index) => String(index));
    expect((await embed(texts)).map(([first]) => first)).toEqual(texts.map(Number));
    expect(server.requests).toHaveLength(8);
    expect(most).toBe(3);
  });

  test("a batch that is refused is halved until it passes", async () => {
    const sizes: number[] = [];
    const { embed } = await open("openai", ({ body }) => {
      sizes.push(body.input.length);
      return body.input.length > 2
        ? { status: 400, body: { error: { message: "too many inputs" } } }
        : { body: inOpenAiForm(body.input) };
    });
    expect(await embed(["a", "bb", "ccc", "dddd", "eeeee"])).toHaveLength(5);
    expect(sizes).toEqual([5, 3, 2, 1, 2]);
  });

  test("one text that is refused by itself is the caller's to know", async () => {
    const { embed, server } = await open("openai", () => ({
      status: 400,
      body: { error: { message: "no such words" } },
    }));
    await expect(embed(["a", "b"])).rejects.toMatchObject({
      code: "llm-bad-request",
      message: expect.stringContaining("no such words"),
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe("a provider that fails", () => {
  test("is asked again while it is busy", async () => {
    let asked = 0;
    const { embed, waits } = await open("openai", ({ body }) =>
      ++asked < 3 ? { status: 429, body: {}, headers: { "retry-after": "7" } } : { body: inOpenAiForm(body.input) },
    );
    expect(await embed(["a"])).toHaveLength(1);
    expect(waits).toEqual([7000, 7000]);
  });

  test.for([
    ["refuses the key", { status: 401, body: { error: { message: "no" } } }, "llm-authentication"],
    ["breaks", { status: 500, body: {} }, "llm-error"],
    ["gives too few vectors", { body: { data: [] } }, "llm-error"],
    ["gives vectors of another length", { body: { data: [{ embedding: [1, 2, 3] }] } }, "llm-error"],
    ["gives what is no vector", { body: { data: [{ embedding: ["x", null] }] } }, "llm-error"],
  ] as const)("%s: says so", async ([, said, code]) => {
    const { embed } = await open("openai", () => said);
    await expect(embed(["a"])).rejects.toMatchObject({ code });
  });

  test("has no key: is not asked", async () => {
    const route = { provider: "openai", type: "openai", access: {} };
    const nobody: typeof fetch = () => Promise.reject(new Error("asked"));
    await expect(createEmbedder(configOf(), route, { fetch: nobody }).embed(["a"], never)).rejects.toMatchObject({
      code: "llm-authentication",
      message: expect.stringContaining("needs a key"),
    });
  });
});
