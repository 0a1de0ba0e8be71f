import { expect, test } from "vitest";
import { rankTools } from "./rank-tools.ts";

const tool = (name: string, description: string | null = null, tags: string[] = []) => ({
  id: name,
  name,
  description,
  tags,
});
const tools = [
  tool("send_email", "Sends a letter by post or mail."),
  tool("rollDice", "Gives a random number."),
  tool("pick", "Picks one; like rolling a dice."),
  tool("shuffle", null, ["dice"]),
  tool("weather", "Says how warm it is."),
];
const names = (words: string[]) => rankTools(tools, words).map(({ name }) => name);

test("what is in the name counts more than a tag, a tag more than the description", () => {
  expect(names(["dice"])).toEqual(["rollDice", "shuffle", "pick"]);
});

test("words of one stem find each other, short ones only themselves", () => {
  expect(names(["rolling", "dices"])).toEqual(["rollDice", "pick", "shuffle"]);
  expect(names(["emails"])).toEqual(["send_email"]);
  expect(names(["ema"])).toEqual([]);
});

test("nothing fits, nothing is found", () => {
  expect(names(["banana"])).toEqual([]);
  expect(names([])).toEqual([]);
});
