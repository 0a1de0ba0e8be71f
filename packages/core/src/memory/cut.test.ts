import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseCut, type Weighed } from "./cut.ts";

/** Questions and answers in turn, each of the same weight. */
const talk = (count: number, tokens = 100): Weighed[] =>
  Array.from({ length: count }, (_, index) => ({ tokens, canBegin: index % 2 === 1 }));

test("the first try takes two fifths of the messages and begins the rest with a reply", () => {
  // 20 messages and the system message: 0.4 * 21 is 8.4, so the eighth is looked at first.
  expect(chooseCut(talk(20), { fixedTokens: 0, contextWindow: 10_000, share: 0.3 })).toBe(7);
});

test("more goes until the rest is small enough", () => {
  const cut = chooseCut(talk(20), { fixedTokens: 100, contextWindow: 1_000, share: 0.3 });
  expect(cut).toBe(15);
  expect((20 - (cut ?? 0)) * 100 + 100).toBeLessThan(700);
});

test("there is no cut where no reply can begin the rest, or only the last message would be left", () => {
  const questions = talk(20).map((message) => ({ ...message, canBegin: false }));
  expect(chooseCut(questions, { fixedTokens: 0, contextWindow: 10_000, share: 0.3 })).toBeUndefined();
  expect(chooseCut(talk(2, 600), { fixedTokens: 0, contextWindow: 1_000, share: 0.3 })).toBeUndefined();
  expect(chooseCut([], { fixedTokens: 0, contextWindow: 1_000, share: 0.3 })).toBeUndefined();
});

test("whatever is cut, something goes, the rest begins with a reply and is small enough", () => {
  const message = fc.record({ tokens: fc.integer({ min: 0, max: 2_000 }), canBegin: fc.boolean() });
  const goal = fc.record({
    fixedTokens: fc.integer({ min: 0, max: 3_000 }),
    contextWindow: fc.integer({ min: 4_096, max: 20_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 60 }), goal, (messages, input) => {
      const cut = chooseCut(messages, input);
      if (cut === undefined) return;
      const kept = messages.slice(cut).reduce((sum, { tokens }) => sum + tokens, input.fixedTokens);
      expect(cut).toBeGreaterThan(0);
      expect(messages[cut]?.canBegin).toBe(true);
      expect(kept).toBeLessThan((1 - input.share) * input.contextWindow);
    }),
  );
});
