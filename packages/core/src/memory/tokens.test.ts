import { expect, test } from "vitest";
import type { PromptMessage } from "../shared/content.ts";
import { boundTokens, loadCounter, textsOf } from "./tokens.ts";

const user = (text: string): PromptMessage => ({ role: "user", content: [{ type: "text", text }] });

test("words count as the tokenizer counts them, special tokens as words", async () => {
  const counter = await loadCounter("openai");
  expect(counter.text("Hello, world!")).toBe(4);
  expect(counter.text("<|endoftext|>")).toBeGreaterThan(1);
  expect(counter.text("")).toBe(0);
});

test("providers with other tokenizers get a margin", async () => {
  const text = "The kettle is on the stove and the tea is nearly ready.";
  const [ours, anthropic, unknown] = await Promise.all(["openai", "anthropic", "groq"].map(loadCounter));
  expect(anthropic?.text(text)).toBeGreaterThan(ours?.text(text) ?? 0);
  expect(unknown?.text(text)).toBeGreaterThan(ours?.text(text) ?? 0);
});

test("everything a message carries is counted: words, calls, results, thoughts, images", async () => {
  const counter = await loadCounter("openai");
  const long = "the kettle is on the stove ".repeat(20);
  const messages: PromptMessage[] = [
    user(long),
    { role: "assistant", content: [{ type: "reasoning", text: long, isNative: true }], toolCalls: [] },
    { role: "assistant", content: [], toolCalls: [{ id: "1", name: "note", arguments: JSON.stringify({ long }) }] },
    { role: "tool", returns: [{ callId: "1", name: "note", status: "success", output: long }] },
    { role: "user", content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }] },
  ];
  for (const message of messages) expect(counter.message(message)).toBeGreaterThan(100);
});

test("what is certain without counting is never less than what is counted", async () => {
  const counter = await loadCounter("openai");
  for (const text of [
    "Hello",
    "日本語のテキスト",
    "🙂🙂🙂",
    "x".repeat(5_000),
    "\u0000\u0001",
    "«»",
    "{".repeat(300),
  ]) {
    expect(boundTokens(user(text))).toBeGreaterThanOrEqual(counter.message(user(text)));
  }
  expect(textsOf(user("a"))).toEqual(["a"]);
});

test("a word or a gap without end is counted like any other text", async () => {
  const counter = await loadCounter("openai");
  // Uncut, one word of this length takes the tokenizer minutes.
  expect(counter.text("x".repeat(1_000_000))).toBeGreaterThan(50_000);
  expect(counter.text(" ".repeat(1_000_000))).toBeGreaterThan(1_000);
  const sentence = "The kettle is on the stove. ";
  const whole = counter.text(sentence.repeat(100)) * 300;
  expect(Math.abs(counter.text(sentence.repeat(30_000)) / whole - 1)).toBeLessThan(0.02);
});
