import { generateKeyPairSync, verify } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ContentPart, PromptMessage } from "../../shared/content.ts";
import {
  assistant,
  collect,
  collectFailure,
  configOf,
  joinChunks,
  requestOf,
  result,
  tools,
  user,
} from "../../testing/model-requests.ts";
import { geminiFailures, startScriptedGemini } from "../../testing/scripted-gemini.ts";
import type { WireAnswer } from "../../testing/scripted-server.ts";
import { createModels } from "../providers.ts";

const flash = configOf("google_ai/gemini-2.5-flash", {
  reasoning: { enabled: true, effort: null, budgetTokens: 1_024 },
});
const newer = configOf("google_ai/gemini-3-pro-preview");

async function start(script: readonly WireAnswer[]) {
  const server = await startScriptedGemini(script);
  onTestFinished(() => server.close());
  const models = createModels(
    { google_ai: { apiKey: "AIza-test-key-0042", baseUrl: server.origin } },
    { retries: { tries: 1 } },
  );
  return { server, model: models.get(flash) };
}

describe("a request", () => {
  test("is what Gemini documents", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(flash));
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      headers: { "x-goog-api-key": "AIza-test-key-0042" },
    });
    const string = { type: "STRING" };
    expect(server.requests[0]?.body).toEqual({
      systemInstruction: { parts: [{ text: "You are a careful agent." }] },
      contents: [{ role: "user", parts: [{ text: "hello there" }] }],
      tools: [
        {
          functionDeclarations: [
            {
              name: "memory_insert",
              description: "Adds a line.",
              parameters: {
                type: "OBJECT",
                properties: { label: string, new_string: string },
                required: ["label", "new_string"],
              },
            },
            {
              name: "conversation_search",
              description: "Finds messages.",
              parameters: { type: "OBJECT", properties: { query: string, limit: { type: "INTEGER" } } },
            },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
      generationConfig: {
        temperature: 1,
        maxOutputTokens: 65_536,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 },
      },
    });
  });

  test.for([
    ["required", { mode: "ANY", allowedFunctionNames: tools.map(({ name }) => name) }],
    [{ tool: "memory_insert" }, { mode: "ANY", allowedFunctionNames: ["memory_insert"] }],
    ["none", { mode: "NONE" }],
  ] as const)("the choice %j is put as %j", async ([toolChoice, sent]) => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(flash, { toolChoice }));
    expect(server.requests[0]?.body.toolConfig.functionCallingConfig).toEqual(sent);
  });

  test.for([
    [flash, { enabled: false, effort: null, budgetTokens: 0 }, { includeThoughts: false, thinkingBudget: 0 }],
    [newer, { enabled: true, effort: null, budgetTokens: 1_024 }, { includeThoughts: true }],
    [newer, { enabled: true, effort: "low", budgetTokens: 0 }, { includeThoughts: true, thinkingLevel: "low" }],
  ] as const)("thinking is a budget, a level, or off", async ([config, reasoning, sent]) => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf({ ...config, reasoning }));
    expect(server.requests[0]?.body.generationConfig.thinkingConfig).toEqual(sent);
  });

  test("a conversation arrives as it was, in turns that the user begins", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    const thought: ContentPart = { type: "reasoning", text: "hm", isNative: true };
    const calls = [
      { id: "c1", name: "memory_insert", arguments: '{"label": "human"}' },
      { id: "c2", name: "conversation_search", arguments: "broken" },
    ];
    const messages: PromptMessage[] = [
      assistant({ content: [thought, { type: "text", text: "Hello." }], toolCalls: calls }),
      result("c1", "memory_insert", "ok"),
      { role: "tool", returns: [{ callId: "c2", name: "conversation_search", status: "error", output: "unreadable" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image", source: { type: "base64", mediaType: "image/jpg", data: "aGk=" } },
          { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        ],
      },
    ];
    await collect(model, requestOf(flash, { system: "", tools: [], messages }));
    const { body } = server.requests[0] ?? { body: {} };
    expect(body).not.toHaveProperty("systemInstruction");
    expect(body.contents).toEqual([
      { role: "user", parts: [{ text: "(The conversation begins.)" }] },
      {
        role: "model",
        parts: [
          { text: "Hello." },
          { functionCall: { name: "memory_insert", args: { label: "human" } } },
          { functionCall: { name: "conversation_search", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "memory_insert", response: { output: "ok" } } },
          { functionResponse: { name: "conversation_search", response: { error: "unreadable" } } },
          { text: "Look" },
          { inlineData: { mimeType: "image/jpeg", data: "aGk=" } },
          { text: "[Image at https://example.com/a.png]" },
        ],
      },
    ]);
  });
});

describe("signatures", () => {
  const seal = "EqQBCgIYAhIk+/=".repeat(40);

  test("on calls go back to the byte, on the part they came with", async () => {
    const toolCalls = [
      { name: "memory_insert", arguments: '{"label":"human"}' },
      { name: "conversation_search", arguments: '{"query":"x"}' },
    ];
    const { server, model } = await start([{ reasoning: ["Hm."], seal, toolCalls }, { text: "Done." }]);
    const { reply, chunks } = await collect(model, requestOf(newer));
    expect(reply.content).toEqual([{ type: "reasoning", text: "Hm.", isNative: true }]);
    expect(reply.toolCalls).toMatchObject([
      { name: "memory_insert", signature: seal },
      { name: "conversation_search" },
    ]);
    expect(new Set(reply.toolCalls.map(({ id }) => id)).size).toBe(2);
    expect(joinChunks(chunks).calls.map(({ name }) => name)).toEqual(["memory_insert", "conversation_search"]);
    const results = reply.toolCalls.map(({ id, name }) => result(id, name, "ok"));
    await collect(model, requestOf(newer, { messages: [user("a"), assistant(reply), ...results] }));
    expect(server.requests[1]?.body.contents[1].parts).toEqual([
      { functionCall: { name: "memory_insert", args: { label: "human" } }, thoughtSignature: seal },
      { functionCall: { name: "conversation_search", args: { query: "x" } } },
    ]);
  });

  test("on text go back with it", async () => {
    const { server, model } = await start([{ text: "Hello.", seal }, { text: "Done." }]);
    const { reply } = await collect(model, requestOf(newer));
    expect(reply.content).toEqual([{ type: "text", text: "Hello.", signature: seal }]);
    await collect(model, requestOf(newer, { messages: [user("a"), assistant(reply), user("b")] }));
    expect(server.requests[1]?.body.contents[1].parts).toEqual([{ text: "Hello.", thoughtSignature: seal }]);
  });

  test("that are refused are left out", async () => {
    const message = "Thought signature is not valid.";
    const failure = { status: 400, body: { error: { code: 400, message, status: "INVALID_ARGUMENT" } } };
    const { server, model } = await start([{ failure }, { text: "Hi." }]);
    const calls = [{ id: "c1", name: "memory_insert", arguments: '{"a":1}', signature: "foreign" }];
    const content: ContentPart[] = [{ type: "text", text: "So.", signature: "foreign" }];
    const messages = [user("a"), assistant({ content, toolCalls: calls }), result("c1", "memory_insert", "ok")];
    await collect(model, requestOf(newer, { messages }));
    expect(server.requests.map(({ body }) => JSON.stringify(body).includes("foreign"))).toEqual([true, false]);
  });

  test("of calls that another model made are excused, where they are asked for", async () => {
    const { server, model } = await start([{ text: "Hi." }, { text: "Hi." }]);
    const calls = [{ id: "c1", name: "memory_insert", arguments: '{"a":1}' }];
    const messages = [user("a"), assistant({ content: [], toolCalls: calls }), result("c1", "memory_insert", "ok")];
    await collect(model, requestOf(newer, { messages }));
    await collect(model, requestOf(flash, { messages }));
    const signatures = server.requests.map(({ body }) => body.contents[1].parts[0].thoughtSignature);
    expect(signatures).toEqual(["skip_thought_signature_validator", undefined]);
  });
});

describe("a reply", () => {
  test("counts what was read from the cache and what was thought", async () => {
    const { model } = await start([{ text: "Hi." }]);
    expect((await collect(model, requestOf(flash))).reply.usage).toEqual({
      promptTokens: 120,
      completionTokens: 30,
      totalTokens: 150,
      cachedTokens: 100,
      cacheWriteTokens: null,
      reasoningTokens: 12,
    });
  });

  test.for([
    ["a length limit", { text: "So", finish: "MAX_TOKENS" }, { finishReason: "length" }],
    ["a filter", { text: "So", finish: "SAFETY" }, { finishReason: "content-filter" }],
    ["a refused prompt", { refusal: "PROHIBITED_CONTENT" }, { content: [], finishReason: "content-filter" }],
    ["nothing at all", {}, { content: [], toolCalls: [], finishReason: "stop" }],
  ] as [string, WireAnswer, object][])("with %s", async ([, answer, expected]) => {
    const { model } = await start([answer]);
    expect((await collect(model, requestOf(flash))).reply).toMatchObject(expected);
  });

  test("with a garbled call is asked for again", async () => {
    const garbled: WireAnswer = { finish: "MALFORMED_FUNCTION_CALL" };
    const server = await startScriptedGemini([garbled, garbled, garbled, garbled, { text: "Hi." }]);
    onTestFinished(() => server.close());
    const access = { google_ai: { apiKey: "k", baseUrl: server.origin } };
    const models = createModels(access, { retries: { sleep: async () => {} } });
    await collect(models.get(flash), requestOf(flash));
    expect(server.requests).toHaveLength(5);
  });
});

describe("when Gemini fails", () => {
  test.for([
    ["overflow", "llm-context-exceeded", 400, false],
    ["badRequest", "llm-bad-request", 400, false],
    ["wrongKey", "llm-authentication", 400, false],
    ["forbidden", "llm-error", 403, false],
    ["unknownModel", "llm-error", 404, false],
    ["rateLimit", "llm-rate-limit", 429, true],
    ["server", "llm-error", 500, true],
    ["overloaded", "llm-overloaded", 503, true],
  ] as const)("%s is %s", async ([name, code, status, isRetryable]) => {
    const failure = geminiFailures[name];
    const { model } = await start([{ failure }]);
    const { error } = await collectFailure(model, requestOf(flash));
    expect(error).toMatchObject({ code, details: { provider: "google_ai", status, isRetryable } });
    expect(error.message).toContain((failure.body as { error: { message: string } }).error.message);
    expect(error.details.retryAfterMs).toBe(name === "rateLimit" ? 13_500 : null);
  });

  test("an error inside the stream, and a stream cut at any event, are worth another try", async () => {
    const answer: WireAnswer = { reasoning: ["Hm."], text: "Well.", toolCalls: [{ name: "x", arguments: "{}" }] };
    const { server, model } = await start([]);
    for (const how of ["cutAfter", "endAfter", "failAt"] as const) {
      for (let event = 0; event < 6; event++) {
        server.add({ ...answer, [how]: how === "failAt" ? { event, type: "INTERNAL", message: "Sorry." } : event });
        const { error } = await collectFailure(model, requestOf(flash));
        expect(error).toMatchObject({ code: "llm-error", details: { isRetryable: true } });
      }
    }
  });
});

describe("Vertex", () => {
  const vertex = {
    ...flash,
    provider: "google_vertex",
    handle: "google_vertex/gemini-2.5-flash",
    endpointKind: "google_vertex",
  };
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

  async function startVertex(apiKey: string) {
    const server = await startScriptedGemini([{ text: "Hi." }, { text: "Hi." }]);
    onTestFinished(() => server.close());
    const tokens: { url: string; body: URLSearchParams }[] = [];
    const spy: typeof fetch = async (input, init) => {
      if (String(input).startsWith(server.origin)) return await fetch(input, init);
      tokens.push({ url: String(input), body: new URLSearchParams(String(init?.body)) });
      return Response.json({ access_token: "ya29.token", expires_in: 3_600, token_type: "Bearer" });
    };
    const access = { google_vertex: { apiKey, baseUrl: server.origin, project: "p1", location: "global" } };
    const models = createModels(access, { fetch: spy, retries: { tries: 1 } });
    return { server, tokens, model: models.get(vertex) };
  }

  test("is asked with a token that a service account's key gets, once", async () => {
    const credentials = {
      type: "service_account",
      client_email: "me@p1.iam.gserviceaccount.com",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri: "https://evil.example/token",
    };
    const { server, tokens, model } = await startVertex(JSON.stringify(credentials));
    await collect(model, requestOf(vertex));
    await collect(model, requestOf(vertex));
    expect(tokens.map(({ url }) => url)).toEqual(["https://oauth2.googleapis.com/token"]);
    const [head, claim, signature] = (tokens[0]?.body.get("assertion") ?? "").split(".");
    const isSigned = verify(
      "RSA-SHA256",
      Buffer.from(`${head}.${claim}`),
      publicKey,
      Buffer.from(signature ?? "", "base64url"),
    );
    expect(isSigned).toBe(true);
    expect(JSON.parse(Buffer.from(claim ?? "", "base64url").toString())).toMatchObject({
      iss: "me@p1.iam.gserviceaccount.com",
      aud: "https://oauth2.googleapis.com/token",
    });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer ya29.token");
    expect(server.requests[0]?.path).toBe(
      "/v1/projects/p1/locations/global/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    );
  });

  test("is asked with a person's credentials, or a token as it is", async () => {
    const person = { type: "authorized_user", client_id: "id", client_secret: "secret", refresh_token: "refresh" };
    const { tokens, model } = await startVertex(JSON.stringify(person));
    await collect(model, requestOf(vertex));
    expect(Object.fromEntries(tokens[0]?.body ?? [])).toMatchObject({
      grant_type: "refresh_token",
      refresh_token: "refresh",
    });
    const plain = await startVertex("ya29.mine");
    await collect(plain.model, requestOf(vertex));
    expect(plain.server.requests[0]?.headers.authorization).toBe("Bearer ya29.mine");
  });

  test.for(["{ unreadable", '{"type":"external_account"}', '{"type":"service_account","private_key":"x"}'])(
    "credentials that are none are refused: %s",
    async (apiKey) => {
      const { model } = await startVertex(apiKey);
      const { error } = await collectFailure(model, requestOf(vertex));
      expect(error.code).toBe("llm-authentication");
    },
  );
});
