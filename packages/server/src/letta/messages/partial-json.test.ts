import fc from "fast-check";
import { expect, test } from "vitest";
import { readPartialText } from "./partial-json.ts";

test("an argument grows with the JSON it stands in and never shrinks or changes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (thinking, message) => {
      const json = JSON.stringify({ thinking, message });
      let last = "";
      for (let length = 0; length <= json.length; length++) {
        const read = readPartialText(json.slice(0, length), "message");
        if (read === undefined) continue;
        expect(message.startsWith(read)).toBe(true);
        expect(read.length).toBeGreaterThanOrEqual(last.length);
        last = read;
      }
      expect(last).toBe(message);
    }),
  );
});

test("an argument that is no text, or not there, is none", () => {
  expect(readPartialText('{"message": 3}', "message")).toBeUndefined();
  expect(readPartialText('{"text": "message"}', "message")).toBeUndefined();
  expect(readPartialText('{"mess', "message")).toBeUndefined();
});
