import fc from "fast-check";
import { expect, test } from "vitest";
import { findRuns, findText, splitText } from "./find-runs.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 300 });
const part = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 120 });

test("texts are found and split as indexOf and split would", () => {
  fc.assert(
    fc.property(letters, part, letters, (before, each, after) => {
      const text = `${before}${each}${after}${each}`;
      expect(findText(text, each)).toBe(text.indexOf(each));
      expect(splitText(text, each)).toEqual(text.split(each));
    }),
  );
});

test("overlapping runs are all found", () => {
  expect([...findRuns("aaaa", "aa")]).toEqual([0, 1, 2]);
  expect([...findRuns(["x", "y", "x", "y", "x"], ["x", "y", "x"])]).toEqual([0, 2]);
});
