import { expect, test } from "vitest";
import { awkwardTexts, findGrowthFault } from "./growth.ts";

const spaces = awkwardTexts.filter(({ name }) => name === '" …x"');

test("a parser that takes quadratic time is found", () => {
  expect(spaces.map((text) => findGrowthFault((each) => /\s+$/.test(each), text, 30_000))).toEqual([
    expect.stringContaining("times as long"),
  ]);
});

test("a parser that takes linear time is not, however long it takes", () => {
  const parse = (text: string) => Array.from({ length: 300 }, () => text.replaceAll(" ", "_").length);
  expect(spaces.map((text) => findGrowthFault(parse, text, 30_000))).toEqual([undefined]);
});
