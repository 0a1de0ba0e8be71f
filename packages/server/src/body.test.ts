import { expect, test } from "vitest";
import { cleanText, parseJsonBody } from "./body.ts";
import { ValidationError } from "./validation-error.ts";

const refusal = (text: string): ValidationError => {
  try {
    parseJsonBody(text);
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new Error(`${text.slice(0, 50)} was accepted`);
};

test("an empty or blank body counts as absent", () => {
  expect(["", " ", "\r\n\t"].map(parseJsonBody)).toEqual([undefined, undefined, undefined]);
});

test("JSON comes through as it was sent", () => {
  const value = {
    text: 'quotes " and \\ and 日本語 🧠',
    list: [1, -2.5, 1e21, true, false, null, {}],
    "": "empty key",
  };
  expect(parseJsonBody(JSON.stringify(value))).toEqual(value);
  expect(["0", '"text"', "null", "[]"].map(parseJsonBody)).toEqual([0, "text", null, []]);
});

test.for([
  "{",
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":01}',
  "undefined",
  '{"a":1}{"a":2}',
  '"\n"',
])("%j is refused as no JSON", (text) => {
  const [record] = refusal(text).records;
  expect(record).toMatchObject({ type: "json_invalid", loc: ["body", 0] });
  expect(record?.msg).toMatch(/^JSON decode error: ./);
});

test("128 levels of nesting are read, one more is refused, and brackets inside texts do not count", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(parseJsonBody(nested(128))).toBeInstanceOf(Array);
  expect(refusal(nested(129)).records[0]?.msg).toContain("128 levels");
  expect(refusal('{"a":'.repeat(100_000)).records[0]?.msg).toContain("128 levels");
  const brackets = "[{".repeat(500);
  expect(parseJsonBody(JSON.stringify({ text: `"\\${brackets}` }))).toEqual({ text: `"\\${brackets}` });
});

test("NUL and halves of surrogate pairs are taken out of texts and keys, whole pairs stay", () => {
  const body =
    '{"a\\u0000b": "x\\u0000y\\ud800z\\uDFFF", "list": ["\\udc00\\ud83e", "\\ud83e\\udde0"], "n": [1, null]}';
  expect(parseJsonBody(body)).toEqual({ ab: "xyz", list: ["", "🧠"], n: [1, null] });
  expect(cleanText("\u0000a\ud800b🧠")).toBe("ab🧠");
});

test.for([
  '{"__proto__": {"admin": true}, "a": {"b": [{"__proto__": {"admin": true}}]}}',
  '{"\\u005f\\u005fproto\\u005f\\u005f": {"admin": true}, "a": {"b": [{}]}}',
  '{"__proto__\\u0000": {"admin": true}, "a": {"b": [{"_\\u0000_proto__": {"admin": true}}]}}',
])("%j reaches no prototype", (text) => {
  const parsed = parseJsonBody(text) as { a: { b: [object] } };
  expect(parsed).toEqual({ a: { b: [{}] } });
  for (const value of [parsed, parsed.a.b[0]]) {
    expect(Object.hasOwn(value, "__proto__")).toBe(false);
    expect(({ ...value } as { admin?: boolean }).admin).toBeUndefined();
  }
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test("of repeated keys the last counts", () => {
  expect(parseJsonBody('{"a": 1, "a": 2}')).toEqual({ a: 2 });
});
