import { expect, test } from "vitest";
import { BoundedText } from "./bounded-text.ts";
import { LineReader } from "./line-reader.ts";

/** As pipes deliver them: in buffers that others may write to as soon as they were handed over. */
function deliver(text: string, take: (part: Buffer) => unknown): void {
  for (const byte of Buffer.from(text)) {
    const part = Buffer.from([byte]);
    take(part);
    part.fill(0);
  }
}

test("a line that comes byte by byte holds on to none of the buffers it came in", () => {
  const reader = new LineReader(100);
  const lines: string[] = [];
  deliver("one\nzwölf\n\nopen", (part) => lines.push(...reader.add(part)));
  expect(lines).toEqual(["one", "zwölf", ""]);
  expect(reader.add(Buffer.from(" end\nnext\n"))).toEqual(["open end", "next"]);
});

test("a text that comes byte by byte holds on to none of them either, and is cut where it must be", () => {
  const text = new BoundedText(4);
  deliver("abcdef", (part) => text.add(part));
  expect(text.text).toBe("abcd… [NOTE: the output was cut: 6 bytes, limit 4]");
});

test("a line that is too long is not kept", () => {
  const reader = new LineReader(4);
  expect(reader.add(Buffer.from("abcdef\n"))).toEqual([]);
  expect(reader.isFlooded).toBe(true);
});
