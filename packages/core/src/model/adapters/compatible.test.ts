import { describe, expect, onTestFinished, test } from "vitest";
import type { ContentPart, PromptMessage } from "../../shared/content.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
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
import { type LocalManners, localFailures, startScriptedOllama } from "../../testing/scripted-ollama.ts";
import type { ScriptedServer, WireAnswer } from "../../testing/scripted-server.ts";
import type { Model } from "../model.ts";
import { createModels } from "../providers.ts";

function configFor(provider: string, model = "some-model", changes: Partial<ModelConfig> = {}): ModelConfig {
  const handle = `${provider}/${model}`;
  const reasoning = { enabled: false, effort: null, budgetTokens: 0 };
  return {
    ...configOf("openai/gpt-4o-mini", { reasoning, maxOutputTokens: 4_096 }),
    ...{ handle, provider, model, endpointKind: provider, endpoint: null },
    ...changes,
  };
}

interface Started {
  readonly server: ScriptedServer;
  readonly model: Model;
  readonly config: ModelConfig;
}

async function start(config: ModelConfig, script: readonly WireAnswer[], manners?: LocalManners): Promise<Started> {
  const server = await startScriptedOllama(script, manners);
  onTestFinished(() => server.close());
  const access = { [config.provider ?? ""]: { apiKey: "test-key-0042", baseUrl: `${server.origin}/v1` } };
  return { server, model: createModels(access, { retries: { tries: 1 } }).get(config), config };
}

const ollama = configFor("ollama", "qwen3:8b");
const call = (name: string, args: string, id?: string | null) => ({
  name,
  arguments: args,
  ...(id === undefined ? {} : { id }),
});

describe("a request to Ollama's Chat Completions", () => {
  test("is what the server documents", async () => {
    const { server, model } = await start(ollama, [{ text: "Hi." }]);
    await collect(model, requestOf(ollama, { user: "user-1" }));
    expect(server.requests[0]).toMatchObject({ method: "POST", path: "/v1/chat/completions" });
    expect(server.requests[0]?.body).toEqual({
      model: "qwen3:8b",
      messages: [
        { role: "system", content: "You are a careful agent." },
        { role: "user", content: "hello there" },
      ],
      tools: tools.map((tool) => ({ type: "function", function: tool })),
      tool_choice: "auto",
      temperature: 1,
      max_tokens: 4_096,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("carries a conversation in turns, without thoughts and without halves of characters", async () => {
    const { server, model } = await start(ollama, [{ text: "Hi." }]);
    const image: ContentPart = { type: "image", source: { type: "base64", mediaType: "image/png", data: "aGk=" } };
    const messages: PromptMessage[] = [
      { role: "user", content: [{ type: "text", text: "Look \ud83d here" }, image] },
      assistant({
        content: [
          { type: "reasoning", text: "private", isNative: true },
          { type: "text", text: "Saving." },
        ],
        toolCalls: [{ id: "call 1", name: "memory_insert", arguments: '{"label": "human"}' }],
      }),
      result("call 1", "memory_insert", "ok"),
      assistant({ content: [], toolCalls: [{ id: "c2", name: "memory_insert", arguments: "not json" }] }),
      result("c2", "memory_insert", "unreadable"),
      { role: "system", content: [{ type: "text", text: "Nearly full." }] },
      user("And now?"),
    ];
    await collect(model, requestOf(ollama, { system: "", messages }));
    const id = server.requests[0]?.body.messages[1].tool_calls[0].id;
    expect(id).toMatch(/^[\w-]+$/);
    expect(server.requests[0]?.body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Look  here" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
        ],
      },
      {
        role: "assistant",
        content: "Saving.",
        tool_calls: [{ id, type: "function", function: { name: "memory_insert", arguments: '{"label": "human"}' } }],
      },
      { role: "tool", tool_call_id: id, content: "ok" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c2", type: "function", function: { name: "memory_insert", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c2", content: "unreadable" },
      { role: "user", content: "<event>\nSYSTEM ALERT: Nearly full.\n</event>\n\nAnd now?" },
    ]);
  });

  test("repeats the one before it to the byte", async () => {
    const { server, model } = await start(ollama, [
      { text: "One. ", toolCalls: [call("memory_insert", '{"b": 1}', "c1")] },
      { text: "Done." },
    ]);
    const { reply } = await collect(model, requestOf(ollama));
    const messages = [user("hello there"), assistant(reply), result("c1", "memory_insert", "ok")];
    await collect(model, requestOf(ollama, { messages }));
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body.messages).slice(0, -1));
    expect(second?.startsWith(first ?? "")).toBe(true);
  });
});

describe("what a provider needs otherwise", () => {
  async function sentTo(config: ModelConfig, changes: Partial<Parameters<typeof requestOf>[1]> = {}) {
    const { server, model } = await start(config, [{ text: "Hi." }]);
    await collect(model, requestOf(config, changes));
    return server.requests[0]?.body;
  }
  const named = { toolChoice: { tool: "memory_insert" } } as const;

  test.for([
    ["vllm", "auto"],
    ["together", "auto"],
    ["groq", "required"],
    ["openrouter", "required"],
    ["ollama", { type: "function", function: { name: "memory_insert" } }],
    ["deepseek", { type: "function", function: { name: "memory_insert" } }],
  ] as const)("%s is told to call a certain tool as %j", async ([provider, sent]) => {
    expect((await sentTo(configFor(provider), named)).tool_choice).toEqual(sent);
  });

  test("MLX models choose tools by themselves", async () => {
    const config = configFor("lmstudio_openai", "m", { weightsFormat: "mlx" });
    expect((await sentTo(config, { toolChoice: "required" })).tool_choice).toBe("auto");
  });

  test.for([
    ["groq", "max_completion_tokens"],
    ["xai", "max_completion_tokens"],
    ["cerebras", "max_completion_tokens"],
    ["zai", "max_tokens"],
    ["baseten", "max_tokens"],
    ["mistral", "max_tokens"],
    ["deepseek", "max_tokens"],
  ] as const)("%s calls the limit %s", async ([provider, field]) => {
    expect(await sentTo(configFor(provider))).toHaveProperty(field, 4_096);
  });

  test("penalties and temperatures stay behind where they are refused", async () => {
    const penalty = { frequencyPenalty: 0.5 };
    expect(await sentTo(configFor("xai", "grok-3", penalty))).toHaveProperty("frequency_penalty", 0.5);
    expect(await sentTo(configFor("xai", "grok-3-mini", penalty))).not.toHaveProperty("frequency_penalty");
    const reasoner = await sentTo(configFor("deepseek", "deepseek-reasoner", penalty));
    expect(reasoner).not.toHaveProperty("temperature");
    expect(reasoner).not.toHaveProperty("frequency_penalty");
    expect(await sentTo(configFor("deepseek", "deepseek-chat"))).toHaveProperty("temperature", 1);
  });

  const on = { enabled: true, effort: null, budgetTokens: 0 };
  test.for([
    ["zai", "glm-4.6", on, { thinking: { type: "enabled" } }],
    ["zai", "glm-4.6", { ...on, enabled: false }, { thinking: { type: "disabled" } }],
    ["zai_coding", "glm-5", on, { thinking: { type: "enabled" } }],
    ["openrouter", "openai/gpt-5-mini", { ...on, effort: "low" }, { reasoning: { effort: "low" } }],
    ["openrouter", "anthropic/claude-sonnet-4.5", { ...on, budgetTokens: 2_000 }, { reasoning: { max_tokens: 2_000 } }],
    ["openrouter", "z-ai/glm-4.6", on, { reasoning: { enabled: true } }],
    ["openrouter", "z-ai/glm-4.6", { ...on, enabled: false }, { reasoning: { enabled: false } }],
    ["groq", "openai/gpt-oss-120b", { ...on, effort: "xhigh" }, { reasoning_effort: "high" }],
    ["xai", "grok-3-mini", { ...on, effort: "minimal" }, { reasoning_effort: "low" }],
    ["baseten", "moonshotai/Kimi-K2.5", on, { chat_template_args: { thinking: true } }],
  ] as const)("%s is told how %s is to think: %j", async ([provider, model, reasoning, sent]) => {
    expect(await sentTo(configFor(provider, model, { reasoning }))).toMatchObject(sent);
  });

  test.for(["groq", "ollama", "openrouter", "deepseek", "vllm"])(
    "%s is told nothing about thinking for a model that does not",
    async (provider) => {
      const reasoning = { enabled: true, effort: "high", budgetTokens: 500 } as const;
      const body = await sentTo(configFor(provider, "llama-3.3-70b", { reasoning }));
      for (const field of ["thinking", "reasoning", "reasoning_effort"]) expect(body).not.toHaveProperty(field);
    },
  );

  test("DeepSeek sees its thoughts again until the turn ends; others never do", async () => {
    const thought: ContentPart = { type: "reasoning", text: "hm", isNative: true };
    const one = { id: "c1", name: "memory_insert", arguments: '{"a":1}' };
    const two = { id: "c2", name: "memory_insert", arguments: '{"a":2}' };
    const messages = [
      user("one"),
      assistant({ content: [thought, { type: "text", text: "Yes." }], toolCalls: [] }),
      user("two"),
      assistant({ content: [thought], toolCalls: [one] }),
      result("c1", "memory_insert", "ok"),
      assistant({ content: [], toolCalls: [two] }),
      result("c2", "memory_insert", "ok"),
    ];
    const thoughtsOf = async (provider: string) => {
      const body = await sentTo(configFor(provider), { system: "", messages });
      const said = body.messages.filter(({ role }: { role: string }) => role === "assistant");
      return said.map((message: object) => ("reasoning_content" in message ? message.reasoning_content : null));
    };
    expect(await thoughtsOf("deepseek")).toEqual([null, "hm", ""]);
    for (const provider of ["groq", "zai", "ollama"]) expect(await thoughtsOf(provider)).toEqual([null, null, null]);
  });

  test("Mistral takes ids of nine characters, and is not asked to count", async () => {
    const calls = [{ id: "call_0123456789", name: "memory_insert", arguments: '{"a":1}' }];
    const messages = [user("a"), assistant({ content: [], toolCalls: calls }), result("call_0123456789", "x", "ok")];
    const body = await sentTo(configFor("mistral"), { messages });
    const [, , said, answered] = body.messages;
    expect(said.tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(answered.tool_call_id).toBe(said.tool_calls[0].id);
    expect(body).not.toHaveProperty("stream_options");
  });

  test("gpt-oss gets an empty text instead of none, Baseten something instead of an empty one", async () => {
    const calls = [{ id: "c1", name: "memory_insert", arguments: '{"a":1}' }];
    const messages = [user("a"), assistant({ content: [], toolCalls: calls }), result("c1", "memory_insert", "")];
    const oss = await sentTo(configFor("groq", "openai/gpt-oss-20b"), { system: "", messages });
    expect(oss.messages[1].content).toBe("");
    const baseten = await sentTo(configFor("baseten"), { system: "", messages });
    expect(baseten.messages[2].content).toBe("(empty)");
    expect(baseten.tools[0].function.strict).toBe(true);
  });
});

describe("a reply of a local server", () => {
  test.for([
    ["in a field", { thoughts: "reasoning" }],
    ["in DeepSeek's field", { thoughts: "reasoning_content" }],
    ["in tags", { thoughts: "tags" }],
  ] as const)("has its thoughts apart when they come %s", async ([, manners]) => {
    const { model } = await start(ollama, [{ reasoning: ["Let me see."], text: "Hello." }], manners);
    const { reply, chunks } = await collect(model, requestOf(ollama));
    expect(reply.content).toEqual([
      { type: "reasoning", text: "Let me see.", isNative: true },
      { type: "text", text: "Hello." },
    ]);
    expect(joinChunks(chunks)).toMatchObject({ reasoning: "Let me see.", text: "Hello." });
  });

  test.for(["text", "object", "text-in-text"] as const)("has its calls when arguments are %s", async (form) => {
    const toolCalls = [call("memory_insert", '{"label":"human"}', "c1"), call("conversation_search", "{}", "c2")];
    const { model } = await start(ollama, [{ toolCalls }], { arguments: form });
    const { reply, chunks } = await collect(model, requestOf(ollama));
    expect(reply).toMatchObject({
      finishReason: "tool-calls",
      toolCalls: [
        { id: "c1", name: "memory_insert", arguments: '{"label":"human"}' },
        { id: "c2", name: "conversation_search", arguments: "{}" },
      ],
    });
    expect(joinChunks(chunks).calls).toEqual(reply.toolCalls);
  });

  test("has ids of its own for calls without one, and for ids that were used before", async () => {
    const same = { toolCalls: [call("memory_insert", "{}", null), call("memory_insert", "{}", null)] };
    const { model } = await start(ollama, [same, { toolCalls: [call("memory_insert", "{}", "0")] }]);
    const { reply } = await collect(model, requestOf(ollama));
    expect(new Set(reply.toolCalls.map(({ id }) => id)).size).toBe(2);
    const calls = [{ id: "0", name: "memory_insert", arguments: "{}" }];
    const messages = [user("a"), assistant({ content: [], toolCalls: calls }), result("0", "memory_insert", "ok")];
    const second = await collect(model, requestOf(ollama, { messages }));
    expect(second.reply.toolCalls[0]?.id).toMatch(/^call_/);
  });

  test("says so when nothing was counted", async () => {
    const { model } = await start(ollama, [{ text: "Hi.", usage: null }, { text: "Hi." }]);
    const uncounted = await collect(model, requestOf(ollama));
    expect(uncounted.reply.usage).toMatchObject({ promptTokens: 0, completionTokens: 0, isReported: false });
    const counted = await collect(model, requestOf(ollama));
    expect(counted.reply.usage).toMatchObject({ promptTokens: 120, completionTokens: 30, totalTokens: 150 });
    expect(counted.reply.usage).not.toHaveProperty("isReported");
  });

  test.for([undefined, "Saving."])(
    "is asked for once more, whole, when the stream lost a call after %j",
    async (text) => {
      const toolCalls = [call("memory_insert", '{"label":"human"}', "c1")];
      const answer = { toolCalls, ...(text === undefined ? {} : { text }) };
      const { server, model } = await start(ollama, [answer, answer], { losesCalls: true });
      const { reply } = await collect(model, requestOf(ollama));
      expect(reply.toolCalls).toEqual(toolCalls);
      expect(reply.content).toEqual(text === undefined ? [] : [{ type: "text", text }]);
      expect(server.requests.map(({ body }) => body.stream)).toEqual([true, false]);
    },
  );

  test("that says something, or was cut at its limit, is not asked for again", async () => {
    const { server, model } = await start(ollama, [{ text: "Hi." }, { finish: "length" }], { losesCalls: true });
    await collect(model, requestOf(ollama));
    await collect(model, requestOf(ollama));
    expect(server.requests).toHaveLength(2);
  });

  test.for([
    ['{"name": "memory_insert", "arguments": {"label": "human"}}', true],
    ['\n{"name":"memory_insert","parameters":{"label":"human"}}\n', true],
    ['{"arguments": "{\\"label\\": \\"human\\"}", "name": "memory_insert"}', true],
    ['{"name": "other_tool", "arguments": {"label": "human"}}', false],
    ['{"name": "memory_insert"}', false],
    ['{"name": "memory_insert", "arguments": {}, "why": "because"}', false],
    ['Call: {"name": "memory_insert", "arguments": {"label": "human"}}', false],
    ['{"name": "memory_insert", "arguments": {"label": "human"}} Done.', false],
    ["{ not json", false],
  ] as const)("that wrote %j is a call: %s", async ([text, isCall]) => {
    const { model } = await start(ollama, [{ text }]);
    const { reply, chunks } = await collect(model, requestOf(ollama));
    if (isCall) {
      expect(reply).toMatchObject({ content: [], finishReason: "tool-calls" });
      expect(JSON.parse(reply.toolCalls[0]?.arguments ?? "")).toEqual({ label: "human" });
      expect(joinChunks(chunks).text).toBe("");
    } else {
      expect(reply).toMatchObject({ content: [{ type: "text", text }], toolCalls: [] });
      expect(joinChunks(chunks).text).toBe(text);
    }
  });

  test("of a host is never taken for a call it wrote down", async () => {
    const text = '{"name": "memory_insert", "arguments": {"label": "human"}}';
    const config = configFor("groq");
    const { model } = await start(config, [{ text }]);
    expect((await collect(model, requestOf(config))).reply.toolCalls).toEqual([]);
  });

  test("with broken arguments keeps them for the model to be told", async () => {
    const { model } = await start(ollama, [{ toolCalls: [call("memory_insert", '{"a": tru', "c1")] }]);
    expect((await collect(model, requestOf(ollama))).reply.toolCalls[0]?.arguments).toBe('{"a": tru');
  });
});

describe("a model without tools", () => {
  test.for([
    ["ollama", localFailures.ollamaNoTools],
    ["vllm", localFailures.vllmNoTools],
    ["openrouter", localFailures.openRouterNoTools],
  ] as const)("on %s is asked once more without them", async ([provider, failure]) => {
    const config = configFor(provider);
    const { server, model } = await start(config, [{ failure }, { text: "Hi." }]);
    const calls = [{ id: "c1", name: "memory_insert", arguments: '{"a":1}' }];
    const messages = [user("a"), assistant({ content: [], toolCalls: calls }), result("c1", "memory_insert", "ok")];
    const { reply } = await collect(model, requestOf(config, { messages }));
    expect(reply.content).toEqual([{ type: "text", text: "Hi." }]);
    const [first, second] = server.requests.map(({ body }) => body);
    expect(first).toHaveProperty("tools");
    for (const field of ["tools", "tool_choice"]) expect(second).not.toHaveProperty(field);
    expect(JSON.stringify(second.messages)).not.toMatch(/tool_calls|"role":"tool"/);
    expect(JSON.stringify(second.messages)).toContain("memory_insert returned: ok");
  });

  test("that must call one fails, saying what to do", async () => {
    const { server, model } = await start(ollama, [{ failure: localFailures.ollamaNoTools }]);
    const { error } = await collectFailure(model, requestOf(ollama, { toolChoice: "required" }));
    expect(error).toMatchObject({ code: "llm-bad-request", details: { isRetryable: false } });
    expect(error.message).toMatch(/choose a model that supports tools.*does not support tools/);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a setting the server does not know", () => {
  test("is left out", async () => {
    const { server, model } = await start(ollama, [{ failure: localFailures.noStreamOptions }, { text: "Hi." }]);
    await collect(model, requestOf(ollama));
    expect(server.requests.map(({ body }) => "stream_options" in body)).toEqual([true, false]);
  });

  test("is put under its other name if it has one", async () => {
    const message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
    const failure = { status: 400, body: { error: { message } } };
    const { server, model } = await start(ollama, [{ failure }, { text: "Hi." }]);
    await collect(model, requestOf(ollama));
    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 4_096 });
    expect(server.requests[1]?.body).not.toHaveProperty("max_tokens");
  });

  test("is the choice of a tool, not the tools", async () => {
    const failure = { status: 400, body: { error: "tool_choice is not supported by this model" } };
    const { server, model } = await start(ollama, [{ failure }, { text: "Hi." }]);
    await collect(model, requestOf(ollama, { toolChoice: "required" }));
    expect(server.requests[1]?.body).toHaveProperty("tools");
    expect(server.requests[1]?.body).not.toHaveProperty("tool_choice");
  });

  test("with a value out of range is for people to correct", async () => {
    const failure = { status: 400, body: { error: { message: "max_tokens is too large: at most 1024" } } };
    const { server, model } = await start(ollama, [{ failure }]);
    expect((await collectFailure(model, requestOf(ollama))).error.code).toBe("llm-bad-request");
    expect(server.requests).toHaveLength(1);
  });
});

describe("when a compatible server fails", () => {
  test.for([
    ["ollamaOverflow", "llm-context-exceeded", 400, false],
    ["vllmOverflow", "llm-context-exceeded", 400, false],
    ["sglangOverflow", "llm-context-exceeded", 400, false],
    ["lmStudioOverflow", "llm-context-exceeded", 400, false],
    ["unknownModel", "llm-error", 404, false],
    ["crashed", "llm-error", 500, true],
  ] as const)("%s is %s", async ([name, code, status, isRetryable]) => {
    const { model } = await start(ollama, [{ failure: localFailures[name] }]);
    const { error } = await collectFailure(model, requestOf(ollama));
    expect(error).toMatchObject({ code, details: { provider: "ollama", status, isRetryable } });
    expect(error.message).toMatch(/context|length|not found|terminated/);
  });

  test("an error inside the stream is one", async () => {
    const failAt = { event: 3, type: "x", message: "an error was encountered while running the model" };
    const { model } = await start(ollama, [{ text: "A long answer.", failAt }]);
    const { error } = await collectFailure(model, requestOf(ollama));
    expect(error).toMatchObject({ code: "llm-error", details: { isRetryable: true } });
    expect(error.message).toContain("while running the model");
  });

  test("a stream cut at any event is an error worth another try", async () => {
    const answer: WireAnswer = { reasoning: ["Hm."], text: "Well.", toolCalls: [call("memory_insert", "{}", "c1")] };
    for (const how of ["cutAfter", "endAfter"] as const) {
      const { server, model } = await start(ollama, []);
      for (let event = 0; ; event++) {
        server.add({ ...answer, [how]: event });
        const outcome = await Array.fromAsync(model.stream(requestOf(ollama), new AbortController().signal)).catch(
          (error: unknown) => error,
        );
        if (Array.isArray(outcome)) {
          expect(event).toBeGreaterThan(5);
          break;
        }
        expect(outcome, `${how} ${event}`).toMatchObject({
          code: "llm-error",
          details: { isRetryable: true, status: null },
        });
      }
    }
  });

  test("a call that is given up reaches the server", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const reason = new Error("the user left");
    const gate = async (event: number) => {
      if (event !== 4) return;
      controller.abort(reason);
      await promise;
    };
    const { server, model } = await start(ollama, [{ text: "A rather long answer.", gate }]);
    await expect(Array.fromAsync(model.stream(requestOf(ollama), controller.signal))).rejects.toBe(reason);
    expect(await server.requests[0]?.left).toBe(true);
    resolve();
  });

  test("a busy one is asked again when it says", async () => {
    const server = await startScriptedOllama([
      { failure: { status: 429, body: { error: { message: "slow down" } }, headers: { "retry-after": "3" } } },
      { text: "Hi." },
    ]);
    onTestFinished(() => server.close());
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const config = configFor("groq");
    const access = { groq: { apiKey: "k", baseUrl: `${server.origin}/v1` } };
    await collect(createModels(access, { retries: { sleep } }).get(config), requestOf(config));
    expect(waits).toEqual([3_000]);
  });
});
