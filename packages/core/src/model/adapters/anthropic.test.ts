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
  tools,
  user,
} from "../../testing/model-requests.ts";
import { anthropicFailures, type ScriptedAnthropic, startScriptedAnthropic } from "../../testing/scripted-anthropic.ts";
import type { WireAnswer } from "../../testing/scripted-server.ts";
import type { Model } from "../model.ts";
import { createModels } from "../providers.ts";

const off = { enabled: false, effort: null, budgetTokens: 0 };
const plain = configOf("anthropic/claude-sonnet-4-5-20250929", { reasoning: off });
const thinking = { ...plain, reasoning: { enabled: true, effort: null, budgetTokens: 2_048 } };
const adaptive = configOf("anthropic/claude-opus-4-6", { effort: "high" });
const ephemeral = { type: "ephemeral" };

async function start(script: readonly WireAnswer[]): Promise<{ server: ScriptedAnthropic; model: Model }> {
  const server = await startScriptedAnthropic(script);
  onTestFinished(() => server.close());
  const models = createModels(
    { anthropic: { apiKey: "test-key-0042", baseUrl: server.baseUrl } },
    { retries: { tries: 1 } },
  );
  return { server, model: models.get(plain) };
}

describe("a request", () => {
  test("marks what later turns share: the system text, the tools, all that was said", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(plain));
    expect(server.requests[0]).toMatchObject({ method: "POST", path: "/v1/messages" });
    expect(server.requests[0]?.headers).toMatchObject({
      "x-api-key": "test-key-0042",
      "anthropic-version": "2023-06-01",
    });
    expect(server.requests[0]?.body).toEqual({
      model: "claude-sonnet-4-5-20250929",
      max_tokens: 16_384,
      temperature: 1,
      system: [{ type: "text", text: "You are a careful agent.", cache_control: ephemeral }],
      messages: [{ role: "user", content: [{ type: "text", text: "hello there", cache_control: ephemeral }] }],
      tools: tools.map(({ name, description, parameters }, index) => ({
        name,
        description,
        input_schema: parameters,
        eager_input_streaming: true,
        ...(index === tools.length - 1 ? { cache_control: ephemeral } : {}),
      })),
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      stream: true,
    });
  });

  test("thinking takes a budget out of the limit, and cannot be forced to call a tool", async () => {
    const { server, model } = await start([{ text: "Hi." }, { text: "Hi." }]);
    await collect(
      model,
      requestOf({ ...thinking, temperature: 0.2 }, { toolChoice: "required", parallelToolCalls: true }),
    );
    await collect(model, requestOf({ ...thinking, maxOutputTokens: 2_000 }, { toolChoice: { tool: "memory_insert" } }));
    const [first, second] = server.requests;
    expect(first?.body).toMatchObject({
      max_tokens: 16_384,
      thinking: { type: "enabled", budget_tokens: 2_048 },
      tool_choice: { type: "auto", disable_parallel_tool_use: false },
    });
    expect(first?.body.temperature ?? 1).toBe(1);
    expect(first?.headers["anthropic-beta"]).toContain("interleaved-thinking-2025-05-14");
    expect(second?.body.max_tokens).toBeGreaterThan(2_048);
    expect(second?.body.tool_choice.type).toBe("auto");
    expect(second?.body.tools).toHaveLength(2);
  });

  test("the newer models decide for themselves how long to think, or not to", async () => {
    const { server, model } = await start([{ text: "Hi." }, { text: "Hi." }]);
    await collect(model, requestOf(adaptive));
    await collect(model, requestOf({ ...adaptive, reasoning: off }, { toolChoice: "required" }));
    expect(server.requests[0]?.body).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
      max_tokens: 21_000,
    });
    expect(server.requests[1]?.body).toMatchObject({ thinking: { type: "disabled" }, tool_choice: { type: "any" } });
  });

  test.for([
    ["required", { type: "any", disable_parallel_tool_use: true }],
    [{ tool: "memory_insert" }, { type: "tool", name: "memory_insert", disable_parallel_tool_use: true }],
    ["none", { type: "none" }],
  ] as const)("without thinking the choice %j is put as %j", async ([toolChoice, sent]) => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(plain, { toolChoice }));
    expect(server.requests[0]?.body.tool_choice).toEqual(sent);
  });

  test("strict holds for schemas that are, as long as they are few", async () => {
    const { server, model } = await start([{ text: "Hi." }, { text: "Hi." }]);
    const strict = { ...plain, strict: true };
    await collect(model, requestOf(strict));
    const many = Array.from({ length: 16 }, (_, index) => ({ ...tools[0], name: `tool_${index}` })) as typeof tools;
    await collect(model, requestOf(strict, { tools: many }));
    expect(server.requests[0]?.body.tools.map((tool: { strict?: boolean }) => tool.strict ?? false)).toEqual([
      true,
      false,
    ]);
    expect(server.requests[1]?.body.tools.some((tool: object) => "strict" in tool)).toBe(false);
  });

  test("a conversation arrives as it was, alerts as events, results in one turn", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    const call = (id: string) => ({ id, name: "memory_insert", arguments: '{"label": "human"}' });
    const alert: PromptMessage = { role: "system", content: [{ type: "text", text: "Full. </event> <EVENT>" }] };
    await collect(
      model,
      requestOf(plain, {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: " \n" },
              { type: "text", text: "Look:" },
              { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
              { type: "image", source: { type: "base64", mediaType: "image/jpg", data: "aGVsbG8=" } },
              { type: "image", source: { type: "url", url: "data:image/webp;base64,aGVsbG8=" } },
            ],
          },
          assistant({
            content: [{ type: "text", text: "Two things. " }],
            toolCalls: [call("toolu_1"), call("fn.x:2")],
          }),
          result("toolu_1", "memory_insert", "one"),
          { role: "tool", returns: [{ callId: "fn.x:2", name: "memory_insert", status: "error", output: "two" }] },
          alert,
        ],
      }),
    );
    const [first, second, third] = server.requests[0]?.body.messages ?? [];
    expect(first.content).toEqual([
      { type: "text", text: "Look:" },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "aGVsbG8=" } },
      { type: "image", source: { type: "base64", media_type: "image/webp", data: "aGVsbG8=" } },
    ]);
    const foreign = second.content[2].id;
    expect(foreign).toMatch(/^call_[0-9a-f]{24}$/);
    expect(second.content).toEqual([
      { type: "text", text: "Two things. " },
      { type: "tool_use", id: "toolu_1", name: "memory_insert", input: { label: "human" } },
      { type: "tool_use", id: foreign, name: "memory_insert", input: { label: "human" } },
    ]);
    expect(third).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "one" },
        { type: "tool_result", tool_use_id: foreign, content: "two", is_error: true },
        {
          type: "text",
          text: "<event>\nSYSTEM ALERT: Full. &lt;/event> &lt;EVENT>\n</event>",
          cache_control: ephemeral,
        },
      ],
    });
  });

  test("a conversation that the assistant began is opened for it", async () => {
    const { server, model } = await start([{ text: "Hi." }, { text: "Hi." }]);
    await collect(
      model,
      requestOf(plain, {
        messages: [assistant({ content: [{ type: "text", text: "Hello!" }], toolCalls: [] }), user("Hi.")],
      }),
    );
    await collect(model, requestOf(plain, { system: "", messages: [] }));
    for (const { body } of server.requests) expect(body.messages[0].role).toBe("user");
    expect(server.requests[0]?.body.messages).toHaveLength(3);
  });

  test("each turn repeats the one before to the byte, marks apart", async () => {
    const answers: WireAnswer[] = [
      {
        reasoning: ["Hm."],
        seal: "sig-1",
        text: "One moment. ",
        toolCalls: [{ id: "toolu_1", name: "memory_insert", arguments: '{"b": 1, "a": 2}' }],
      },
      { reasoning: ["Ah."], seal: "sig-2", text: "Done." },
      { text: "Bye." },
    ];
    const { server, model } = await start(answers);
    let messages: PromptMessage[] = [user("one")];
    for (const next of [result("toolu_1", "memory_insert", "ok"), user("two"), undefined]) {
      const { reply } = await collect(model, requestOf(thinking, { messages }));
      if (next) messages = [...messages, assistant(reply), next];
    }
    const bodies = server.requests.map(({ body }) => withoutMarks(body));
    for (const [index, body] of bodies.entries()) {
      expect(count(server.requests[index]?.body, "cache_control")).toBe(3);
      const before = bodies[index - 1];
      if (!before) continue;
      expect(JSON.stringify([body.system, body.tools])).toBe(JSON.stringify([before.system, before.tools]));
      expect(JSON.stringify(body.messages).startsWith(JSON.stringify(before.messages).slice(0, -1))).toBe(true);
    }
  });
});

// biome-ignore lint/suspicious/noExplicitAny: bodies of requests
function withoutMarks(body: any): any {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)));
}

function count(body: unknown, word: string): number {
  return JSON.stringify(body).split(`"${word}"`).length - 1;
}

describe("thinking", () => {
  test("goes back signed and sealed as it came", async () => {
    const signature = "EqQBCgIYAhIk+/=".repeat(40);
    const toolCalls = [{ id: "toolu_1", name: "memory_insert", arguments: '{"label":"human"}' }];
    const { server, model } = await start([
      {
        reasoning: ["\n Let me weigh this.\u00fc \n"],
        seal: signature,
        redacted: "c2VhbGVk+/=",
        text: "So.",
        toolCalls,
      },
      { text: "Done." },
    ]);
    const { reply, chunks } = await collect(model, requestOf(thinking));
    expect(reply.content).toEqual([
      { type: "reasoning", text: "\n Let me weigh this.\u00fc \n", signature, isNative: true },
      { type: "redacted-reasoning", data: "c2VhbGVk+/=" },
      { type: "text", text: "So." },
    ]);
    expect(joinChunks(chunks)).toMatchObject({
      reasoning: "\n Let me weigh this.\u00fc \n",
      text: "So.",
      calls: toolCalls,
    });
    await collect(
      model,
      requestOf(thinking, { messages: [user("a"), assistant(reply), result("toolu_1", "x", "ok")] }),
    );
    expect(server.requests[1]?.body.messages[1].content).toEqual([
      { type: "thinking", thinking: "\n Let me weigh this.\u00fc \n", signature },
      { type: "redacted_thinking", data: "c2VhbGVk+/=" },
      { type: "text", text: "So." },
      { type: "tool_use", id: "toolu_1", name: "memory_insert", input: { label: "human" } },
    ]);
  });

  test("that is not shown keeps its signature", async () => {
    const { server, model } = await start([{ reasoning: [""], seal: "sig", text: "So." }, { text: "Done." }]);
    const { reply } = await collect(model, requestOf(adaptive));
    expect(reply.content[0]).toEqual({ type: "omitted-reasoning", signature: "sig" });
    await collect(model, requestOf(adaptive, { messages: [user("a"), assistant(reply), user("b")] }));
    expect(server.requests[1]?.body.messages[1].content[0]).toEqual({
      type: "thinking",
      thinking: "",
      signature: "sig",
    });
  });

  test("of other models stays behind, unsigned thoughts too", async () => {
    const { server, model } = await start([{ text: "Done." }]);
    const content: ContentPart[] = [
      { type: "reasoning", text: "theirs", isNative: true },
      { type: "reasoning", text: "theirs", isNative: false, signature: "x" },
      { type: "summarized-reasoning", id: "rs_1", summary: [{ index: 0, text: "theirs" }], encrypted: "theirs" },
      { type: "omitted-reasoning" },
      { type: "text", text: "So." },
    ];
    await collect(model, requestOf(plain, { messages: [user("a"), assistant({ content, toolCalls: [] }), user("b")] }));
    expect(server.requests[0]?.body.messages[1].content).toEqual([{ type: "text", text: "So." }]);
  });

  test("whose signature is refused is left out, and the turn ends without thinking", async () => {
    const { server, model } = await start([{ failure: anthropicFailures.badSignature }, { text: "Done." }]);
    const content: ContentPart[] = [{ type: "reasoning", text: "hm", isNative: true, signature: "foreign" }];
    const toolCalls = [{ id: "toolu_1", name: "memory_insert", arguments: "{}" }];
    const messages = [user("a"), assistant({ content, toolCalls }), result("toolu_1", "memory_insert", "ok")];
    await collect(model, requestOf(thinking, { messages }));
    expect(server.requests.map(({ body }) => JSON.stringify(body).includes("foreign"))).toEqual([true, false]);
    expect(server.requests.map(({ body }) => body.thinking?.type)).toEqual(["enabled", undefined]);
  });
});

describe("a reply", () => {
  test("counts what was read from the cache and written to it", async () => {
    const { model } = await start([{ text: "Hi." }, { text: "Hi.", usage: { prompt: 9, completion: 4 } }]);
    expect((await collect(model, requestOf(plain))).reply.usage).toEqual({
      promptTokens: 120,
      completionTokens: 30,
      totalTokens: 150,
      cachedTokens: 100,
      cacheWriteTokens: 7,
      reasoningTokens: null,
    });
    expect((await collect(model, requestOf(plain))).reply.usage).toMatchObject({
      promptTokens: 9,
      cachedTokens: null,
      cacheWriteTokens: null,
    });
  });

  test.for([
    ["a refusal", { refusal: "" }, { content: [], finishReason: "content-filter" }],
    ["a length limit", { text: "So", finish: "max_tokens" }, { finishReason: "length" }],
    ["nothing at all", {}, { content: [], toolCalls: [], finishReason: "stop" }],
    ["an empty text", { text: "" }, { content: [], finishReason: "stop" }],
    ["no arguments", { toolCalls: [{ name: "x", arguments: "" }] }, { toolCalls: [{ arguments: "{}" }] }],
    [
      "broken arguments",
      { toolCalls: [{ name: "x", arguments: '{"a": tru' }] },
      { toolCalls: [{ arguments: '{"a": tru' }] },
    ],
  ] as [string, WireAnswer, object][])("with %s", async ([, answer, expected]) => {
    const { model } = await start([answer]);
    const { reply, chunks } = await collect(model, requestOf(plain));
    expect(reply).toMatchObject(expected);
    expect(joinChunks(chunks).calls).toEqual(reply.toolCalls);
  });

  test("with events nobody knows yet is a reply all the same", async () => {
    const { server } = await start([{ text: "Hi." }]);
    const odd: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      const text = await response.text();
      const extra = 'event: weather_report\ndata: {"type":"weather_report","sky":"blue"}\n\n';
      return new Response(text.replace("event: content_block_start", `${extra}event: content_block_start`), response);
    };
    const models = createModels({ anthropic: { apiKey: "k", baseUrl: server.baseUrl } }, { fetch: odd });
    const { reply } = await collect(models.get(plain), requestOf(plain));
    expect(reply.content).toEqual([{ type: "text", text: "Hi." }]);
  });

  test("comes through every split", async () => {
    const { server, model } = await start([]);
    const word = fc.string({ unit: "grapheme", minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        word,
        word,
        fc.object().map((value) => JSON.stringify(value)),
        async (thought, text, json) => {
          server.add({
            reasoning: [thought],
            seal: text,
            text,
            toolCalls: [{ id: "toolu_x", name: "x", arguments: json }],
          });
          const { chunks, reply } = await collect(model, requestOf(thinking));
          expect(reply.content).toEqual([
            { type: "reasoning", text: thought, signature: text, isNative: true },
            { type: "text", text },
          ]);
          expect(joinChunks(chunks)).toEqual({
            text,
            reasoning: thought,
            calls: [{ id: "toolu_x", name: "x", arguments: json }],
          });
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a failure", () => {
  test.for([
    ["overflow", "llm-context-exceeded", 400, false],
    ["overflowWithOutput", "llm-context-exceeded", 400, false],
    ["tooLarge", "llm-context-exceeded", 413, false],
    ["badRequest", "llm-bad-request", 400, false],
    ["wrongKey", "llm-authentication", 401, false],
    ["poor", "llm-insufficient-credits", 400, false],
    ["paymentRequired", "llm-insufficient-credits", 402, false],
    ["forbidden", "llm-error", 403, false],
    ["unknownModel", "llm-error", 404, false],
    ["rateLimit", "llm-rate-limit", 429, true],
    ["server", "llm-error", 500, true],
    ["overloaded", "llm-overloaded", 529, true],
    ["page", "llm-error", 502, true],
  ] as const)("%s is %s", async ([name, code, status, isRetryable]) => {
    const { model } = await start([{ failure: anthropicFailures[name] }]);
    const { error, chunks } = await collectFailure(model, requestOf(plain));
    expect(chunks).toEqual([]);
    expect(error).toMatchObject({ code, details: { provider: "anthropic", model: plain.model, status, isRetryable } });
    expect(error.details.retryAfterMs).toBe(name === "rateLimit" ? 11_000 : null);
  });

  test("that quotes the key is told without it", async () => {
    const body = { type: "error", error: { type: "authentication_error", message: "test-key-0042 is not known" } };
    const { model } = await start([{ failure: { status: 401, body } }]);
    const { error } = await collectFailure(model, requestOf(plain));
    expect(error.message).toBe("anthropic answered 401: *** is not known");
  });

  test("in the stream is one, before the first word and after it", async () => {
    const failAt = (event: number) => ({
      text: "A long answer.",
      failAt: { event, type: "overloaded_error", message: "Overloaded" },
    });
    const { model } = await start([failAt(0), failAt(5)]);
    const early = await collectFailure(model, requestOf(plain));
    expect(early).toMatchObject({ chunks: [], error: { code: "llm-overloaded", details: { isRetryable: true } } });
    const late = await collectFailure(model, requestOf(plain));
    expect(late.error).toMatchObject({ code: "llm-overloaded", details: { isRetryable: true } });
    expect(late.chunks.length).toBeGreaterThan(0);
  });

  test.for(["cutAfter", "endAfter"] as const)("a stream cut at any event is worth another try (%s)", async (how) => {
    const answer: WireAnswer = {
      reasoning: ["Hm."],
      seal: "sig",
      text: "Well then.",
      toolCalls: [{ name: "memory_insert", arguments: '{"label":"human"}' }],
    };
    const { server, model } = await start([]);
    for (let event = 0; ; event++) {
      server.add({ ...answer, [how]: event });
      const outcome = await collect(model, requestOf(thinking)).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) {
        expect(event).toBeGreaterThan(15);
        break;
      }
      expect(outcome, String(event)).toMatchObject({ code: "llm-error", details: { isRetryable: true, status: null } });
    }
  });

  test("a call that is given up reaches the provider, before and amid the answer", async () => {
    for (const held of [0, 5]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const controller = new AbortController();
      const reason = new Error("the user left");
      const gate = async (event: number) => {
        if (event !== held) return;
        controller.abort(reason);
        await promise;
      };
      const { server, model } = await start([{ text: "A rather long answer.", gate }]);
      await expect(Array.fromAsync(model.stream(requestOf(plain), controller.signal))).rejects.toBe(reason);
      expect(await server.requests[0]?.left).toBe(true);
      resolve();
    }
  });
});
