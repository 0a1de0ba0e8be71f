import fc from "fast-check";
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
  user,
} from "../../testing/model-requests.ts";
import { openAiFailures, type ScriptedOpenAi, startScriptedOpenAi } from "../../testing/scripted-openai.ts";
import type { WireAnswer } from "../../testing/scripted-server.ts";
import type { Model } from "../model.ts";
import { createModels } from "../providers.ts";

const chat = configOf("openai/gpt-4o-mini");
const reasoner = configOf("openai/gpt-5-mini", { reasoning: { enabled: true, effort: "low", budgetTokens: 0 } });
const key = "sk-secret-of-the-test-0042";

async function start(script: readonly WireAnswer[]): Promise<{ server: ScriptedOpenAi; model: Model }> {
  const server = await startScriptedOpenAi(script);
  onTestFinished(() => server.close());
  const models = createModels({ openai: { apiKey: key, baseUrl: server.baseUrl } }, { retries: { tries: 1 } });
  return { server, model: models.get(chat) };
}

describe("Chat Completions, for models that do not reason", () => {
  test("the request says what the spec asks for, and nothing else", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(chat, { user: "user-1" }));
    expect(server.requests[0]).toMatchObject({ method: "POST", path: "/v1/chat/completions" });
    expect(server.requests[0]?.body).toEqual({
      model: "gpt-4o-mini",
      messages: [
        { role: "system", content: "You are a careful agent." },
        { role: "user", content: "hello there" },
      ],
      tools: requestOf(chat).tools.map((tool) => ({ type: "function", function: tool })),
      tool_choice: "auto",
      parallel_tool_calls: false,
      temperature: 1,
      max_completion_tokens: 16_384,
      user: "user-1",
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test.for([
    ["auto", "auto"],
    ["required", "required"],
    ["none", "none"],
    [{ tool: "memory_insert" }, { type: "function", function: { name: "memory_insert" } }],
  ] as const)("the choice %j is put as %j", async ([toolChoice, sent]) => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(chat, { toolChoice, parallelToolCalls: true }));
    expect(server.requests[0]?.body).toMatchObject({ tool_choice: sent, parallel_tool_calls: true });
  });

  test("without tools there is no word about tools", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(chat, { tools: [], toolChoice: "required" }));
    for (const field of ["tools", "tool_choice", "parallel_tool_calls"]) {
      expect(server.requests[0]?.body).not.toHaveProperty(field);
    }
  });

  test("strict holds only for schemas that are; structured output and penalties go along", async () => {
    const { server, model } = await start([{ text: "{}" }]);
    const schema = { type: "object", properties: { mood: { type: "string" } }, required: ["mood"] };
    await collect(
      model,
      requestOf(
        { ...chat, strict: true, frequencyPenalty: 0.5, temperature: 0.2 },
        {
          responseFormat: { type: "json_schema", json_schema: { name: "mood", strict: true, schema } },
        },
      ),
    );
    const { body } = server.requests[0] ?? {};
    expect(body.tools[0].function).toMatchObject({ strict: true, parameters: { additionalProperties: false } });
    expect(body.tools[1].function).not.toHaveProperty("strict");
    expect(body.tools[1].function.parameters).toEqual(requestOf(chat).tools[1]?.parameters);
    expect(body).toMatchObject({
      frequency_penalty: 0.5,
      temperature: 0.2,
      response_format: { type: "json_schema", json_schema: { name: "mood", strict: true, schema } },
    });
  });

  test("a whole conversation arrives as it was: images, alerts, calls to the byte, results", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    const json = '{"label": "human",\n "new_string":"ä"}';
    const call = { id: "call_1", name: "memory_insert", arguments: json };
    const broken = { id: "call_2", name: "memory_insert", arguments: '{"label": ' };
    await collect(
      model,
      requestOf(chat, {
        messages: [
          {
            role: "user",
            name: "Ada",
            content: [
              { type: "text", text: "Look:" },
              { type: "image", source: { type: "url", url: "https://example.com/a.png", detail: "low" } },
              { type: "image", source: { type: "base64", mediaType: "image/png", data: "aGVsbG8=" } },
              { type: "image", source: { type: "stored", hash: "h", mediaType: "image/png" } },
            ],
          },
          { role: "system", content: [{ type: "text", text: "Memory is nearly full." }] },
          assistant({
            content: [{ type: "reasoning", text: "hm", isNative: true, signature: "s" }],
            toolCalls: [call],
          }),
          result("call_1", "memory_insert", "done \ud800!"),
          assistant({ content: [{ type: "text", text: "Well." }], toolCalls: [broken] }),
          {
            role: "tool",
            returns: [{ callId: "call_2", name: "memory_insert", status: "error", output: "unreadable" }],
          },
          user("And?"),
        ],
      }),
    );
    expect(server.requests[0]?.body.messages.slice(1)).toEqual([
      {
        role: "user",
        name: "Ada",
        content: [
          { type: "text", text: "Look:" },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGVsbG8=" } },
          { type: "text", text: "[Image omitted]" },
        ],
      },
      { role: "system", content: "Memory is nearly full." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "memory_insert", arguments: json } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "done !" },
      {
        role: "assistant",
        content: "Well.",
        tool_calls: [{ id: "call_2", type: "function", function: { name: "memory_insert", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_2", content: "unreadable" },
      { role: "user", content: "And?" },
    ]);
  });

  test("ids from elsewhere that are too long are replaced alike in call and result", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    const id = `functions.memory_insert:${"9".repeat(60)}`;
    await collect(
      model,
      requestOf(chat, {
        messages: [
          assistant({ content: [], toolCalls: [{ id, name: "memory_insert", arguments: "{}" }] }),
          result(id, "memory_insert", "ok"),
        ],
      }),
    );
    const [, said, answered] = server.requests[0]?.body.messages ?? [];
    expect(said.tool_calls[0].id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(answered.tool_call_id).toBe(said.tool_calls[0].id);
  });

  test("text and parallel calls come in order and whole, with what they cost", async () => {
    const toolCalls = [
      { id: "call_a", name: "memory_insert", arguments: '{"label":"human","new_string":"Grüße \\"😀\\""}' },
      { id: "call_b", name: "conversation_search", arguments: '{"query":"tea","limit":12}' },
    ];
    const { model } = await start([{ text: "Let me see, 😀.", toolCalls }]);
    const { chunks, reply } = await collect(model, requestOf(chat));
    expect(reply).toEqual({
      content: [{ type: "text", text: "Let me see, 😀." }],
      toolCalls,
      finishReason: "tool-calls",
      usage: {
        promptTokens: 120,
        completionTokens: 30,
        totalTokens: 150,
        cachedTokens: 100,
        cacheWriteTokens: null,
        reasoningTokens: 12,
      },
    });
    expect(joinChunks(chunks)).toEqual({ text: "Let me see, 😀.", reasoning: "", calls: toolCalls });
    expect(chunks.findLastIndex(({ type }) => type === "text-delta")).toBeLessThan(
      chunks.findIndex(({ type }) => type === "tool-call-start"),
    );
  });

  test("calls without an id, or with one the conversation has used, get a new one", async () => {
    const name = "conversation_search";
    const { model } = await start([
      {
        toolCalls: [
          { id: null, name, arguments: "{}" },
          { id: "call_0", name, arguments: "{}" },
        ],
      },
    ]);
    const earlier = { id: "call_0", name, arguments: "{}" };
    const { reply, chunks } = await collect(
      model,
      requestOf(chat, { messages: [assistant({ content: [], toolCalls: [earlier] }), result("call_0", name, "")] }),
    );
    const ids = reply.toolCalls.map(({ id }) => id);
    expect(new Set([...ids, "call_0", ""]).size).toBe(4);
    expect(joinChunks(chunks).calls.map(({ id }) => id)).toEqual(ids);
  });

  test.for([
    ["what is not counted is null", { text: "Hi.", usage: { prompt: 3, completion: 2 } }, { finishReason: "stop" }],
    ["a length limit", { text: "Hi", finish: "length" }, { finishReason: "length" }],
    ["a filter", { text: "Hi", finish: "content_filter" }, { finishReason: "content-filter" }],
    [
      "a refusal",
      { refusal: "I cannot." },
      { content: [{ type: "text", text: "I cannot." }], finishReason: "content-filter" },
    ],
    ["nothing at all", {}, { content: [], toolCalls: [], finishReason: "stop" }],
    [
      "stop in spite of a call",
      { toolCalls: [{ name: "x", arguments: "{}" }], finish: "stop" },
      { finishReason: "tool-calls" },
    ],
    [
      "broken arguments",
      { toolCalls: [{ name: "x", arguments: '{"a": tru' }] },
      { toolCalls: [{ arguments: '{"a": tru' }] },
    ],
  ] as [string, WireAnswer, object][])("a reply with %s", async ([, answer, expected]) => {
    const { model } = await start([answer]);
    const { reply } = await collect(model, requestOf(chat));
    expect(reply).toMatchObject(expected);
  });

  test("uncounted replies cost nothing that is known", async () => {
    const { model } = await start([{ text: "Hi.", usage: null }]);
    const { reply } = await collect(model, requestOf(chat));
    expect(reply.usage).toEqual({
      promptTokens: 0,
      completionTokens: 0,
      totalTokens: 0,
      cachedTokens: null,
      cacheWriteTokens: null,
      reasoningTokens: null,
      isReported: false,
    });
  });

  test("any text and any arguments come through every split", async () => {
    const { server, model } = await start([]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), fc.json(), async (text, json) => {
        server.add({ text, toolCalls: [{ id: "call_x", name: "memory_insert", arguments: json }] });
        const { chunks, reply } = await collect(model, requestOf(chat));
        expect(reply.content).toEqual([{ type: "text", text }]);
        expect(reply.toolCalls).toEqual([{ id: "call_x", name: "memory_insert", arguments: json }]);
        expect(joinChunks(chunks)).toMatchObject({ text, calls: reply.toolCalls });
      }),
      { numRuns: 40 },
    );
  });
});

describe("Responses, for models that reason", () => {
  test("the request keeps nothing at the provider and asks for sealed reasoning", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf({ ...reasoner, strict: true }, { user: "user-1", parallelToolCalls: true }));
    expect(server.requests[0]?.path).toBe("/v1/responses");
    const [first, second] = requestOf(reasoner).tools.map((tool) => ({ type: "function", ...tool }));
    expect(server.requests[0]?.body).toEqual({
      model: "gpt-5-mini",
      input: [
        { role: "developer", content: "You are a careful agent." },
        { role: "user", content: [{ type: "input_text", text: "hello there" }] },
      ],
      tools: [
        { ...first, parameters: { ...first?.parameters, additionalProperties: false }, strict: true },
        { ...second, strict: false },
      ],
      tool_choice: "auto",
      parallel_tool_calls: false,
      max_output_tokens: 16_384,
      reasoning: { effort: "low", summary: "detailed" },
      text: { verbosity: "medium" },
      store: false,
      include: ["reasoning.encrypted_content"],
      user: "user-1",
      stream: true,
    });
  });

  test("reasoning goes back byte for byte, before what it led to", async () => {
    const seal = "gAAAAB+/=\u00fc\n".repeat(50);
    const toolCalls = [{ id: "call_1", name: "memory_insert", arguments: '{"label": "human"}' }];
    const { server, model } = await start([
      { reasoning: ["First **this**.", "Then that."], seal, toolCalls },
      { text: "Done." },
    ]);
    const first = await collect(model, requestOf(reasoner));
    expect(first.reply.content).toEqual([
      {
        type: "summarized-reasoning",
        id: "rs_1",
        summary: [
          { index: 0, text: "First **this**." },
          { index: 1, text: "Then that." },
        ],
        encrypted: seal,
      },
    ]);
    expect(joinChunks(first.chunks).reasoning).toBe("First **this**.\n\nThen that.");
    const messages = [user("hello there"), assistant(first.reply), result("call_1", "memory_insert", "ok")];
    await collect(model, requestOf(reasoner, { messages }));
    expect(server.requests[1]?.body.input.slice(2)).toEqual([
      {
        type: "reasoning",
        id: "rs_1",
        encrypted_content: seal,
        summary: [
          { type: "summary_text", text: "First **this**." },
          { type: "summary_text", text: "Then that." },
        ],
      },
      { type: "function_call", call_id: "call_1", name: "memory_insert", arguments: '{"label": "human"}' },
      { type: "function_call_output", call_id: "call_1", output: "ok" },
    ]);
  });

  test("reasoning without a summary goes back as well; that of others does not", async () => {
    const { server, model } = await start([{ reasoning: [], seal: "sealed", text: "Hi." }, { text: "Done." }]);
    const { reply } = await collect(model, requestOf(reasoner));
    const foreign: ContentPart[] = [
      { type: "reasoning", text: "hm", isNative: true, signature: "theirs" },
      { type: "redacted-reasoning", data: "theirs" },
      { type: "omitted-reasoning", signature: "theirs" },
      { type: "summarized-reasoning", id: "rs_0", summary: [{ index: 0, text: "never sealed" }] },
    ];
    const messages = [
      user("one"),
      assistant({ content: [...foreign, { type: "text", text: "Before." }], toolCalls: [] }),
      user("two"),
      assistant(reply),
      user("three"),
    ];
    await collect(model, requestOf(reasoner, { messages }));
    expect(server.requests[1]?.body.input.slice(2)).toEqual([
      { role: "assistant", content: "Before." },
      { role: "user", content: [{ type: "input_text", text: "two" }] },
      { type: "reasoning", id: "rs_1", encrypted_content: "sealed", summary: [] },
      { role: "assistant", content: "Hi." },
      { role: "user", content: [{ type: "input_text", text: "three" }] },
    ]);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain("theirs");
  });

  test("reasoning that another account sealed is left out when it is refused", async () => {
    const refusal = {
      status: 400,
      body: {
        error: {
          message: "The encrypted content for item rs_7 could not be verified.",
          type: "invalid_request_error",
          code: "invalid_encrypted_content",
        },
      },
    };
    const { server, model } = await start([{ failure: refusal }, { text: "Hi." }]);
    const sealed: ContentPart = { type: "summarized-reasoning", id: "rs_7", summary: [], encrypted: "foreign" };
    const messages = [
      user("one"),
      assistant({ content: [sealed, { type: "text", text: "Yes." }], toolCalls: [] }),
      user("two"),
    ];
    await collect(model, requestOf(reasoner, { messages }));
    expect(server.requests.map(({ body }) => JSON.stringify(body).includes("foreign"))).toEqual([true, false]);
  });

  test("an account that may not have summaries is asked for them once", async () => {
    const message = "Your organization must be verified to generate reasoning summaries.";
    const failure = {
      status: 400,
      body: { error: { message, type: "invalid_request_error", param: "reasoning.summary" } },
    };
    const { server, model } = await start([{ failure }, { text: "Hi." }, { text: "Again." }]);
    await collect(model, requestOf(reasoner));
    await collect(model, requestOf(reasoner));
    expect(server.requests.map(({ body }) => body.reasoning)).toEqual([
      { effort: "low", summary: "detailed" },
      { effort: "low" },
      { effort: "low" },
    ]);
  });

  test("alerts come from the developer, and a fast twin is the model on the quick queue", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    const alert: PromptMessage = { role: "system", content: [{ type: "text", text: "Nearly full." }] };
    const config = configOf("openai/gpt-5.4-fast");
    await collect(model, requestOf(config, { messages: [user("one"), alert] }));
    expect(server.requests[0]?.body).toMatchObject({ model: "gpt-5.4", service_tier: "priority" });
    expect(server.requests[0]?.body.input.at(-1)).toEqual({ role: "developer", content: "Nearly full." });
  });

  test.for([
    ["a refusal", { refusal: "No." }, { content: [{ type: "text", text: "No." }], finishReason: "content-filter" }],
    ["a length limit", { text: "So", finish: "max_output_tokens" }, { finishReason: "length" }],
    ["a filter", { text: "So", finish: "content_filter" }, { finishReason: "content-filter" }],
    ["nothing at all", {}, { content: [], toolCalls: [], finishReason: "stop" }],
    [
      "broken arguments",
      { toolCalls: [{ name: "x", arguments: '{"a": tru' }] },
      { toolCalls: [{ arguments: '{"a": tru' }] },
    ],
  ] as [string, WireAnswer, object][])("a reply with %s", async ([, answer, expected]) => {
    const { model } = await start([answer]);
    const { reply } = await collect(model, requestOf(reasoner));
    expect(reply).toMatchObject(expected);
  });
});

describe.for([
  ["Chat Completions", chat],
  ["Responses", reasoner],
] as const)("when %s fails", ([, config]) => {
  test.for([
    ["overflow", "llm-context-exceeded", 400, false],
    ["tooLarge", "llm-context-exceeded", 413, false],
    ["badRequest", "llm-bad-request", 400, false],
    ["wrongKey", "llm-authentication", 401, false],
    ["paymentRequired", "llm-insufficient-credits", 402, false],
    ["quota", "llm-insufficient-credits", 429, false],
    ["forbidden", "llm-error", 403, false],
    ["unknownModel", "llm-error", 404, false],
    ["rateLimit", "llm-rate-limit", 429, true],
    ["tooMuchAtOnce", "llm-rate-limit", 429, false],
    ["server", "llm-error", 500, true],
    ["overloaded", "llm-overloaded", 503, true],
    ["page", "llm-error", 502, true],
  ] as const)("%s is %s", async ([name, code, status, isRetryable]) => {
    const failure = openAiFailures[name];
    const { model } = await start([{ failure }]);
    const { error, chunks } = await collectFailure(model, requestOf(config));
    expect(chunks).toEqual([]);
    expect(error).toMatchObject({ code, details: { provider: "openai", model: config.model, status, isRetryable } });
    expect(error.details.retryAfterMs).toBe(name === "rateLimit" ? 7_000 : null);
    expect(error.message).not.toMatch(/sk-secr|<html>/);
    if ("body" in failure && typeof failure.body === "object" && name !== "wrongKey") {
      const { message } = (failure.body as { error: { message: string } }).error;
      expect(error.message).toContain(message);
    }
  });

  test("an error inside the stream is one, before the first word and after it", async () => {
    const failAt = (event: number) => ({
      text: "A long answer.",
      failAt: { event, type: "server_error", message: "Sorry." },
    });
    const { model } = await start([failAt(0), failAt(config === chat ? 4 : 7)]);
    const early = await collectFailure(model, requestOf(config));
    expect(early).toMatchObject({ chunks: [], error: { code: "llm-error", details: { isRetryable: true } } });
    const late = await collectFailure(model, requestOf(config));
    expect(late.error).toMatchObject({ code: "llm-error", details: { isRetryable: true } });
    expect(late.chunks.length).toBeGreaterThan(0);
  });

  test("a stream cut at any event is an error worth another try", async () => {
    const answer: WireAnswer = {
      reasoning: ["Hm."],
      seal: "sealed",
      text: "Well then.",
      toolCalls: [{ name: "memory_insert", arguments: '{"label":"human"}' }],
    };
    const whole = await start([answer]);
    await collect(whole.model, requestOf(config));
    for (const how of ["cutAfter", "endAfter"] as const) {
      const { server, model } = await start([]);
      for (let event = 0; ; event++) {
        server.add({ ...answer, [how]: event });
        const outcome = await Array.fromAsync(model.stream(requestOf(config), new AbortController().signal)).catch(
          (error: unknown) => error,
        );
        // What follows the word that it is done, the counts and the end mark, may be lost.
        if (Array.isArray(outcome)) {
          expect(event).toBeGreaterThan(10);
          break;
        }
        expect(outcome, `${how} ${event}`).toMatchObject({
          code: "llm-error",
          details: { isRetryable: true, status: null },
        });
      }
    }
  });

  test("a call that is given up reaches the provider, before and amid the answer", async () => {
    for (const held of [0, 6]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const controller = new AbortController();
      const reason = new Error("the user left");
      const gate = async (event: number) => {
        if (event !== held) return;
        controller.abort(reason);
        await promise;
      };
      const { server, model } = await start([{ text: "A rather long answer.", gate }]);
      await expect(Array.fromAsync(model.stream(requestOf(config), controller.signal))).rejects.toBe(reason);
      expect(await server.requests[0]?.left).toBe(true);
      resolve();
    }
  });

  test("whoever stops listening hangs up", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { server, model } = await start([
      { text: "A rather long answer.", gate: (event) => (event > 8 ? promise : Promise.resolve()) },
    ]);
    for await (const _ of model.stream(requestOf(config), new AbortController().signal)) break;
    expect(await server.requests[0]?.left).toBe(true);
    resolve();
  });
});
