import { describe, expect, test } from "vitest";
import type { ContentPart, ToolCall } from "../shared/content.ts";
import { heartbeatEnvelope, loginEnvelope, toolReturnEnvelope, userEnvelope } from "./envelopes.ts";
import { searchTextOf, type Utterance, wordsOf } from "./search-text.ts";

const time = { at: 1_700_000_000_000_000, timezone: "UTC" };
const text = (value: string): ContentPart => ({ type: "text", text: value });
const reasoning = (value: string): ContentPart => ({ type: "reasoning", text: value, isNative: true });
const call = (name: string, args: object): ToolCall => ({ id: "call-1", name, arguments: JSON.stringify(args) });
const say = (role: Utterance["role"], input: Partial<Utterance>): Utterance => ({
  role,
  name: null,
  content: null,
  toolCalls: null,
  toolReturns: null,
  ...input,
});

describe("of the user's messages", () => {
  test.for([
    ["plain words", [text("I like tea")], "I like tea"],
    ["several parts", [text("I like"), text("tea")], "I like tea"],
    ["an envelope", [text(userEnvelope("I like tea", time))], "I like tea"],
    ["JSON of their own", [text('{"role": "assistant", "tea": true}')], '{"role": "assistant", "tea": true}'],
    ["broken JSON", [text('{"type": "user_message"')], '{"type": "user_message"'],
    ["a heartbeat", [text(heartbeatEnvelope("go on", time))], null],
    ["a login", [text(loginEnvelope(time))], null],
    ["an image alone", [{ type: "image", source: { type: "url", url: "https://example.org/tea.png" } }], null],
    ["nothing", null, null],
    ["blanks", [text("  ")], null],
  ] as const)("%s", ([, content, expected]) => {
    expect(searchTextOf(say("user", { content }))).toBe(expected);
  });
});

describe("of the agent's messages", () => {
  test("what it says, without its reasoning", () => {
    const message = say("assistant", { content: [reasoning("She wants tea."), text("Tea is ready.")] });
    expect(wordsOf(message)).toEqual({ content: "Tea is ready." });
    expect(searchTextOf(message)).toBe("Tea is ready.");
  });

  test("its reasoning, where it says nothing", () => {
    const message = say("assistant", {
      content: [reasoning("She wants tea.")],
      toolCalls: [call("memory_insert", { label: "human", new_string: "x" })],
    });
    expect(wordsOf(message)).toEqual({ thinking: "She wants tea." });
    expect(searchTextOf(message)).toBe("She wants tea.");
  });

  test("what it says by a tool, and what it thought", () => {
    const message = say("assistant", {
      content: [text("She wants tea.")],
      toolCalls: [call("send_message", { message: "Tea is ready." })],
    });
    expect(wordsOf(message)).toEqual({ thinking: "She wants tea.", content: "Tea is ready." });
    expect(searchTextOf(message)).toBe("Tea is ready.\nShe wants tea.");
  });

  test("an object it says by a tool, and nothing of arguments it broke", () => {
    const spoken = (args: string) =>
      searchTextOf(say("assistant", { toolCalls: [{ id: "c", name: "send_message", arguments: args }] }));
    expect(spoken('{"message": {"tea": "ready"}}')).toBe('{"tea":"ready"}');
    expect(spoken("{")).toBeNull();
    expect(spoken("[]")).toBeNull();
    expect(spoken("null")).toBeNull();
  });

  test("nothing when it searches, or searches would find themselves", () => {
    const toolCalls = [call("conversation_search", { query: "tea" })];
    expect(searchTextOf(say("assistant", { content: [text("Let me look for tea.")], toolCalls }))).toBeNull();
  });
});

describe("of the output of tools", () => {
  const answer = (name: string, output: string) => ({ callId: "c", name, status: "success" as const, output });

  test("what they answered, without the envelope", () => {
    const toolReturns = [answer("web", toolReturnEnvelope("tea prices", false, time)), answer("web", "milk prices")];
    expect(searchTextOf(say("tool", { toolReturns }))).toBe("tea prices\nmilk prices");
    expect(searchTextOf(say("tool", { name: "web", content: [text("tea")] }))).toBe("tea");
  });

  test("nothing of searches and confirmations", () => {
    expect(searchTextOf(say("tool", { toolReturns: [answer("send_message", "sent")] }))).toBeNull();
    const both = [answer("conversation_search", "tea"), answer("web", "milk")];
    expect(searchTextOf(say("tool", { toolReturns: both }))).toBe("milk");
    expect(searchTextOf(say("tool", { name: "conversation_search", content: [text("tea")] }))).toBeNull();
  });
});

test.for(["system", "summary"] as const)("nothing of %s messages", (role) => {
  expect(searchTextOf(say(role, { content: [text("tea")] }))).toBeNull();
});

test("what was said in a reply whose calls wait for an answer", () => {
  expect(searchTextOf(say("approval", { content: [text("tea")] }))).toBe("tea");
});

test("no more than can be indexed, no half characters, no NUL", () => {
  const found = searchTextOf(say("user", { content: [text(`\0x${"🙂".repeat(200_000)}`)] })) ?? "";
  expect(found.length).toBe(100_000);
  expect(found.startsWith("x🙂")).toBe(true);
  expect(found.isWellFormed()).toBe(true);
});
