import { expect, test } from "vitest";
import { createLexicalEmbedder, embedText } from "./lexical.ts";

const size = 512;
const likeness = (left: string, right: string) => {
  const [a, b] = [embedText(left, size), embedText(right, size)];
  return a.reduce((sum, value, index) => sum + value * (b[index] as number), 0);
};

test("a text always has the same vector, of length one", async () => {
  const { embed } = createLexicalEmbedder(size);
  const texts = ["Ada likes green tea.", "日本語のテキスト", "x"];
  const first = await embed(texts, new AbortController().signal);
  expect(first).toEqual(await embed(texts, new AbortController().signal));
  for (const vector of first) {
    expect(vector).toHaveLength(size);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  }
});

test("the vectors are these: whoever stored some must find them again", () => {
  const vector = embedText("Ada likes tea", size);
  const places = [...vector.entries()].filter(([, value]) => value !== 0).map(([place]) => place);
  expect([places.length, places.slice(0, 5)]).toEqual([24, [15, 25, 76, 101, 106]]);
});

test("texts without a word have no direction", () => {
  for (const text of ["", "  \n", "!?…"]) expect(embedText(text, size).every((value) => value === 0)).toBe(true);
});

test("misspelt and inflected words stay close, others do not", () => {
  const close = likeness("the quarterly report was cancelled", "quarterly reports were canceled");
  const far = likeness("the quarterly report was cancelled", "my dog sleeps under a tree");
  expect(close).toBeGreaterThan(0.45);
  expect(Math.abs(far)).toBeLessThan(0.2);
});

test("case, width and punctuation make no difference; the order of words makes some", () => {
  expect(likeness("Hello, WORLD!", "hello world")).toBeCloseTo(1, 5);
  const turned = likeness("dog bites man", "man bites dog");
  expect(turned).toBeLessThan(0.99);
  expect(turned).toBeGreaterThan(0.5);
});

test("a long series can be broken off", async () => {
  const { embed } = createLexicalEmbedder(size);
  await expect(embed(["a"], AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});
