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
import { bedrockFailures, startScriptedBedrock } from "../../testing/scripted-bedrock.ts";
import type { WireAnswer } from "../../testing/scripted-server.ts";
import { createModels } from "../providers.ts";
import { signPost } from "./aws-signature.ts";

const off = { enabled: false, effort: null, budgetTokens: 0 };
const profile = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const claude = configOf("anthropic/claude-sonnet-4-5-20250929", {
  handle: `bedrock/${profile}`,
  provider: "bedrock",
  endpointKind: "bedrock",
  endpoint: null,
  reasoning: off,
});
const thinking = { ...claude, reasoning: { enabled: true, effort: null, budgetTokens: 2_048 } };
const cachePoint = { cachePoint: { type: "default" } };

async function start(script: readonly WireAnswer[]) {
  const server = await startScriptedBedrock(script);
  onTestFinished(() => server.close());
  const access = {
    bedrock: { apiKey: "secret-0042", accessKey: "AKIDEXAMPLE", region: "us-west-2", baseUrl: server.origin },
  };
  return { server, model: createModels(access, { retries: { tries: 1 } }).get(claude) };
}

describe("a request", () => {
  test("is what Converse documents, with three cache points", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(claude));
    expect(server.requests[0]?.path).toBe(`/model/${encodeURIComponent(profile)}/converse-stream`);
    expect(server.requests[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-west-2\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
    );
    expect(server.requests[0]?.body).toEqual({
      system: [{ text: "You are a careful agent." }, cachePoint],
      messages: [{ role: "user", content: [{ text: "hello there" }, cachePoint] }],
      toolConfig: {
        tools: [
          ...tools.map(({ name, description, parameters }) => ({
            toolSpec: { name, description, inputSchema: { json: parameters } },
          })),
          cachePoint,
        ],
        toolChoice: { auto: {} },
      },
      inferenceConfig: { maxTokens: 16_384, temperature: 1 },
    });
  });

  test("thinking is asked for as Claude wants it, and cannot be forced to call a tool", async () => {
    const { server, model } = await start([{ text: "Hi." }, { text: "Hi." }]);
    await collect(model, requestOf(thinking, { toolChoice: "required" }));
    const adaptive = { ...thinking, model: "claude-opus-4-6", effort: "high" as const };
    await collect(model, requestOf(adaptive));
    expect(server.requests[0]?.body).toMatchObject({
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_048 } },
      toolConfig: { toolChoice: { auto: {} } },
    });
    expect(server.requests[0]?.body.inferenceConfig).not.toHaveProperty("temperature");
    expect(server.requests[1]?.body.additionalModelRequestFields).toEqual({
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    });
  });

  test.for([
    ["required", { any: {} }],
    [{ tool: "memory_insert" }, { tool: { name: "memory_insert" } }],
    ["none", { auto: {} }],
  ] as const)("the choice %j is put as %j", async ([toolChoice, sent]) => {
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(claude, { toolChoice }));
    expect(server.requests[0]?.body.toolConfig.toolChoice).toEqual(sent);
  });

  test("models of others get no cache points", async () => {
    const nova = { ...claude, model: "amazon.nova-pro-v1:0", handle: "bedrock/amazon.nova-pro-v1:0" };
    const { server, model } = await start([{ text: "Hi." }]);
    await collect(model, requestOf(nova));
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("cachePoint");
  });

  test("a conversation arrives in turns, results with what follows them", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    const calls = [{ id: "fn.x:2", name: "memory_insert", arguments: '{"label": "human"}' }];
    const messages: PromptMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image", source: { type: "base64", mediaType: "image/png", data: "aGk=" } },
        ],
      },
      assistant({ content: [{ type: "text", text: "So." }], toolCalls: calls }),
      { role: "tool", returns: [{ callId: "fn.x:2", name: "memory_insert", status: "error", output: "" }] },
      { role: "system", content: [{ type: "text", text: "Full." }] },
    ];
    await collect(model, requestOf(claude, { messages }));
    const [first, second, third] = server.requests[0]?.body.messages ?? [];
    expect(first.content).toEqual([{ text: "Look" }, { image: { format: "png", source: { bytes: "aGk=" } } }]);
    const { toolUseId } = second.content[1].toolUse;
    expect(toolUseId).toMatch(/^[\w-]+$/);
    expect(third).toEqual({
      role: "user",
      content: [
        { toolResult: { toolUseId, content: [{ text: "(empty)" }], status: "error" } },
        { text: "<event>\nSYSTEM ALERT: Full.\n</event>" },
        cachePoint,
      ],
    });
  });

  test("without tools, earlier calls are told as text: the service refuses them otherwise", async () => {
    const { server, model } = await start([{ text: "Hi." }]);
    const calls = [{ id: "c1", name: "memory_insert", arguments: "{}" }];
    const messages = [user("a"), assistant({ content: [], toolCalls: calls }), result("c1", "memory_insert", "ok")];
    await collect(model, requestOf(claude, { tools: [], messages }));
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/toolUse|toolResult|toolConfig/);
  });

  test("each turn repeats the one before to the byte, cache points apart", async () => {
    const { server, model } = await start([
      {
        reasoning: ["Hm."],
        seal: "sig-1",
        text: "One. ",
        toolCalls: [{ id: "t1", name: "memory_insert", arguments: '{"b": 1}' }],
      },
      { text: "Done." },
    ]);
    const { reply } = await collect(model, requestOf(thinking));
    const messages = [user("hello there"), assistant(reply), result("t1", "memory_insert", "ok")];
    await collect(model, requestOf(thinking, { messages }));
    const [first, second] = server.requests.map(({ body }) => body);
    const bare = (value: unknown) => JSON.stringify(value).replaceAll(`,${JSON.stringify(cachePoint)}`, "");
    expect(bare([second.system, second.toolConfig])).toBe(bare([first.system, first.toolConfig]));
    expect(bare(second.messages).startsWith(bare(first.messages).slice(0, -1))).toBe(true);
    expect(JSON.stringify(second).split("cachePoint")).toHaveLength(4);
  });
});

describe("a reply", () => {
  test("keeps signatures and sealed thoughts, which go back as they came", async () => {
    const seal = "EqQBCgIYAhIk+/=".repeat(40);
    const toolCalls = [{ id: "tooluse_1", name: "memory_insert", arguments: '{"label":"human"}' }];
    const { server, model } = await start([
      { reasoning: ["\n Hm. \u00fc"], seal, redacted: "c2VhbGVk", text: "So.", toolCalls },
      { text: "Done." },
    ]);
    const { reply, chunks } = await collect(model, requestOf(thinking));
    expect(reply).toMatchObject({
      content: [
        { type: "reasoning", text: "\n Hm. \u00fc", signature: seal, isNative: true },
        { type: "redacted-reasoning", data: "c2VhbGVk" },
        { type: "text", text: "So." },
      ],
      toolCalls,
      finishReason: "tool-calls",
    });
    expect(joinChunks(chunks)).toMatchObject({ reasoning: "\n Hm. \u00fc", text: "So.", calls: toolCalls });
    await collect(
      model,
      requestOf(thinking, { messages: [user("a"), assistant(reply), result("tooluse_1", "x", "ok")] }),
    );
    expect(server.requests[1]?.body.messages[1].content).toEqual([
      { reasoningContent: { reasoningText: { text: "\n Hm. \u00fc", signature: seal } } },
      { reasoningContent: { redactedContent: "c2VhbGVk" } },
      { text: "So." },
      { toolUse: { toolUseId: "tooluse_1", name: "memory_insert", input: { label: "human" } } },
    ]);
  });

  test("counts what was read from the cache and written to it", async () => {
    const { model } = await start([{ text: "Hi." }]);
    expect((await collect(model, requestOf(claude))).reply.usage).toEqual({
      promptTokens: 120,
      completionTokens: 30,
      totalTokens: 150,
      cachedTokens: 100,
      cacheWriteTokens: 7,
      reasoningTokens: null,
    });
  });

  test.for([
    ["a length limit", { text: "So", finish: "max_tokens" }, { finishReason: "length" }],
    ["a guardrail", { text: "No", finish: "guardrail_intervened" }, { finishReason: "content-filter" }],
    [
      "broken arguments",
      { toolCalls: [{ name: "x", arguments: '{"a": tru' }] },
      { toolCalls: [{ arguments: '{"a": tru' }] },
    ],
    ["no arguments", { toolCalls: [{ name: "x", arguments: "" }] }, { toolCalls: [{ arguments: "{}" }] }],
    ["nothing at all", {}, { content: [], toolCalls: [], finishReason: "stop" }],
  ] as [string, WireAnswer, object][])("with %s", async ([, answer, expected]) => {
    const { model } = await start([answer]);
    expect((await collect(model, requestOf(claude))).reply).toMatchObject(expected);
  });
});

describe("when Bedrock fails", () => {
  test.for([
    ["overflow", "llm-context-exceeded", 400, false],
    ["badRequest", "llm-bad-request", 400, false],
    ["wrongKey", "llm-authentication", 403, false],
    ["forbidden", "llm-error", 403, false],
    ["unknownModel", "llm-error", 404, false],
    ["rateLimit", "llm-rate-limit", 429, true],
    ["server", "llm-error", 500, true],
    ["overloaded", "llm-overloaded", 503, true],
  ] as const)("%s is %s", async ([name, code, status, isRetryable]) => {
    const failure = bedrockFailures[name];
    const { model } = await start([{ failure }]);
    const { error } = await collectFailure(model, requestOf(claude));
    expect(error).toMatchObject({ code, details: { provider: "bedrock", status, isRetryable } });
    expect(error.message).toContain((failure.body as { message: string }).message);
  });

  test.for([
    ["throttlingException", "llm-rate-limit"],
    ["serviceUnavailableException", "llm-overloaded"],
    ["modelStreamErrorException", "llm-error"],
    ["internalServerException", "llm-error"],
  ] as const)("%s inside the stream is %s", async ([type, code]) => {
    const { model } = await start([{ text: "A long answer.", failAt: { event: 3, type, message: "Sorry." } }]);
    const { error } = await collectFailure(model, requestOf(claude));
    expect(error).toMatchObject({ code, details: { isRetryable: true } });
    expect(error.message).toContain("Sorry.");
  });

  test("a stream cut at any event is an error worth another try", async () => {
    const { server, model } = await start([]);
    const answer: WireAnswer = { text: "Well.", toolCalls: [{ name: "x", arguments: "{}" }] };
    for (const how of ["cutAfter", "endAfter"] as const) {
      for (let event = 0; event < 8; event++) {
        server.add({ ...answer, [how]: event });
        const { error } = await collectFailure(model, requestOf(claude));
        expect(error, `${how} ${event}`).toMatchObject({ code: "llm-error", details: { isRetryable: true } });
      }
    }
  });

  test("thoughts whose signature is refused are left out, and the turn ends without thinking", async () => {
    const { server, model } = await start([{ failure: bedrockFailures.badSignature }, { text: "Done." }]);
    const content: ContentPart[] = [{ type: "reasoning", text: "hm", isNative: true, signature: "foreign" }];
    const calls = [{ id: "t1", name: "memory_insert", arguments: "{}" }];
    const messages = [user("a"), assistant({ content, toolCalls: calls }), result("t1", "memory_insert", "ok")];
    await collect(model, requestOf(thinking, { messages }));
    expect(server.requests.map(({ body }) => JSON.stringify(body).includes("foreign"))).toEqual([true, false]);
    expect(server.requests[1]?.body).not.toHaveProperty("additionalModelRequestFields");
  });
});

test("the signature is the one AWS documents for its example", () => {
  const key = {
    accessKey: "AKIDEXAMPLE",
    secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
    service: "service",
  };
  const request = { url: "https://example.amazonaws.com/", headers: {}, body: "" };
  const { authorization } = signPost(request, key, new Date("2015-08-30T12:36:00Z"));
  expect(authorization).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  );
});
