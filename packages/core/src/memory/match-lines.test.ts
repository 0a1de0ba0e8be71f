import { expect, test } from "vitest";
import { matchLines } from "./match-lines.ts";
import { diffTexts, toUnifiedText } from "./unified-diff.ts";

const text = (lines: readonly string[]) => lines.join("\n");

test("lines that stay are found around two edits far apart", () => {
  const old = ["a", "b", "c", "d", "e"];
  expect(matchLines(old, ["A", "b", "c", "d", "E"])).toEqual([-1, 1, 2, 3, -1]);
  expect(matchLines(old, ["b", "new", "c", "e"])).toEqual([1, -1, 2, 4]);
});

test("long texts are matched by the lines that occur once, moved and repeated ones included", () => {
  const old = Array.from({ length: 5000 }, (_, index) => (index % 3 === 0 ? "" : `line ${index}`));
  const next = old.toSpliced(10, 2).toSpliced(2500, 0, "new one").toSpliced(4900, 1, "changed");
  const matches = matchLines(old, next);
  expect(matches.filter((match) => match < 0)).toHaveLength(2);
  for (const [index, match] of matches.entries()) if (match >= 0) expect(old[match]).toBe(next[index]);
  expect(matches.filter((match) => match >= 0)).toEqual(matches.filter((match) => match >= 0).sort((a, b) => a - b));
});

test("texts without a line in common, however long, are told apart at once", () => {
  const old = Array.from({ length: 60_000 }, () => "x");
  expect(matchLines(old, ["y", "z"])).toEqual([-1, -1]);
  const other = Array.from({ length: 60_000 }, () => "y");
  expect(matchLines(old, other).every((match) => match === -1)).toBe(true);
});

/** What `patch` would make of the old text. */
function applyHunks(before: string, after: string): string[] {
  const lines = before === "" ? [] : before.split("\n");
  let shift = 0;
  for (const hunk of diffTexts(before, after)) {
    const kept = hunk.lines.filter(({ kind }) => kind !== "added").map((line) => line.text);
    const made = hunk.lines.filter(({ kind }) => kind !== "removed").map((line) => line.text);
    const at = (hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1) + shift;
    expect(lines.splice(at, kept.length, ...made)).toEqual(kept);
    expect([kept.length, made.length]).toEqual([hunk.oldLines, hunk.newLines]);
    shift += made.length - kept.length;
  }
  return lines;
}

test("applying the hunks to the old text gives the new one, for a thousand pairs of texts", () => {
  let state = 7;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const makeText = () => text(Array.from({ length: random(30) }, () => `line ${random(12)}`));
  for (let round = 0; round < 1000; round++) {
    const [before, after] = [makeText(), makeText()];
    expect(text(applyHunks(before, after))).toBe(after);
  }
});

test("the unified text is what diff tools print, and empty for equal texts", () => {
  const old = text(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  const names = { old: "before", next: "after" };
  expect(toUnifiedText(diffTexts(old, old.replace("5", "five")), names)).toBe(
    "--- before\n+++ after\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
  expect(toUnifiedText(diffTexts("", "new"), names)).toBe("--- before\n+++ after\n@@ -0,0 +1,1 @@\n+new\n");
  expect(toUnifiedText(diffTexts(old, old), names)).toBe("");
});
