import fc from "fast-check";
import { expect, test } from "vitest";
import { createArgumentReader } from "./partial-json.ts";

/** The argument "message" after each of the pieces. */
function readPieces(pieces: readonly string[]): (string | undefined)[] {
  const reader = createArgumentReader(["message"]);
  let read: string | undefined;
  return pieces.map((piece) => {
    const grown = reader.add(piece).get("message");
    if (grown !== undefined) read = (read ?? "") + grown;
    return read;
  });
}

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size));
}

test("an argument grows with the JSON it stands in and never shrinks or changes, however it is cut", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }),
      fc.integer({ min: 1, max: 20 }),
      fc.jsonValue(),
      (thinking, message, size, other) => {
        const json = JSON.stringify({ thinking, other, message, last: [other] });
        const read = readPieces(cut(json, size));
        for (const each of read) expect(message.startsWith(each ?? "")).toBe(true);
        expect(read.at(-1) ?? "").toBe(message);
      },
    ),
  );
});

test("an escape is shown when it is whole, and a surrogate pair as one", () => {
  const pieces = cut('{"message":"\\n\\ud83d\\ude00\\\\u0041"}', 1);
  const read = readPieces(pieces).flatMap((text) => text ?? []);
  expect([...new Set(read)]).toEqual([
    "\n",
    "\n😀",
    "\n😀\\",
    "\n😀\\u",
    "\n😀\\u0",
    "\n😀\\u00",
    "\n😀\\u004",
    "\n😀\\u0041",
  ]);
});

test("an argument that is no text, not there, or inside another is none", () => {
  for (const json of [
    '{"message": 3, "x": "y"}',
    '{"text": "message"}',
    '{"mess',
    '{"a": {"message": "x"}}',
    '{"a": "{\\"message\\": \\"x\\""}',
    '["message", "x"]',
  ]) {
    expect(readPieces(cut(json, 2)).at(-1), json).toBeUndefined();
  }
});

test("the first of two arguments with one name is shown, not both", () => {
  expect(readPieces(['{"message":"a","message":"b"}'])).toEqual(["a"]);
});
