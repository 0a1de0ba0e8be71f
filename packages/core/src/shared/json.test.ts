import { expect, test } from "vitest";
import { parseJson, parseJsonObject } from "./json.ts";

test("text that is not JSON has no value", () => {
  expect(["null", "[1]", '"a"', "{", "", "undefined"].map(parseJson)).toEqual([
    null,
    [1],
    "a",
    undefined,
    undefined,
    undefined,
  ]);
});

test("only an object counts as a JSON object", () => {
  expect(['{"a":1}', "null", "[1]", '"a"', "{"].map(parseJsonObject)).toEqual([
    { a: 1 },
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
