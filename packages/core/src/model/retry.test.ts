import { expect, onTestFinished, test, vi } from "vitest";
import { collect, configOf, requestOf } from "../testing/model-requests.ts";
import { openAiFailures, startScriptedOpenAi } from "../testing/scripted-openai.ts";
import { createModels } from "./providers.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import { cutAfter, failWith, say, scripted } from "./scripted.ts";

const config = configOf("memoir/demo");
const request = requestOf(config);

function quick(changes: RetryOptions = {}) {
  const waits: number[] = [];
  const options: RetryOptions = { sleep: async (ms) => void waits.push(ms), random: () => 0, ...changes };
  return { waits, options };
}

test("a busy provider is asked again, a little later each time", async () => {
  const { waits, options } = quick();
  const model = scripted([failWith("llm-overloaded"), failWith("llm-error"), say("Here.")]);
  const { reply } = await collect(withRetries(model, options), request);
  expect(reply.content).toEqual([{ type: "text", text: "Here." }]);
  expect(waits).toEqual([500, 1_000]);
  expect(model.requests).toHaveLength(3);
});

test("after three tries the last failure is told", async () => {
  const { waits, options } = quick({ random: () => 1 });
  const model = scripted([1, 2, 3, 4].map((count) => failWith("llm-rate-limit", `no ${count}`)));
  await expect(collect(withRetries(model, options), request)).rejects.toMatchObject({ message: "no 3" });
  expect(waits).toEqual([250, 500]);
});

test("what will not pass is not tried again", async () => {
  for (const code of [
    "llm-authentication",
    "llm-bad-request",
    "llm-context-exceeded",
    "llm-insufficient-credits",
  ] as const) {
    const model = scripted([failWith(code), say("never")]);
    await expect(collect(withRetries(model, quick().options), request)).rejects.toMatchObject({ code });
    expect(model.requests).toHaveLength(1);
  }
});

test("once a piece was seen there is no second try", async () => {
  const model = scripted([cutAfter(1, say("one two")), say("never")]);
  await expect(collect(withRetries(model, quick().options), request)).rejects.toMatchObject({ code: "llm-error" });
  expect(model.requests).toHaveLength(1);
});

test("a stream cut before the first piece is asked for again", async () => {
  const model = scripted([cutAfter(0, say("one two")), say("whole")]);
  const { reply } = await collect(withRetries(model, quick().options), request);
  expect(reply.content).toEqual([{ type: "text", text: "whole" }]);
});

test("a provider that asks for a long wait fails at once, and says when to come back", async () => {
  const slow = { ...openAiFailures.rateLimit, headers: { "retry-after": "86400" } };
  const server = await startScriptedOpenAi([{ failure: slow }, { text: "Never." }]);
  onTestFinished(() => server.close());
  const gpt = configOf("openai/gpt-4o-mini");
  const { waits, options } = quick();
  const models = createModels({ openai: { apiKey: "k", baseUrl: server.baseUrl } }, { retries: options });
  await expect(collect(models.get(gpt), requestOf(gpt))).rejects.toMatchObject({
    code: "llm-rate-limit",
    message: expect.stringContaining("it asks to be called again in 24 hours"),
  });
  expect(waits).toEqual([]);
});

test("waits are limited together, not each for itself", async () => {
  const { waits, options } = quick({ tries: 9, firstDelayMs: 20_000 });
  const model = scripted([1, 2, 3, 4].map((count) => failWith("llm-overloaded", `no ${count}`)));
  await expect(collect(withRetries(model, options), request)).rejects.toMatchObject({ message: "no 3" });
  expect(waits).toEqual([20_000, 40_000]);
});

test("retry-after is honoured over the wire", async () => {
  const server = await startScriptedOpenAi([{ failure: openAiFailures.rateLimit }, { text: "Here." }]);
  onTestFinished(() => server.close());
  const gpt = configOf("openai/gpt-4o-mini");
  const { waits, options } = quick();
  const models = createModels({ openai: { apiKey: "k", baseUrl: server.baseUrl } }, { retries: options });
  await collect(models.get(gpt), requestOf(gpt));
  expect(waits).toEqual([7_000]);
});

test("whoever leaves while waiting is not kept", async () => {
  const controller = new AbortController();
  const onRetry = vi.fn(() => controller.abort(new Error("left")));
  const model = withRetries(scripted([failWith("llm-overloaded"), say("never")]), { onRetry });
  await expect(collect(model, request, controller.signal)).rejects.toThrow("left");
  expect(onRetry).toHaveBeenCalledWith({ attempt: 1, delayMs: expect.any(Number), error: expect.any(Error) });
});
