import { describe, expect, test } from "vitest";
import { type JsonAnswer, type JsonRequest, startJsonServer } from "../../testing/json-server.ts";
import type { ProviderAccess } from "../model.ts";
import { listProvider } from "./list-provider.ts";

type Answers = (request: JsonRequest) => JsonAnswer | undefined;

async function list(type: string, answers: Answers, { path = "", ...access }: ProviderAccess & { path?: string } = {}) {
  const server = await startJsonServer(answers);
  const baseUrl = `${server.origin}${path}`;
  const ask = () => listProvider({ name: type, type, access: { apiKey: "key-1", baseUrl, ...access } }, fetch);
  return { server, ask };
}

/** Every path not named is a mistake, and answers 404. */
function answer(bodies: Readonly<Record<string, unknown>>): Answers {
  return ({ path }) => (path in bodies ? { body: bodies[path] } : undefined);
}

const llm = (name: string, contextWindow?: number, more: object = {}) => ({
  kind: "llm",
  name,
  ...(contextWindow === undefined ? {} : { contextWindow }),
  ...more,
});

describe("a provider is asked in its own way", () => {
  test("openai behind another address lists all it has, with its own windows", async () => {
    const models = [
      { id: "gpt-4o-mini" },
      { id: "gpt-4.1-2025-04-14" },
      { id: "our-model", max_model_len: 16_384 },
      { id: "text-embedding-3-small" },
      { id: "nomic-embed" },
      { id: "a-riddle" },
    ];
    const { ask, server } = await list("openai", answer({ "/v1/models": { data: models } }), { path: "/v1" });
    expect(await ask()).toEqual([
      llm("gpt-4o-mini", 128_000),
      llm("gpt-4.1-2025-04-14", 1_047_576),
      llm("our-model", 16_384),
      { kind: "embedding", name: "text-embedding-3-small", dimension: 1536 },
      { kind: "embedding", name: "nomic-embed" },
      llm("a-riddle"),
    ]);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer key-1");
  });

  test("openai itself: only what agents can use, and the fast twin", async () => {
    const names = [
      "gpt-5.4",
      "gpt-4o",
      "gpt-4o-realtime",
      "o1-mini",
      "o3",
      "whisper-1",
      "gpt-4o-transcribe",
      "dall-e-3",
    ];
    const data = [...names, "text-embedding-3-large", "gpt-4o-search-preview"].map((id) => ({ id }));
    const here: typeof fetch = async (url) => {
      expect(String(url)).toBe("https://api.openai.com/v1/models");
      return Response.json({ data });
    };
    const models = await listProvider({ name: "openai", type: "openai", access: { apiKey: "k" } }, here);
    expect(models.map(({ name }) => name)).toEqual([
      "gpt-5.4",
      "gpt-5.4-fast",
      "gpt-4o",
      "o3",
      "text-embedding-3-large",
    ]);
  });

  test("anthropic: page by page, with or without /v1 in the address", async () => {
    const { ask, server } = await list("anthropic", ({ path }) =>
      path.includes("after_id=b")
        ? { body: { data: [{ id: "claude-new-9" }], has_more: false } }
        : { body: { data: [{ id: "claude-2.1" }, { id: "claude-opus-4-6" }], has_more: true, last_id: "b" } },
    );
    expect(await ask()).toEqual([llm("claude-opus-4-6", 200_000), llm("claude-new-9", 200_000)]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/v1/models?limit=1000",
      "/v1/models?limit=1000&after_id=b",
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ "x-api-key": "key-1", "anthropic-version": "2023-06-01" });
  });

  test("google: what talks and what embeds", async () => {
    const talks = ["generateContent", "countTokens"];
    const { ask, server } = await list("google_ai", ({ path }) =>
      path.includes("pageToken=next")
        ? { body: { models: [{ name: "models/gemini-embedding-001", supportedGenerationMethods: ["embedContent"] }] } }
        : {
            body: {
              models: [
                { name: "models/gemini-2.5-pro", inputTokenLimit: 1_048_576, supportedGenerationMethods: talks },
                { name: "models/gemma-3", inputTokenLimit: 8192, supportedGenerationMethods: talks },
                { name: "models/gemini-tts", supportedGenerationMethods: ["bidi"] },
              ],
              nextPageToken: "next",
            },
          },
    );
    expect(await ask()).toEqual([
      llm("gemini-2.5-pro", 1_048_576),
      { kind: "embedding", name: "gemini-embedding-001", dimension: 768 },
    ]);
    expect(server.requests[0]?.path).toBe("/v1beta/models?pageSize=1000");
    expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("key-1");
  });

  const noTools = { refusal: expect.stringContaining("cannot call tools") };
  test.for([
    [
      "together",
      [
        { id: "chat", type: "chat", context_length: 131_072 },
        { id: "small", type: "chat", context_length: 4096 },
        { id: "image", type: "image", context_length: 131_072 },
      ],
      [llm("chat", 131_072)],
    ],
    ["groq", { data: [{ id: "a", context_window: 8192 }, { id: "b" }] }, [llm("a", 8192)]],
    [
      "openrouter",
      {
        data: [
          { id: "x/a", context_length: 65_536, supported_parameters: ["tools"] },
          { id: "x/b", supported_parameters: ["tools"] },
          { id: "x/c", context_length: 65_536, supported_parameters: ["seed"] },
        ],
      },
      [llm("x/a", 65_536), llm("x/b", 128_000), llm("x/c", 65_536, noTools)],
    ],
    [
      "baseten",
      {
        data: [
          { id: "a", context_length: 100_000, supported_features: ["tools"] },
          { id: "b", supported_features: [] },
        ],
      },
      [llm("a", 100_000), llm("b", undefined, noTools)],
    ],
    [
      "mistral",
      {
        data: [
          { id: "large", max_context_length: 131_072, capabilities: { completion_chat: true, function_calling: true } },
          { id: "plain", max_context_length: 32_768, capabilities: { completion_chat: true, function_calling: false } },
          { id: "embed", capabilities: { completion_chat: false } },
        ],
      },
      [llm("large", 131_072), llm("plain", 32_768, noTools)],
    ],
    ["cerebras", { data: [{ id: "a" }, { id: "b", context_length: 65_536 }] }, [llm("a", 8192), llm("b", 65_536)]],
    [
      "xai",
      { data: [{ id: "grok-3-mini" }, { id: "grok-4-fast-reasoning" }, { id: "grok-5" }, { id: "grok-2-image" }] },
      [llm("grok-3-mini", 131_072), llm("grok-4-fast-reasoning", 2_000_000), llm("grok-5")],
    ],
    ["deepseek", { data: [{ id: "deepseek-chat" }, { id: "other" }] }, [llm("deepseek-chat", 128_000)]],
  ] as const)("%s: what it says of its models", async ([type, body, models]) => {
    const { ask, server } = await list(type, answer({ "/models": body }));
    expect(await ask()).toEqual(models);
    const scheme = type === "baseten" ? "Api-Key" : "Bearer";
    expect(server.requests[0]?.headers.authorization).toBe(`${scheme} key-1`);
  });

  test.for([
    ["vllm", [llm("m", 40_960), llm("n")]],
    ["sglang", [llm("m", 40_960), llm("n", 32_768)]],
  ] as const)("%s: the length it was started with, with or without /v1 in the address", async ([type, models]) => {
    const body = { data: [{ id: "m", max_model_len: 40_960 }, { id: "n" }] };
    for (const path of ["", "/v1", "/v1/"]) {
      const { ask } = await list(type, answer({ "/v1/models": body }), { path });
      expect(await ask()).toEqual(models);
    }
  });

  test("ollama: what each model can do, and how much the server keeps of a conversation", async () => {
    const info = { "general.architecture": "llama", "llama.context_length": 131_072, "llama.embedding_length": 768 };
    const shown: Readonly<Record<string, object>> = {
      "llama3.2:latest": { capabilities: ["completion", "tools"], model_info: info },
      "tuned:8b": { capabilities: ["tools"], model_info: info, parameters: 'stop "<|x|>"\nnum_ctx    8192' },
      "plain:1b": { capabilities: ["completion"], model_info: info },
      "nomic:v1": { capabilities: ["embedding"], model_info: info },
      "old:1b": { model_info: {} },
    };
    const { ask, server } = await list(
      "ollama",
      ({ path, body }) => {
        if (path === "/api/tags")
          return { body: { models: [...Object.keys(shown), "gone"].map((name) => ({ name })) } };
        const model = shown[body?.model];
        return path === "/api/show" && model ? { body: model } : undefined;
      },
      { path: "/v1" },
    );
    expect(await ask()).toEqual([
      llm("llama3.2:latest", 131_072),
      llm("tuned:8b", 8192),
      llm("plain:1b", 131_072, noTools),
      { kind: "embedding", name: "nomic:v1", dimension: 768 },
      llm("old:1b", 128_000),
    ]);
    expect(server.requests[0]?.path).toBe("/api/tags");
  });

  test("lm studio: the port stays whole, the loaded length counts", async () => {
    const data = [
      { id: "qwen", type: "llm", compatibility_type: "mlx", max_context_length: 32_768, loaded_context_length: 8192 },
      { id: "llava", type: "vlm", compatibility_type: "gguf", max_context_length: 4096 },
      { id: "odd", type: "llm" },
      { id: "nomic", type: "embeddings", compatibility_type: "gguf" },
    ];
    const { ask } = await list("lmstudio_openai", answer({ "/api/v0/models": { data } }), { path: "/v1" });
    expect(await ask()).toEqual([
      llm("qwen", 8192, { weightsFormat: "mlx" }),
      llm("llava", 4096, { weightsFormat: "gguf" }),
      { kind: "embedding", name: "nomic" },
    ]);
  });

  test.for(["", "/openai/v1"])("azure at %j: deployments by their own names", async (path) => {
    const version = "?api-version=2023-03-15-preview";
    const { ask, server } = await list(
      "azure",
      answer({
        [`/openai/deployments${version}`]: {
          data: [
            { id: "team-gpt", model: "gpt-4o-mini", status: "succeeded" },
            { id: "team-embed", model: "text-embedding-3-small", status: "succeeded" },
            { id: "half", model: "gpt-4o", status: "creating" },
          ],
        },
        [`/openai/models${version}`]: {
          data: [
            { id: "gpt-4o-mini", capabilities: { chat_completion: true } },
            { id: "text-embedding-3-small", capabilities: { embeddings: true } },
          ],
        },
      }),
      { path },
    );
    expect(await ask()).toEqual([llm("team-gpt", 128_000), { kind: "embedding", name: "team-embed" }]);
    expect(server.requests[0]?.headers["api-key"]).toBe("key-1");
  });

  test("bedrock: profiles of the region before those for everywhere, asked for with a signature", async () => {
    const sonnet = "anthropic.claude-sonnet-4-5-20250929-v1:0";
    const profiles = [`us.${sonnet}`, `global.${sonnet}`, "global.amazon.nova-pro-v1:0"];
    const summaries = profiles.map((inferenceProfileId) => ({ inferenceProfileId, status: "ACTIVE" }));
    const { ask, server } = await list("bedrock", () => ({ body: { inferenceProfileSummaries: summaries } }), {
      apiKey: "secret",
      accessKey: "AKID",
      region: "eu-west-1",
    });
    expect(await ask()).toEqual([
      llm("claude-sonnet-4-5-20250929", 200_000, { shortName: `us.${sonnet}` }),
      llm("global.amazon.nova-pro-v1:0", 100_000, { shortName: "global.amazon.nova-pro-v1:0" }),
    ]);
    expect(server.requests[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-date, Signature=[0-9a-f]{64}$/,
    );
  });

  test("those without a list have what we know of them", async () => {
    const asked: typeof fetch = () => Promise.reject(new Error("nobody is to be asked"));
    const models = await listProvider({ name: "minimax", type: "minimax", access: { apiKey: "k" } }, asked);
    expect(models).toContainEqual(llm("MiniMax-M2", 200_000, { maxOutputTokens: 128_000 }));
  });
});

describe("a provider that does not answer well", () => {
  test.for([
    [
      "refuses the key",
      { status: 401, body: { error: { message: "bad key key-secret-1" } } },
      "llm-authentication",
      "bad key ***",
    ],
    ["fails", { status: 500, body: "<html>" }, "llm-error", "answered 500"],
    ["speaks something else", { body: "hello" }, "llm-error", "did not answer with JSON"],
    [
      "points elsewhere",
      { status: 302, body: "", headers: { location: "http://example.test" } },
      "llm-bad-request",
      "not followed",
    ],
  ] as const)("%s", async ([, said, code, message]) => {
    const { ask } = await list("openai", () => said, { apiKey: "key-secret-1" });
    await expect(ask()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("lists nonsense: what cannot be read is left out", async () => {
    const body = { data: [null, 7, "x", [], { id: 3 }, { id: "" }, { id: "fine", context_length: -1 }] };
    const { ask } = await list("openai", () => ({ body }));
    expect(await ask()).toEqual([llm("fine")]);
  });

  test("is not there", async () => {
    const { ask, server } = await list("openai", () => undefined);
    await server.close();
    await expect(ask()).rejects.toMatchObject({
      code: "llm-error",
      message: expect.stringContaining("cannot be reached"),
    });
  });

  test("has no address", async () => {
    const provider = { name: "vllm", type: "vllm", access: {} };
    await expect(listProvider(provider, fetch)).rejects.toMatchObject({ details: { field: "base_url" } });
  });
});
