import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoirError } from "../shared/errors.ts";
import { findGrowthFault } from "../testing/growth.ts";
import { lineNumberBanner } from "./compile.ts";
import { appendText, insertText, rejectDisplayAids, replaceAllText, replaceOneText } from "./edit.ts";

/** Texts that are likely to repeat and overlap. */
const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\t", "\n", "$&", "🙂"), maxLength: 12 });
const some = text.filter((value) => value !== "");

function refused(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof MemoirError && error.code === "tool-failed") return error.message;
    throw error;
  }
  return expect.fail("this should have been refused");
}

function countOverlapping(value: string, part: string): number {
  let count = 0;
  for (let at = 0; at + part.length <= value.length; at++) if (value.startsWith(part, at)) count++;
  return count;
}

describe("appending", () => {
  test("starts a line, except in an empty block", () => {
    expect(appendText("", "one")).toBe("one");
    expect(appendText("one", "two")).toBe("one\ntwo");
    expect(appendText("one\n", "two")).toBe("one\n\ntwo");
  });

  test("keeps everything that was there", () => {
    fc.assert(
      fc.property(some, text, (value, content) => {
        expect(appendText(value, content)).toBe(`${value}\n${content}`);
      }),
    );
  });
});

describe("replacing every occurrence", () => {
  test("takes both texts literally", () => {
    fc.assert(
      fc.property(text, some, text, (value, old, next) => {
        const parts = value.split(old);
        if (parts.length === 1) expect(refused(() => replaceAllText("x", value, old, next))).toContain("not found");
        else expect(replaceAllText("x", value, old, next)).toBe(parts.join(next));
      }),
    );
  });

  test("says what to do when there is none", () => {
    expect(refused(() => replaceAllText("notes", "tea", "coffee", "-"))).toBe(
      "Old content 'coffee' not found in memory block 'notes'. Nothing was changed. Copy it from the block character for " +
        "character, line breaks included.",
    );
  });

  test("is refused for an empty text, which would be everywhere", () => {
    expect(refused(() => replaceAllText("x", "abc", "", "-"))).toMatch(/old_content is empty.*Quote the text/);
  });
});

describe("replacing one occurrence", () => {
  test("changes that place and nothing else, or refuses", () => {
    fc.assert(
      fc.property(text, some, text, (value, old, next) => {
        const count = countOverlapping(value, old);
        if (count === 1) {
          const at = value.indexOf(old);
          expect(replaceOneText("x", value, old, next)).toBe(
            `${value.slice(0, at)}${next}${value.slice(at + old.length)}`,
          );
        } else {
          const message = refused(() => replaceOneText("x", value, old, next));
          expect(message).toContain(count === 0 ? "does not occur" : "more than once");
        }
      }),
    );
  });

  test("undoes itself", () => {
    fc.assert(
      fc.property(text, some, some, (value, old, next) => {
        fc.pre(countOverlapping(value, old) === 1);
        const changed = replaceOneText("x", value, old, next);
        fc.pre(countOverlapping(changed, next) === 1);
        expect(replaceOneText("x", changed, next, old)).toBe(value);
      }),
    );
  });

  test("names the lines of several", () => {
    expect(refused(() => replaceOneText("notes", "tea\ncoffee\ntea, tea", "tea", "-"))).toBe(
      'No replacement was performed: "tea" occurs more than once in block "notes", on lines 1, 3. ' +
        "Quote more of its surroundings, until it is found in one place only.",
    );
    expect(refused(() => replaceOneText("notes", "a\nb\na\nb", "a\nb", "-"))).toContain("on lines 1, 3.");
    expect(refused(() => replaceOneText("notes", "aaa", "aa", "-"))).toContain("on line 1.");
    expect(refused(() => replaceOneText("notes", "x\n".repeat(50), "x", "-"))).toContain("19, 20 and more.");
  });

  test("says what to do when there is none", () => {
    expect(refused(() => replaceOneText("notes", "tea", "coffee", "-"))).toBe(
      'No replacement was performed: "coffee" does not occur in block "notes". ' +
        "Copy it from the block character for character, line breaks included.",
    );
    expect(refused(() => replaceOneText("notes", "tea", "", "-"))).toMatch(/old_string is empty.*Quote the text/);
  });

  test.for([
    ["a\tb", "a        b"],
    ["a       b", "a\tb"],
    ["\titem", "    item"],
    ["a\tb\nc", "a b\nc"],
  ] as const)("matches tabs as they are and says when they alone stand in the way: %j, %j", ([value, old]) => {
    for (const replace of [replaceOneText, replaceAllText]) {
      expect(refused(() => replace("x", value, old, "-"))).toMatch(/tabs and spaces.*Copy the spacing exactly\./);
    }
    expect(replaceOneText("x", value, value, "-")).toBe("-");
  });

  test("leaves tabs elsewhere in the block alone", () => {
    expect(replaceOneText("x", "\tone\n\ttwo\tthree", "two", "2")).toBe("\tone\n\t2\tthree");
  });

  test("does not take long over a text that overlaps itself everywhere", async () => {
    const replace = (value: string) => replaceOneText("x", value, value.slice(0, value.length / 2), "-");
    expect(refused(() => replace("a".repeat(20_000)))).toContain("on line 1.");
    const text = { name: "a…", write: (size: number) => "a".repeat(size) };
    expect(await findGrowthFault(replace, text, 400_000)).toBeUndefined();
  });

  test("quotes long texts in part", () => {
    const message = refused(() => replaceOneText("x", "", "🙂".repeat(5000), "-"));
    expect(message).toContain(`"${"🙂".repeat(200)}…"`);
    expect(message.length).toBeLessThan(700);
  });
});

describe("inserting", () => {
  const value = "one\ntwo";

  test.for([
    [-1, "one\ntwo\nnew"],
    [0, "new\none\ntwo"],
    [1, "one\nnew\ntwo"],
    [2, "one\ntwo\nnew"],
  ] as const)("after line %i", ([line, expected]) => {
    expect(insertText("x", value, "new", line)).toBe(expected);
  });

  test.for([-1, 0] as const)("at %i of an empty block leaves no empty line", (line) => {
    expect(insertText("x", "", "new\nlines", line)).toBe("new\nlines");
  });

  test("outside the block is refused with the range", () => {
    for (const line of [3, -2, 1.5, Number.NaN]) {
      expect(refused(() => insertText("x", value, "new", line))).toMatch(/has 2 lines.*\[0, 2\], or -1.*Call again/);
    }
    expect(refused(() => insertText("x", "", "new", 1))).toMatch(/has 0 lines.*\[0, 0\]/);
    expect(refused(() => insertText("x", "a", "new", 2))).toMatch(/has 1 line:.*\[0, 1\]/);
  });

  test("keeps every line there was, in its order", () => {
    fc.assert(
      fc.property(some, text, fc.nat(), (before, added, seed) => {
        const lines = before.split("\n");
        const line = seed % (lines.length + 1);
        const after = insertText("x", before, added, line).split("\n");
        const count = added.split("\n").length;
        expect([...after.slice(0, line), ...after.slice(line + count)]).toEqual(lines);
        expect(after.slice(line, line + count).join("\n")).toBe(added);
      }),
    );
  });
});

describe("what the prompt only shows", () => {
  test.for(["12→ tea", "  3→tea", "tea\n\t4→ milk", "1→"])("is refused: %j", (input) => {
    const message = refused(() => rejectDisplayAids("new_string", input));
    expect(message).toMatch(
      /^new_string has a line that starts with a number and an arrow.*Call again without them\.$/,
    );
  });

  test.for([lineNumberBanner, `tea\n${lineNumberBanner.slice(0, 60)}\nmilk`])("is refused: %j", (input) => {
    expect(refused(() => rejectDisplayAids("new_string", input))).toMatch(
      /^new_string holds the note about line numbers.*Call again without it\.$/,
    );
  });

  test.for(["", "Paris → Rome in 2 h", "chapter 12 → 13", "a1→b", "# NOTE: buy milk"])("is not this: %j", (input) => {
    rejectDisplayAids("new_string", input);
  });

  test("is found behind the marks of a patch", () => {
    for (const line of ["+12→ tea", "-12→ tea", " 12→ tea", "12→ tea"]) {
      expect(refused(() => rejectDisplayAids("patch", `@@\n${line}`, true))).toContain("without them");
    }
    rejectDisplayAids("patch", "@@\n+Paris → Rome", true);
  });
});
