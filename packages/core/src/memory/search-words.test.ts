import fc from "fast-check";
import { expect, test } from "vitest";
import { searchWords } from "./search-words.ts";

test.for([
  ["What did I say about the garden?", ["say", "garden"]],
  ["Ana's birthday, and Ana's cake", ["ana's", "ana", "birthday", "cake"]],
  ["don't DON’T", []],
  ["the of and", []],
  ["***", []],
  ["", []],
  ["ana@example.org v1.2", ["ana@example.org", "ana", "example", "org", "v1.2", "v1", "2"]],
  ['"tea" OR NEAR(milk, 5) AND body:x*', ["tea", "near(milk", "near", "milk", "5", "body:x", "body", "x"]],
  ["a\u0000b\ud800c", ["b", "c"]],
  ["Straße 天気", ["straße", "天気"]],
] as const)("%j is searched by %j", ([question, words]) => {
  expect(searchWords(question)).toEqual(words);
});

test("words that PostgreSQL does not index are not searched for", () => {
  const stopWords = `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her
    hers herself it its itself they them their theirs themselves what which who whom this that these those am is are was
    were be been being have has had having do does did doing a an the and but if or because as until while of at by for
    with about against between into through during before after above below to from up down in out on off over under
    again further then once here there when where why how all any both each few more most other some such no nor not
    only own same so than too very s t can will just don should now`;
  expect(searchWords(stopWords)).toEqual([]);
});

test("a very long question is searched by its first words", () => {
  const question = Array.from({ length: 50_000 }, (_, index) => `word${index}`).join(" ");
  expect(searchWords(question)).toHaveLength(40);
  expect(searchWords("x".repeat(1_000_000))).toEqual([]);
});

test("every word has a letter or digit, no space and no control character, and there are not too many", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (question) => {
      const words = searchWords(question);
      expect(words.length).toBeLessThanOrEqual(40);
      for (const word of words) {
        expect(word).toMatch(/[\p{L}\p{M}\p{N}]/u);
        expect(word).not.toMatch(/[\s\p{C}]/u);
      }
    }),
  );
});
