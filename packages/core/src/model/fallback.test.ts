import { describe, expect, test, vi } from "vitest";
import { collect, collectFailure, configOf, requestOf } from "../testing/model-requests.ts";
import { createModelError } from "./errors.ts";
import { withFallback } from "./fallback.ts";
import type { Model, ModelChunk } from "./model.ts";
import { say, scripted } from "./scripted.ts";

const config = configOf("openai/gpt-4o-mini");
const context = { provider: "first", model: "m" };

function failing(error: unknown, before: readonly ModelChunk[] = []): Model {
  return {
    async *stream() {
      yield* before;
      throw error;
    },
  };
}

describe("another model answers", () => {
  test.for([
    ["a rate limit", createModelError("llm-rate-limit", "busy", context, { status: 429 })],
    ["overload", createModelError("llm-overloaded", "busy", context, { status: 529 })],
    ["a server's failure", createModelError("llm-error", "broken", context, { status: 502 })],
    ["a connection that fails", createModelError("llm-error", "unreachable", context)],
    ["a timeout", createModelError("llm-timeout", "slow", context)],
  ] as const)("after %s", async ([, error]) => {
    const onFallback = vi.fn();
    const model = withFallback([failing(error), scripted([say("Here.")])], { onFallback });
    const { reply } = await collect(model, requestOf(config));
    expect(reply.content).toEqual([{ type: "text", text: "Here." }]);
    expect(onFallback).toHaveBeenCalledExactlyOnceWith({ error, next: 1 });
  });

  test("under its own name and limits", async () => {
    const busy = createModelError("llm-overloaded", "busy", context);
    const asked: string[] = [];
    const listening: Model = {
      async *stream(request, signal) {
        asked.push(request.config.model);
        yield* scripted([say("Here.")]).stream(request, signal);
      },
    };
    const other = configOf("anthropic/claude-haiku-4-5");
    const toRequest = (request: ReturnType<typeof requestOf>, index: number) =>
      index === 0 ? request : { ...request, config: other };
    await collect(withFallback([failing(busy), listening], { toRequest }), requestOf(config));
    expect(asked).toEqual([other.model]);
  });
});

describe("no other model is asked", () => {
  test.for(["llm-bad-request", "llm-authentication", "llm-context-exceeded", "llm-insufficient-credits"] as const)(
    "after %s",
    async (code) => {
      const error = createModelError(code, "no", context, { status: 400 });
      const failure = await collectFailure(withFallback([failing(error), scripted([say("x")])]), requestOf(config));
      expect(failure.error).toBe(error);
    },
  );

  test("once a piece of the reply was seen", async () => {
    const error = createModelError("llm-error", "cut", context);
    const begun: ModelChunk = { type: "text-delta", text: "Well" };
    const failure = await collectFailure(
      withFallback([failing(error, [begun]), scripted([say("x")])]),
      requestOf(config),
    );
    expect(failure).toEqual({ error, chunks: [begun] });
  });

  test("when the caller has left", async () => {
    const busy = createModelError("llm-overloaded", "busy", context);
    const controller = new AbortController();
    controller.abort();
    const model = withFallback([failing(busy), scripted([say("x")])]);
    const failure = await collectFailure(model, requestOf(config), controller.signal);
    expect(failure.error).toBe(busy);
  });
});

test("when all fail, the last failure is told", async () => {
  const [one, two] = ["one", "two"].map((name) => createModelError("llm-overloaded", name, context));
  const failure = await collectFailure(withFallback([failing(one), failing(two)]), requestOf(config));
  expect(failure.error).toBe(two);
});
