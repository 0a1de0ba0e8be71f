import { expect, test } from "vitest";
import type { VersionChange } from "../store/blocks/block-versions.ts";
import { diffLines } from "../store/blocks/line-diff.ts";
import { blameLines } from "./blame.ts";

/** Versions as the store keeps them; a number in place of a text restores that version. */
function makeChanges(texts: readonly (string | number)[]): VersionChange[] {
  const values: string[] = [];
  return texts.map((input, index) => {
    const value = typeof input === "number" ? (values[input - 1] ?? "") : input;
    const before = values.at(-1);
    values.push(value);
    const isCopy = before === undefined || index % 20 === 0;
    return {
      version: index + 1,
      label: "notes",
      description: null,
      charLimit: 100_000,
      readOnly: false,
      cause:
        typeof input === "number"
          ? { kind: "restore", userId: null, restoredVersion: input }
          : { kind: "api", userId: null },
      createdAt: index,
      value: isCopy ? value : null,
      diff: isCopy ? null : diffLines(before, value),
    };
  });
}

function show(texts: readonly (string | number)[]): string[] {
  return blameLines(makeChanges(texts)).map(({ text, origin, restoredIn }) =>
    [text, origin.version, ...(restoredIn === null ? [] : [`back in ${restoredIn}`])].join(" "),
  );
}

test("each line names the version that wrote it", () => {
  expect(show(["a\nb", "a\nb\nc", "a\nB\nc"])).toEqual(["a 1", "B 3", "c 2"]);
});

test("a rewrite of the whole text keeps the origin of the lines it leaves standing", () => {
  expect(show(["a\nb\nc\nd", "start\na\nc\nd\nend"])).toEqual(["start 2", "a 1", "c 1", "d 1", "end 2"]);
});

test("lines that a restore brings back keep their writer and say when they came back", () => {
  expect(show(["a\nb", "a", "a\nx", 1])).toEqual(["a 1", "b 1 back in 4"]);
});

test("a restore of a restore leads to the first writer", () => {
  expect(show(["a\nb", "", 1, "gone", 3])).toEqual(["a 1 back in 5", "b 1 back in 5"]);
});

test("walking on from a known version gives the same as walking from the first", () => {
  const texts = Array.from({ length: 60 }, (_, round) =>
    Array.from({ length: 8 }, (_, line) => `line ${line} of ${(round * (line + 3)) % 7}`).join("\n"),
  );
  const changes = makeChanges(texts);
  for (const cut of [1, 19, 20, 21, 45]) {
    const known = blameLines(changes.slice(0, cut));
    expect(blameLines(changes.slice(cut), known)).toEqual(blameLines(changes));
  }
});
