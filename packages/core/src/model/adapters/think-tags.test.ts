import fc from "fast-check";
import { expect, test } from "vitest";
import { createThinkSplitter } from "./think-tags.ts";

function split(pieces: readonly string[]) {
  const splitter = createThinkSplitter();
  const spoken = [...pieces.flatMap((piece) => splitter.add(piece)), ...splitter.end()];
  const join = (type: string) => spoken.flatMap((each) => (each.type === type ? [each.text] : [])).join("");
  return { reasoning: join("reasoning"), text: join("text") };
}

test.for([
  ["<think>\nHm.</think>\n\nHello.", { reasoning: "Hm.", text: "Hello." }],
  ["\n <think>Hm.\n</think>Hello.", { reasoning: "Hm.\n", text: "Hello." }],
  ["<thinking>Hm.</thinking> Hello.", { reasoning: "Hm.", text: "Hello." }],
  ["<think></think>Hello.", { reasoning: "", text: "Hello." }],
  ["<think>Cut off", { reasoning: "Cut off", text: "" }],
  ["<think>a </thi b</think>c", { reasoning: "a </thi b", text: "c" }],
  ["Plain text.", { reasoning: "", text: "Plain text." }],
  ["The tag <think> is used </think> so.", { reasoning: "", text: "The tag <think> is used </think> so." }],
  ["<thin", { reasoning: "", text: "<thin" }],
  ["<b>bold</b>", { reasoning: "", text: "<b>bold</b>" }],
  ["", { reasoning: "", text: "" }],
] as const)("%j", ([whole, expected]) => {
  expect(split([whole])).toEqual(expected);
  expect(split([...whole])).toEqual(expected);
});

test("where a text was cut changes nothing", () => {
  const piece = fc.oneof(fc.constantFrom("<think>", "</think>", "<", "think>", "\n", "</"), fc.string());
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(20)), (words, cuts) => {
      const whole = words.join("");
      const pieces: string[] = [];
      let rest = whole;
      for (const cut of cuts) {
        pieces.push(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      expect(split([...pieces, rest])).toEqual(split([whole]));
    }),
  );
});
