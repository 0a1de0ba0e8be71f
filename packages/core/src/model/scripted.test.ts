import { expect, test } from "vitest";
import {
  assistant,
  collect,
  collectFailure,
  configOf,
  joinChunks,
  requestOf,
  user,
} from "../testing/model-requests.ts";
import {
  afterSaying,
  afterThinking,
  callTool,
  callTools,
  cutAfter,
  failWith,
  holdUntil,
  rejectToAnswer,
  say,
  sayNothing,
  scripted,
  scriptedByPosition,
} from "./scripted.ts";

const request = requestOf(configOf("memoir/demo"));

test("each request takes the next entry and is kept", async () => {
  const model = scripted([
    afterThinking("Hm, tea.", afterSaying("Noting it.", callTool("memory_insert", { label: "human" })), "sig"),
    say("Done.", { usage: { promptTokens: 7, cachedTokens: 3 } }),
  ]);
  const first = await collect(model, request);
  expect(first.reply).toEqual({
    content: [
      { type: "reasoning", text: "Hm, tea.", isNative: true, signature: "sig" },
      { type: "text", text: "Noting it." },
    ],
    toolCalls: [{ id: "call-0-0", name: "memory_insert", arguments: '{"label":"human"}' }],
    finishReason: "tool-calls",
    usage: expect.objectContaining({ totalTokens: 15 }),
  });
  expect(joinChunks(first.chunks)).toEqual({
    text: "Noting it.",
    reasoning: "Hm, tea.",
    calls: first.reply.toolCalls,
  });
  const second = await collect(model, requestOf(request.config, { messages: [user("more")] }));
  expect(second.reply.usage).toMatchObject({ promptTokens: 7, totalTokens: 12, cachedTokens: 3 });
  expect(model.requests.map(({ messages }) => messages[0])).toEqual([user("hello there"), user("more")]);
  expect(() => model.stream(request, new AbortController().signal)).toThrow("no answer for request 3");
});

test("by position, the same place in the conversation gets the same answer with the same ids", async () => {
  const script = [
    callTools([
      { name: "a", arguments: {} },
      { name: "b", arguments: "{bro" },
    ]),
    say("Done."),
  ];
  const first = await collect(scriptedByPosition(script), request);
  expect(await collect(scriptedByPosition(script), request)).toEqual(first);
  const later = requestOf(request.config, { messages: [user("hi"), assistant(first.reply)] });
  expect((await collect(scriptedByPosition(script), later)).reply.content).toEqual([{ type: "text", text: "Done." }]);
  const skipping = scriptedByPosition((position) => say(`at ${position}`), { skip: 1 });
  expect((await collect(skipping, later)).reply.content).toEqual([{ type: "text", text: "at 0" }]);
});

test("failures, cuts, refusals and silence", async () => {
  const model = scripted([
    failWith("llm-rate-limit", "slow down", { retryAfterMs: 9 }),
    cutAfter(2, say("one two three")),
    cutAfter(1, { ...say("one two three"), ...failWith("llm-overloaded") }),
    rejectToAnswer("No."),
    sayNothing(),
  ]);
  const limited = await collectFailure(model, request);
  expect(limited).toMatchObject({
    chunks: [],
    error: { code: "llm-rate-limit", details: { retryAfterMs: 9, isRetryable: true } },
  });
  const cut = await collectFailure(model, request);
  expect(joinChunks(cut.chunks).text).toBe("one two");
  expect(cut.error.code).toBe("llm-error");
  const late = await collectFailure(model, request);
  expect(late).toMatchObject({ chunks: [{ text: "one" }], error: { code: "llm-overloaded" } });
  expect((await collect(model, request)).reply.finishReason).toBe("content-filter");
  expect((await collect(model, request)).chunks).toHaveLength(1);
});

test("gates hold a reply back, and an aborted request does not wait for them", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const model = scripted([holdUntil(promise, say("Late.")), holdUntil(new Promise(() => {}), say("Never."))]);
  let isDone = false;
  const held = collect(model, request).then(() => {
    isDone = true;
  });
  await new Promise((next) => setTimeout(next, 20));
  expect(isDone).toBe(false);
  resolve();
  await held;
  const controller = new AbortController();
  const waiting = collect(model, request, controller.signal);
  controller.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
});
