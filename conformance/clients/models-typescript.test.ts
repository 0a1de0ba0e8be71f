/** The official npm client lists models, stores a provider of its own and talks through it. */
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startJsonServer } from "../../packages/core/src/testing/json-server.ts";
import { startModelServer } from "../support/model-server.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer, startServerProcess } from "../support/server.ts";

interface Provider {
  id: string;
  name: string;
  provider_category: string;
  api_key_enc: string | null;
  last_synced: string | null;
}

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("lists models and embeddings, ours last", async (context) => {
    const Letta = await loadClient(context);
    const models = await startModelServer(["gpt-4o-mini", "our-model", "text-embedding-3-small"]);
    const providers = { openai: { apiKey: "sk-right", baseUrl: `${models.origin}/v1` } };
    const { url } = await startServer(dialect, context, { core: { providers } });
    const client = new Letta({ baseURL: url, apiKey: "any" });
    const listed = await client.models.list();
    expect(listed.map(({ handle, provider_type }) => [handle, provider_type])).toEqual([
      ["openai/gpt-4o-mini", "openai"],
      ["openai/our-model", "openai"],
      ["memoir/demo", "letta"],
    ]);
    expect(listed[0]).toMatchObject({
      model_type: "llm",
      max_context_window: 128_000,
      max_tokens: 16_384,
      strict: false,
    });
    expect((await client.models.embeddings.list()).map(({ handle, embedding_dim }) => [handle, embedding_dim])).toEqual(
      [
        ["openai/text-embedding-3-small", 1536],
        ["memoir/lexical-512", 512],
      ],
    );
    const some = async (query: Record<string, unknown>) =>
      (await client.models.list(query)).map(({ handle }) => handle);
    expect(await some({ provider_type: "letta" })).toEqual(["memoir/demo"]);
    expect(await some({ provider_name: "openai" })).toHaveLength(2);
    expect(await some({ provider_category: ["byok"] })).toEqual([]);
    expect(await some({ provider_category: ["base", "byok"] })).toHaveLength(3);
  });

  test("checks, stores, refreshes and deletes a provider, and makes an agent that answers through it", async (context) => {
    const Letta = await loadClient(context);
    const models = await startModelServer(["our-model"]);
    const { url } = await startServer(dialect, context);
    const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
    const request = { provider_type: "openai", api_key: " sk-right ", base_url: `${models.origin}/v1` };
    await client.post("/v1/providers/check", { body: request });
    await expect(client.post("/v1/providers/check", { body: { ...request, api_key: "wrong" } })).rejects.toMatchObject({
      status: 401,
      error: { error: { type: "llm_authentication", detail: expect.stringContaining("UNAUTHENTICATED: ") } },
    });
    const created = await client.post<Provider>("/v1/providers", { body: { ...request, name: "mine" } });
    expect(created).toMatchObject({ name: "mine", provider_category: "byok", last_synced: null });
    expect(JSON.stringify(created)).not.toContain("sk-right");
    expect((await client.get<Provider[]>("/v1/providers/")).map(({ id }) => id)).toEqual([created.id]);
    expect((await client.patch<Provider>(`/v1/providers/${created.id}/refresh`)).last_synced).not.toBeNull();
    await client.post(`/v1/providers/${created.id}/check`);
    expect((await client.models.list({ provider_category: ["byok"] })).map(({ handle }) => handle)).toEqual([
      "mine/our-model",
    ]);

    const agent = await client.agents.create({ model: "mine/our-model" });
    expect(agent.llm_config).toMatchObject({ provider_name: "mine", provider_category: "byok", model: "our-model" });
    const { messages } = await client.agents.messages.create(agent.id, { input: "hi" });
    expect(messages).toMatchObject([{ message_type: "assistant_message", content: "hello" }]);

    await client.patch(`/v1/providers/${created.id}`, { body: { api_key: "revoked" } });
    await expect(client.agents.messages.create(agent.id, { input: "hi" })).rejects.toMatchObject({ status: 401 });
    expect(await client.delete(`/v1/providers/${created.id}`)).toEqual({
      message: `Provider id=${created.id} successfully deleted`,
    });
    await expect(client.get(`/v1/providers/${created.id}`)).rejects.toMatchObject({ status: 404 });
  });

  test("is refused in words it can show", async (context) => {
    const Letta = await loadClient(context);
    const { url } = await startServer(dialect, context);
    const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
    const input = { name: "mine", provider_type: "openai", api_key: "k", base_url: "http://127.0.0.1:2" };
    await client.post("/v1/providers/", { body: input });
    for (const [wrong, status, detail] of [
      [{}, 409, "CONFLICT: "],
      [{ name: "openai" }, 400, "INVALID_ARGUMENT: "],
      [{ name: "letta" }, 400, "INVALID_ARGUMENT: "],
      [{ name: "a/b" }, 422, "slash"],
      [{ name: "x", provider_type: "nobody" }, 422, "provider_type"],
      [{ name: "x", provider_type: "chatgpt_oauth" }, 400, "cannot speak"],
      [{ name: "x", base_url: "gopher://x" }, 400, "base_url"],
      [{ name: "x", api_key: 7 }, 422, "api_key"],
    ] as const) {
      await expect(client.post("/v1/providers/", { body: { ...input, ...wrong } })).rejects.toMatchObject({
        status,
        error: { detail: expect.stringContaining(detail) },
      });
    }
    expect(await client.get<Provider[]>("/v1/providers/")).toHaveLength(1);
    await expect(client.get("/v1/providers/nonsense")).rejects.toMatchObject({ status: 422 });
    const { name: _, ...check } = input;
    await expect(client.post("/v1/providers/check", { body: check })).rejects.toMatchObject({
      status: 400,
      error: { detail: expect.stringContaining("cannot be reached") },
    });
  });

  test("has the model tried before the agent is made, if it asks for that", async (context) => {
    const Letta = await loadClient(context);
    const models = await startModelServer(["our-model"]);
    const access = (apiKey: string) => ({ apiKey, baseUrl: `${models.origin}/v1` });
    const providers = { openai: access("sk-right"), groq: access("wrong") };
    const { url, memoir } = await startServer(dialect, context, { core: { providers } });
    const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
    const create = (model: string) => client.post("/v1/agents/?check_model=true", { body: { model } });
    await create("openai/our-model");
    await expect(create("groq/llama-3.1-8b-instant")).rejects.toMatchObject({
      status: 401,
      error: { error: { detail: expect.stringContaining("groq") } },
    });
    expect(await memoir.agents.count(memoir.defaultActor)).toBe(1);
  });
});

test("a server started beside Ollama lists its models, unless it is told not to look", async (context) => {
  const info = { "general.architecture": "qwen3", "qwen3.context_length": 40_960 };
  const ollama = await startJsonServer(({ path }) =>
    path === "/api/tags"
      ? { body: { models: [{ name: "qwen3:8b" }] } }
      : { body: { capabilities: ["completion", "tools"], model_info: info } },
  );
  const env = { OLLAMA_BASE_URL: ollama.origin, LMSTUDIO_BASE_URL: "" };
  const { url } = await startServerProcess("sqlite", context, { env: { ...env, MEMOIR_DISCOVER: "off" } });
  const models = (await (await fetch(`${url}/v1/models`)).json()) as { handle: string; context_window: number }[];
  expect(models.map(({ handle, context_window }) => [handle, context_window])).toEqual([
    ["ollama/qwen3:8b", 40_960],
    ["memoir/demo", 32_000],
  ]);
  const { providers } = (await (await fetch(`${url}/v1/memoir/status`)).json()) as { providers: { name: string }[] };
  expect(providers.map(({ name }) => name)).not.toContain("lmstudio_openai");
});
