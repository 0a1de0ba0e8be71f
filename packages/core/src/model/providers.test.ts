import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { collect, collectFailure, configOf, requestOf } from "../testing/model-requests.ts";
import { startScriptedAnthropic } from "../testing/scripted-anthropic.ts";
import { startScriptedOpenAi } from "../testing/scripted-openai.ts";
import type { ProviderAccess } from "./model.ts";
import { createModels } from "./providers.ts";
import { say, scripted } from "./scripted.ts";

const gpt = configOf("openai/gpt-4o-mini");
const claude = configOf("anthropic/claude-haiku-4-5");

test.for([
  [gpt, "OPENAI_API_KEY"],
  [claude, "ANTHROPIC_API_KEY"],
] as const)("without a key, the model says which variable to set", async ([config, variable]) => {
  const empty: Record<string, ProviderAccess>[] = [
    {},
    { openai: {}, anthropic: {} },
    { openai: { apiKey: "" }, anthropic: { apiKey: "" } },
  ];
  for (const access of empty) {
    const { error } = await collectFailure(createModels(access).get(config), requestOf(config));
    expect(error).toMatchObject({
      code: "llm-authentication",
      details: { provider: config.provider, isRetryable: false },
    });
    expect(error.message).toContain(variable);
  }
});

test("base URL, headers, key and fetch of the caller are used", async () => {
  const server = await startScriptedOpenAi([{ text: "Hi." }]);
  onTestFinished(() => server.close());
  const seen: string[] = [];
  const spy: typeof fetch = (input, init) => {
    seen.push(String(input));
    return fetch(input, init);
  };
  const access = { openai: { apiKey: "my-key", baseUrl: `${server.origin}/proxy/v1/`, headers: { "x-team": "blue" } } };
  await collect(createModels(access, { fetch: spy }).get(gpt), requestOf(gpt));
  expect(seen).toEqual([`${server.origin}/proxy/v1/chat/completions`]);
  expect(server.requests[0]?.headers).toMatchObject({ authorization: "Bearer my-key", "x-team": "blue" });
});

test("Anthropic's address is taken with its version and without", async () => {
  const server = await startScriptedAnthropic([{ text: "Hi." }, { text: "Hi." }, { text: "Hi." }]);
  onTestFinished(() => server.close());
  for (const baseUrl of [server.origin, `${server.origin}/v1`, `${server.origin}/v1/`]) {
    await collect(createModels({ anthropic: { apiKey: "k", baseUrl } }).get(claude), requestOf(claude));
  }
  expect(server.requests.map(({ path }) => path)).toEqual(["/v1/messages", "/v1/messages", "/v1/messages"]);
});

test("a server of one's own needs no key", async () => {
  const server = await startScriptedOpenAi([{ text: "Hi." }]);
  onTestFinished(() => server.close());
  await collect(createModels({ openai: { baseUrl: server.baseUrl } }).get(gpt), requestOf(gpt));
  expect(server.requests[0]?.headers.authorization).toBe("Bearer none");
});

test("an address a caller made up is called, and never sent the operator's key or headers", async () => {
  const server = await startScriptedOpenAi([{ text: "Hi." }]);
  onTestFinished(() => server.close());
  const config = { ...gpt, handle: null, endpoint: server.baseUrl };
  const access = { openai: { apiKey: "sk-operator", headers: { "x-team": "blue" } } };
  await collect(createModels(access).get(config), requestOf(config));
  expect(JSON.stringify(server.requests[0]?.headers)).not.toMatch(/sk-operator|x-team/);
});

test("the operator's base URL comes before the one in a config", async () => {
  const server = await startScriptedOpenAi([{ text: "Hi." }, { text: "Hi." }]);
  onTestFinished(() => server.close());
  const models = createModels({ openai: { apiKey: "k", baseUrl: server.baseUrl } });
  for (const handle of [null, gpt.handle]) {
    const config = { ...gpt, handle, endpoint: "https://elsewhere.invalid/v1" };
    await collect(models.get(config), requestOf(config));
  }
  expect(server.requests).toHaveLength(2);
});

test("a provider the user named has its own access, not the operator's", async () => {
  const server = await startScriptedOpenAi([{ text: "Hi." }]);
  onTestFinished(() => server.close());
  const config = { ...gpt, provider: "my-own", category: "byok" as const, handle: "my-own/gpt-4o-mini" };
  const operator = { openai: { apiKey: "sk-operator" } };
  const { error } = await collectFailure(createModels(operator).get(config), requestOf(config));
  expect(error).toMatchObject({ code: "llm-authentication", details: { provider: "my-own" } });
  const access = { ...operator, "my-own": { apiKey: "theirs", baseUrl: server.baseUrl } };
  await collect(createModels(access).get(config), requestOf(config));
  expect(server.requests[0]?.headers.authorization).toBe("Bearer theirs");
});

test("a provider nobody knows says so when asked", async () => {
  const config = { ...gpt, provider: "nobody", handle: "nobody/x", endpointKind: "nobody" };
  const { error } = await collectFailure(createModels({}).get(config), requestOf(config));
  expect(error.code).toMatch(/^llm-/);
  expect(error.message).toContain("nobody");
});

test("the same way to a model is built once", () => {
  const models = createModels({ openai: { apiKey: "k" } });
  expect(models.get(gpt)).toBe(models.get(configOf("openai/gpt-4.1")));
  expect(models.get(gpt)).not.toBe(models.get(claude));
});

test("a stand-in for the demo is used", async () => {
  const demo = scripted([say("I stand in.")]);
  const config = configOf("memoir/demo");
  const { reply } = await collect(createModels({}, { demo }).get(config), requestOf(config));
  expect(reply.content).toEqual([{ type: "text", text: "I stand in." }]);
});

test("the demo loads no provider package", () => {
  const program = `
    const { createModels } = await import("./providers.ts");
    const { findModel } = await import("./catalogue.ts");
    const config = findModel("memoir/demo");
    const request = { config, system: "", messages: [], tools: [], toolChoice: "auto", responseFormat: null };
    for await (const chunk of createModels({}).get(config).stream(request, new AbortController().signal));
  `;
  const hooks = `
    import { registerHooks } from "node:module";
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.startsWith("@ai-sdk/")) throw new Error("loaded " + specifier);
      return next(specifier, context);
    } });
  `;
  const preload = `data:text/javascript,${encodeURIComponent(hooks)}`;
  const options = { cwd: import.meta.dirname, stdio: "pipe" } as const;
  execFileSync(process.execPath, ["--import", preload, "--input-type=module-typescript", "-e", program], options);
});

test("what matters for the way to a model makes another one, and the ways kept are limited", () => {
  const models = createModels({});
  const base: ProviderAccess = { type: "azure", apiKey: "k", baseUrl: "https://x.example" };
  const first = models.get(gpt, base);
  expect(models.get(gpt, { ...base })).toBe(first);
  const variants: ProviderAccess[] = [
    { ...base, apiKey: "other" },
    { ...base, baseUrl: "https://y.example" },
    { ...base, headers: { "x-team": "blue" } },
    { ...base, apiVersion: "2025-01-01" },
    { ...base, type: "openai" },
  ];
  for (const variant of variants) expect(models.get(gpt, variant)).not.toBe(first);
  for (let index = 0; index < 300; index++) models.get(gpt, { ...base, apiKey: `k${index}` });
  expect(models.get(gpt, base)).not.toBe(first);
});
