import { describe, expect, test } from "vitest";
import type { MemoirOptions } from "../../memoir.ts";
import { dialects } from "../../testing/databases.ts";
import { type JsonRequest, startJsonServer } from "../../testing/json-server.ts";
import { startScriptedOpenAi } from "../../testing/scripted-openai.ts";
import { openWorld } from "../../testing/worlds.ts";

const ollamaInfo = { "general.architecture": "llama", "llama.context_length": 131_072 };

/** Ollama with these models; the ones in `plain` cannot call tools. */
function answerOllama(names: readonly string[], plain: readonly string[] = []) {
  return ({ path, body }: JsonRequest) => {
    if (path === "/api/tags") return { body: { models: [...names, ...plain].map((name) => ({ name })) } };
    if (path !== "/api/show") return undefined;
    const capabilities = plain.includes(body.model) ? ["completion"] : ["completion", "tools"];
    return { body: { capabilities, model_info: ollamaInfo } };
  };
}

/** Every address that is asked, as if these servers were there. */
function network(servers: Readonly<Record<string, string>>): { asked: string[]; fetch: typeof fetch } {
  const asked: string[] = [];
  return {
    asked,
    fetch: (input, init) => {
      const url = new URL(String(input));
      asked.push(url.origin);
      const origin = servers[url.origin];
      if (origin === undefined) return Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
      return fetch(origin + url.pathname + url.search, init);
    },
  };
}

const handlesOf = (models: readonly { config: { handle: string | null } }[]) =>
  models.map(({ config }) => config.handle);

describe.for(dialects)("%s: models", (dialect) => {
  test("nothing configured: the demo and the built-in embedder, and nobody is asked", async (context) => {
    const { asked, fetch } = network({});
    const { memoir, actor } = await openWorld(dialect, context, { fetch });
    expect(handlesOf(await memoir.models.list(actor))).toEqual(["memoir/demo"]);
    expect(handlesOf(await memoir.models.listEmbeddings(actor))).toEqual(["memoir/lexical-512"]);
    expect(asked).toEqual([]);
  });

  test("those of configured providers in their order, ours last, and only what is asked for", async (context) => {
    const server = await startJsonServer(({ path }) =>
      path === "/v1/models"
        ? { body: { data: [{ id: "gpt-5" }, { id: "gpt-4o" }, { id: "text-embedding-3-small" }] } }
        : undefined,
    );
    const providers = {
      anthropic: { apiKey: "k", baseUrl: "http://127.0.0.1:2" },
      groq: { apiKey: "k" },
      openai: { apiKey: "k", baseUrl: `${server.origin}/v1` },
      xai: {},
    };
    const { fetch } = network({ [server.origin]: server.origin });
    const { memoir, actor } = await openWorld(dialect, context, { providers, fetch });
    const all = await memoir.models.list(actor);
    // One that fails at its own address is skipped; where everybody's is, what we know of it is listed.
    expect([...new Set(all.map(({ config }) => config.provider))]).toEqual(["openai", "groq", "memoir"]);
    expect(handlesOf(all).slice(0, 2)).toEqual(["openai/gpt-4o", "openai/gpt-5"]);
    expect(all[0]?.config).toMatchObject({
      endpoint: `${server.origin}/v1`,
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
    });
    expect(handlesOf(await memoir.models.listEmbeddings(actor))).toEqual([
      "openai/text-embedding-3-small",
      "memoir/lexical-512",
    ]);
    expect(handlesOf(await memoir.models.list(actor, { provider: "memoir" }))).toEqual(["memoir/demo"]);
    expect(handlesOf(await memoir.models.list(actor, { providerType: "openai" }))).toHaveLength(2);
    expect(await memoir.models.list(actor, { categories: ["byok"] })).toEqual([]);
  });

  test("ollama on this machine is found by itself, and answers an agent", async (context) => {
    const list = await startJsonServer(answerOllama(["llama3.2:latest"], ["plain:1b"]));
    const chat = await startScriptedOpenAi([{ text: "hello" }]);
    context.onTestFinished(() => chat.close());
    const { asked, fetch: reach } = network({ "http://127.0.0.1:11434": list.origin });
    const reachBoth: typeof fetch = (input, init) =>
      String(input).includes("/v1/chat/")
        ? fetch(chat.origin + new URL(String(input)).pathname, init)
        : reach(input, init);
    const { memoir, actor } = await openWorld(dialect, context, { discoverLocal: true, fetch: reachBoth });
    expect(asked).toEqual([]);
    expect(handlesOf(await memoir.models.list(actor))).toEqual(["ollama/llama3.2:latest", "memoir/demo"]);
    expect(new Set(asked)).toEqual(new Set(["http://127.0.0.1:11434", "http://127.0.0.1:1234"]));

    const { agent } = await memoir.agents.create(actor, { model: "ollama/llama3.2", contextWindow: 100_000 });
    expect(agent.model).toMatchObject({ model: "llama3.2:latest", contextWindow: 100_000, provider: "ollama" });
    const content = [{ type: "text", text: "hi" }] as const;
    const run = await memoir.messages.send(actor, agent.id, { messages: [{ role: "user", content }] });
    expect((await memoir.messages.complete(actor, run.id)).reason).toBe("end_turn");
    expect(chat.requests[0]).toMatchObject({ path: "/v1/chat/completions", body: { model: "llama3.2:latest" } });

    await expect(memoir.agents.create(actor, { model: "ollama/plain:1b" })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("cannot call tools"),
    });
  });

  test("a configured address is asked instead of the usual one", async (context) => {
    const server = await startJsonServer(answerOllama(["qwen3:8b"]));
    const { asked, fetch } = network({ [server.origin]: server.origin });
    const providers = { ollama: { baseUrl: server.origin } };
    const { memoir, actor } = await openWorld(dialect, context, { discoverLocal: true, providers, fetch });
    expect(handlesOf(await memoir.models.list(actor))).toEqual(["ollama/qwen3:8b", "memoir/demo"]);
    expect(asked).not.toContain("http://127.0.0.1:11434");
  });

  test("a model that was added after the list was asked for is found by its name", async (context) => {
    const names = ["a:1b"];
    const server = await startJsonServer((request) => answerOllama(names)(request));
    const { memoir, actor } = await openWorld(dialect, context, { providers: { ollama: { baseUrl: server.origin } } });
    await memoir.models.list(actor);
    names.push("b:1b");
    expect(await memoir.models.resolve(actor, "ollama/b:1b")).toMatchObject({ model: "b:1b", contextWindow: 131_072 });
  });

  test.for([
    ["nobody/x", 'not found: no provider is named "nobody"'],
    ["ollama/x", "must be one of [ollama/a:1b]"],
    ["vllm/x", "not found; vllm (http://127.0.0.1:2) cannot be reached"],
  ] as const)("%s is refused with the names there are", async ([handle, message], context) => {
    const server = await startJsonServer(answerOllama(["a:1b"]));
    const providers = { ollama: { baseUrl: server.origin }, vllm: { baseUrl: "http://127.0.0.1:2" } };
    const { memoir, actor } = await openWorld(dialect, context, { providers });
    const refusal = { code: "not-found", message: expect.stringContaining(message) };
    await expect(memoir.models.resolve(actor, handle)).rejects.toMatchObject(refusal);
    await expect(memoir.agents.create(actor, { model: handle })).rejects.toMatchObject(refusal);
    expect(await memoir.agents.count(actor)).toBe(0);
  });

  test("a model whose size nobody tells takes the window it is given", async (context) => {
    const server = await startJsonServer(() => ({ body: { data: [{ id: "riddle" }] } }));
    const { memoir, actor } = await openWorld(dialect, context, { providers: { vllm: { baseUrl: server.origin } } });
    const { agent } = await memoir.agents.create(actor, { model: "vllm/riddle" });
    expect(agent.model.contextWindow).toBe(30_000);
    const { agent: wider } = await memoir.agents.update(actor, agent.id, { contextWindow: 90_000 });
    expect(wider.model.contextWindow).toBe(90_000);
  });

  test("a provider may have a name that means something to the machine", async (context) => {
    const server = await startJsonServer(() => ({ body: { data: [{ id: "m" }] } }));
    const { memoir, actor } = await openWorld(dialect, context);
    for (const name of ["toString", "__proto__", "constructor"]) {
      await memoir.providers.create(actor, { name, type: "openai", apiKey: "k", baseUrl: server.origin });
      const { agent } = await memoir.agents.create(actor, { model: `${name}/m` });
      expect([agent.model.category, agent.model.provider, agent.compaction.model]).toEqual(["byok", name, `${name}/m`]);
    }
  });

  test("another model for one message is looked up when it is sent", async (context) => {
    const list = { body: { data: [{ id: "small", max_model_len: 9000 }] } };
    const lists = await startJsonServer(() => list);
    const chat = await startScriptedOpenAi([{ text: "hello" }]);
    context.onTestFinished(() => chat.close());
    const split: typeof fetch = (input, init) =>
      fetch((String(input).includes("/chat/") ? chat : lists).origin + new URL(String(input)).pathname, init);
    const options: Partial<MemoirOptions> = { providers: { vllm: { baseUrl: lists.origin } }, fetch: split };
    const { memoir, actor, createAgent } = await openWorld(dialect, context, options);
    const { agent } = await createAgent();
    const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }] as const;
    await expect(memoir.messages.send(actor, agent.id, { messages, model: "vllm/none" })).rejects.toMatchObject({
      code: "not-found",
    });
    const run = await memoir.messages.send(actor, agent.id, { messages, model: "vllm/small" });
    expect(run.request.modelConfig).toMatchObject({ model: "small", contextWindow: 9000 });
    expect((await memoir.messages.complete(actor, run.id)).reason).toBe("end_turn");
    expect(chat.requests[0]?.body.model).toBe("small");
  });

  test("a model is tried before its agent is made, if that is wished", async (context) => {
    const server = await startScriptedOpenAi([
      { text: "hello" },
      { failure: { status: 401, body: { error: { message: "bad key" } } } },
    ]);
    context.onTestFinished(() => server.close());
    const providers = {
      openai: { apiKey: "k", baseUrl: `${server.origin}/v1` },
      anthropic: { baseUrl: "http://127.0.0.1:2" },
    };
    const { memoir, actor } = await openWorld(dialect, context, { providers });
    await memoir.agents.create(actor, { model: "openai/gpt-4o-mini", checkModel: true });
    const refused = memoir.agents.create(actor, { model: "openai/gpt-4o-mini", checkModel: true });
    await expect(refused).rejects.toMatchObject({
      code: "llm-authentication",
      message: expect.stringContaining("openai"),
    });
    await memoir.agents.create(actor, { model: "memoir/demo", checkModel: true });
    expect(await memoir.agents.count(actor)).toBe(2);
  });
});

describe.for(dialects)("%s: embeddings", (dialect) => {
  test("the built-in embedder needs nothing", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const vectors = await memoir.models.embed(actor, "memoir/lexical-512", ["Ada likes tea", "Ada likes tea"]);
    expect(vectors[0]).toHaveLength(512);
    expect(vectors[0]).toEqual(vectors[1]);
    expect(await memoir.models.embed(actor, "memoir/lexical-512", [])).toEqual([]);
  });

  test("a provider of one's own embeds with its own key", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context, { providers: { openai: { apiKey: "sk-server" } } });
    const vector = Array.from({ length: 1536 }, () => 0.5);
    const server = await startJsonServer(({ body }) =>
      body
        ? { body: { data: body.input.map((_: string, index: number) => ({ index, embedding: vector })) } }
        : { body: { data: [] } },
    );
    const request = { name: "mine", type: "openai", apiKey: "sk-own", baseUrl: `${server.origin}/v1` };
    await memoir.providers.create(actor, request);
    const vectors = await memoir.models.embed(actor, "mine/text-embedding-3-small", ["a", "b"]);
    expect(vectors.map((item) => item.length)).toEqual([1536, 1536]);
    expect(server.requests.at(-1)?.headers.authorization).toBe("Bearer sk-own");
  });

  test("the length of a local model's vectors is found out by asking", async (context) => {
    const server = await startJsonServer(({ path, body }) => {
      if (path === "/api/v0/models") return { body: { data: [{ id: "nomic", type: "embeddings" }] } };
      return path === "/v1/embeddings"
        ? { body: { data: body.input.map(() => ({ embedding: [1, 2, 3] })) } }
        : undefined;
    });
    const providers = { lmstudio_openai: { baseUrl: server.origin } };
    const { memoir, actor } = await openWorld(dialect, context, { providers });
    const { agent } = await memoir.agents.create(actor, { model: "memoir/demo", embedding: "lmstudio_openai/nomic" });
    expect(agent.embedding).toMatchObject({ dimension: 3, endpoint: `${server.origin}/v1` });
    expect(await memoir.models.embed(actor, agent.embedding ?? "", ["x"])).toEqual([Float32Array.from([1, 2, 3])]);
  });

  test.for(["nobody/x", "openai/none", "noslash", "vllm/x"])(
    "%s is refused, and no agent made",
    async (embedding, context) => {
      const providers = { vllm: { baseUrl: "http://127.0.0.1:2" } };
      const { memoir, actor } = await openWorld(dialect, context, { providers });
      const refusal = {
        code: "invalid-argument",
        message: expect.stringContaining(`Embedding model ${embedding} not found`),
      };
      await expect(memoir.agents.create(actor, { model: "memoir/demo", embedding })).rejects.toMatchObject(refusal);
      expect(await memoir.agents.count(actor)).toBe(0);
    },
  );

  test("an address of a caller's own is sent nobody's key", async (context) => {
    const server = await startJsonServer(() => ({ body: { data: [{ embedding: [1, 2] }] } }));
    const { memoir, actor } = await openWorld(dialect, context, { providers: { openai: { apiKey: "sk-server" } } });
    const known = await memoir.models.resolveEmbedding(actor, "openai/text-embedding-3-small");
    const own = { ...known, handle: null, endpoint: server.origin, dimension: 2 };
    expect(await memoir.models.embed(actor, own, ["x"])).toHaveLength(1);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });
});
