import { expect, test } from "vitest";
import { normalizeText } from "./normalize.ts";

test("letters of all languages are composed as by the built-in function", () => {
  const text = "cafe\u0301 Å ﬁ क्षि ก็ e\u0323\u0302";
  expect(normalizeText(text, "NFC")).toBe(text.normalize("NFC"));
  expect(normalizeText(text, "NFKC")).toBe(text.normalize("NFKC"));
});

test("of more marks than any letter has, none is lost", () => {
  const text = `e${"\u0316\u0301".repeat(500)}`;
  expect(normalizeText(text, "NFC")).toHaveLength(text.length);
});
