import { describe, expect, test } from "vitest";
import { providerRows } from "../../shared/provider-rows.ts";
import { dialects } from "../../testing/databases.ts";
import { type JsonAnswer, type JsonRequest, startJsonServer } from "../../testing/json-server.ts";
import { startScriptedOpenAi } from "../../testing/scripted-openai.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";

const page = { limit: 50, order: "desc" } as const;

function listing(...names: string[]): JsonAnswer {
  return { body: { data: names.map((id) => ({ id, max_model_len: 40_000 })) } };
}

/** An OpenAI-compatible server that knows one key. */
const onlyFor =
  (key: string, answer: JsonAnswer) =>
  ({ headers }: JsonRequest): JsonAnswer =>
    headers.authorization === `Bearer ${key}` ? answer : { status: 401, body: { error: { message: "unknown key" } } };

describe.for(dialects)("%s: a provider of one's own", (dialect) => {
  test("cannot take a name that handles of known models begin with", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    for (const name of [...providerRows.map(({ type }) => type), "openai-proxy"]) {
      const refusal = memoir.providers.create(actor, { name, type: "openai", apiKey: "k" });
      await expect(refusal, name).rejects.toMatchObject({ code: "invalid-argument", details: { field: "name" } });
    }
  });

  test("keeps working under a name that was reserved after it was stored", async (context) => {
    const chat = await startScriptedOpenAi([{ text: "hello" }, { text: "hello again" }]);
    const lists = await startJsonServer(onlyFor("sk-mine", listing("our-model", "mistral-small-latest")));
    context.onTestFinished(() => chat.close());
    const reach: typeof fetch = (input, init) =>
      fetch((String(input).includes("/chat/") ? chat : lists).origin + new URL(String(input)).pathname, init);
    const { memoir, actor, store } = await openWorld(dialect, context, { fetch: reach });
    const baseUrl = `${lists.origin}/v1`;
    const { id } = await memoir.providers.create(actor, { name: "mine", type: "openai", apiKey: "sk-mine", baseUrl });
    await store.unscoped.updateTable("provider").set({ name: "mistral" }).where("id", "=", id).execute();
    for (const model of ["mistral/our-model", "mistral/mistral-small-latest"]) {
      const { agent } = await memoir.agents.create(actor, { model, contextWindow: 30_000 });
      expect(agent.model).toMatchObject({ category: "byok", provider: "mistral", endpoint: baseUrl });
      const content = [{ type: "text", text: "hi" }] as const;
      const run = await memoir.messages.send(actor, agent.id, { messages: [{ role: "user", content }] });
      expect((await memoir.messages.complete(actor, run.id)).reason).toBe("end_turn");
    }
    expect(chat.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-mine", "Bearer sk-mine"]);
  });

  test("is stored, listed, changed and deleted; its key goes in and never comes out", async (context) => {
    const { memoir, actor, store } = await openWorld(dialect, context);
    const server = await startJsonServer(onlyFor("sk-mine", listing("our-model", "our-embed")));
    const created = await memoir.providers.create(actor, {
      name: " my-openai ",
      type: "openai",
      apiKey: "  sk-mine\n",
      baseUrl: `${server.origin}/v1`,
      region: "",
    });
    expect(created).toMatchObject({
      name: "my-openai",
      type: "openai",
      region: null,
      hasApiKey: true,
      hasAccessKey: false,
    });
    expect(JSON.stringify(created)).not.toContain("sk-mine");
    const [secret] = await store.unscoped.selectFrom("secret").selectAll().where("owner_id", "=", created.id).execute();
    expect(Buffer.from(secret?.ciphertext ?? []).toString("latin1")).not.toContain("sk-mine");

    const stored = await memoir.providers.get(actor, created.id);
    expect(stored.lastSyncedAt).not.toBeNull();
    expect(await memoir.providers.list(actor, { name: "my-openai" }, page)).toEqual([stored]);
    expect(await memoir.providers.list(actor, { type: "groq" }, page)).toEqual([]);

    const updated = await memoir.providers.update(actor, created.id, { apiKey: "sk-other", apiVersion: "v2" });
    expect(updated).toMatchObject({ apiVersion: "v2", baseUrl: `${server.origin}/v1` });
    await expect(memoir.providers.checkStored(actor, created.id)).rejects.toMatchObject({ code: "llm-authentication" });

    await memoir.providers.delete(actor, created.id);
    await expect(memoir.providers.get(actor, created.id)).rejects.toMatchObject({ code: "not-found" });
    expect(await memoir.providers.list(actor, {}, page)).toEqual([]);
    expect(await store.unscoped.selectFrom("secret").selectAll().where("owner_id", "=", created.id).execute()).toEqual(
      [],
    );

    const again = await memoir.providers.create(actor, { name: "my-openai", type: "openai", apiKey: "sk-mine" });
    expect(again).toMatchObject({ id: created.id, baseUrl: null, apiVersion: null });
  });

  test("keeps the keys that an update does not name", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const server = await startJsonServer(() => ({ body: { inferenceProfileSummaries: [] } }));
    const aws = { type: "bedrock", baseUrl: server.origin, region: "eu-west-1" };
    const { id } = await memoir.providers.create(actor, { ...aws, name: "aws", apiKey: "secret", accessKey: "AKID" });
    const view = await memoir.providers.update(actor, id, { apiKey: "other" });
    expect(view).toMatchObject({ hasApiKey: true, hasAccessKey: true, region: "eu-west-1" });
    await memoir.providers.checkStored(actor, id);
    expect(server.requests.at(-1)?.headers.authorization).toContain("Credential=AKID/");
    expect(await memoir.providers.update(actor, id, { accessKey: null })).toMatchObject({ hasAccessKey: false });
  });

  test.for([
    [{ name: "openai" }, "invalid-argument", "name"],
    [{ name: "memoir" }, "invalid-argument", "name"],
    [{ name: "a/b" }, "invalid-input", "name"],
    [{ name: "  " }, "invalid-input", "name"],
    [{ type: "nonsense" }, "invalid-argument", "provider_type"],
    [{ baseUrl: "not an address" }, "invalid-argument", "base_url"],
    [{ baseUrl: "file:///etc/passwd" }, "invalid-argument", "base_url"],
    [{ baseUrl: "http://user:pass@example.test" }, "invalid-argument", "base_url"],
    [{ baseUrl: "http://169.254.169.254/latest" }, "invalid-argument", "base_url"],
  ] as const)("is refused with %j, and nothing is stored", async ([wrong, code, field], context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const input = { name: "mine", type: "openai", apiKey: "k", ...wrong };
    await expect(memoir.providers.create(actor, input)).rejects.toMatchObject({ code, details: { field } });
    expect(await memoir.providers.list(actor, {}, page)).toEqual([]);
  });

  test("needs a name that nobody here has", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context, {
      providers: { custom: { baseUrl: "http://127.0.0.1:2" } },
    });
    const input = { name: "mine", type: "openai", apiKey: "k", baseUrl: "http://127.0.0.1:2" };
    await memoir.providers.create(actor, input);
    await expect(memoir.providers.create(actor, input)).rejects.toMatchObject({ code: "conflict" });
    await expect(memoir.providers.create(actor, { ...input, name: "custom" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });

  test("is checked by asking it", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const server = await startJsonServer(onlyFor("right", listing("m")));
    const check = (apiKey: string, baseUrl = server.origin) =>
      memoir.providers.check(actor, { type: "openai", apiKey, baseUrl });
    await check(" right ");
    await expect(check("wrong")).rejects.toMatchObject({ code: "llm-authentication" });
    await expect(check("right", "http://127.0.0.1:2")).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("cannot be reached"),
    });
    expect(await memoir.providers.list(actor, {}, page)).toEqual([]);
  });

  test("that has no list is checked by asking a model", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const server = await startJsonServer(() => ({ status: 401, body: { error: { message: "no such key" } } }));
    const check = memoir.providers.check(actor, { type: "minimax", apiKey: "k", baseUrl: server.origin });
    await expect(check).rejects.toMatchObject({ code: "llm-authentication" });
    expect(server.requests[0]).toMatchObject({ method: "POST", body: { model: "MiniMax-M2" } });
  });

  test("lists what it has, also after a restart without it", async (context) => {
    const { memoir, actor, openAnother } = await openWorld(dialect, context);
    let names = ["a"];
    const server = await startJsonServer(() => listing(...names));
    const { id } = await memoir.providers.create(actor, {
      name: "mine",
      type: "vllm",
      apiKey: "k",
      baseUrl: server.origin,
    });
    const handles = async (of = memoir) =>
      (await of.models.list(actor, { categories: ["byok"] })).map(({ config }) => config.handle);
    expect(await handles()).toEqual(["mine/a"]);
    names = ["a", "b"];
    const before = (await memoir.providers.get(actor, id)).lastSyncedAt ?? 0;
    expect((await memoir.providers.refresh(actor, id)).lastSyncedAt).toBeGreaterThan(before);
    expect(await handles()).toEqual(["mine/a", "mine/b"]);
    expect(await Promise.all([1, 2, 3].map(() => memoir.providers.refresh(actor, id)))).toHaveLength(3);
    await server.close();
    expect(await handles(await openAnother())).toEqual(["mine/a", "mine/b"]);
    await expect((await openAnother()).providers.refresh(actor, id)).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });

  test("answers an agent's messages with the key that was stored, and with the one it is changed to", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context, { providers: { openai: { apiKey: "sk-server" } } });
    const server = await startScriptedOpenAi(() => ({ text: "hello" }));
    context.onTestFinished(() => server.close());
    const baseUrl = `${server.origin}/v1`;
    const { id } = await memoir.providers.create(actor, { name: "mine", type: "openai", apiKey: "sk-own", baseUrl });
    const { agent } = await memoir.agents.create(actor, { model: "mine/gpt-4o-mini" });
    expect(agent.model).toMatchObject({
      provider: "mine",
      category: "byok",
      handle: "mine/gpt-4o-mini",
      contextWindow: 128_000,
    });
    const say = async () => {
      const content = [{ type: "text", text: "hi" }] as const;
      const run = await memoir.messages.send(actor, agent.id, { messages: [{ role: "user", content }] });
      return await memoir.messages.complete(actor, run.id);
    };
    expect((await say()).reason).toBe("end_turn");
    await memoir.providers.update(actor, id, { apiKey: "sk-new" });
    expect((await say()).reason).toBe("end_turn");
    const calls = server.requests.filter(({ method }) => method === "POST");
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-own", "Bearer sk-new"]);

    // Asked once more without the earlier messages.
    for (let times = 0; times < 2; times++) {
      server.add({ failure: { status: 400, body: { error: { message: "no such model" } } } });
    }
    expect((await say()).failure).toMatchObject({
      code: "llm-bad-request",
      message: expect.stringMatching(/no such model.* \[BYOK\]$/),
    });
    await memoir.providers.delete(actor, id);
    const { reason, failure } = await say();
    expect([reason, failure?.code, failure?.message]).toEqual([
      "llm_api_error",
      "llm-authentication",
      expect.stringContaining('the provider "mine" is not stored any more'),
    ]);
  });

  test("is nobody else's", async (context) => {
    const world = await openWorld(dialect, context);
    const server = await startJsonServer(() => listing("m"));
    const input = { name: "mine", type: "openai", apiKey: "sk-a", baseUrl: server.origin };
    const { id } = await world.memoir.providers.create(world.actor, input);
    const { memoir, actor } = await openNeighbour(world);
    expect(await memoir.providers.list(actor, {}, page)).toEqual([]);
    for (const attempt of [
      () => memoir.providers.get(actor, id),
      () => memoir.providers.update(actor, id, { apiKey: "x" }),
      () => memoir.providers.delete(actor, id),
      () => memoir.providers.checkStored(actor, id),
      () => memoir.providers.refresh(actor, id),
      () => memoir.models.resolve(actor, "mine/m"),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "not-found" });
    }
    expect(await memoir.models.list(actor, { provider: "mine" })).toEqual([]);
    // The same name is theirs to take, with a key of their own.
    await memoir.providers.create(actor, { ...input, apiKey: "sk-b" });
    expect(server.requests.at(-1)?.headers.authorization).toBe("Bearer sk-b");
  });
});
