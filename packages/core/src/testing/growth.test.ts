import { expect, test } from "vitest";
import { awkwardTexts, findGrowthFault } from "./growth.ts";

const spaces = awkwardTexts.filter(({ name }) => name === '" …x"');

function findAll(work: (text: string) => unknown): Promise<(string | undefined)[]> {
  return Promise.all(spaces.map((text) => findGrowthFault(work, text, 10_000)));
}

test("a parser that takes quadratic time is found", async () => {
  expect(await findAll((each) => /\s+$/.test(each))).toEqual([expect.stringContaining("times as long")]);
});

test("a parser that takes linear time is not, however long it takes", async () => {
  const parse = (text: string) => Array.from({ length: 300 }, () => text.replaceAll(" ", "_").length);
  expect(await findAll(parse)).toEqual([undefined]);
});
