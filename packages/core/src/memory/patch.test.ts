import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoirError } from "../shared/errors.ts";
import { applyHunks, parsePatch } from "./patch.ts";

function patched(value: string, patch: string): string {
  const { isPlain, operations } = parsePatch("notes", patch);
  const [update] = operations;
  if (!isPlain || update?.type !== "update") return expect.fail("not a plain patch");
  return applyHunks("notes", value, update.hunks);
}

function refused(value: string, patch: string): string {
  try {
    parsePatch("notes", patch).operations.every(
      (operation) => operation.type !== "update" || applyHunks("notes", value, operation.hunks),
    );
  } catch (error) {
    if (error instanceof MemoirError && error.code === "tool-failed") return error.message;
    throw error;
  }
  return expect.fail("this should have been refused");
}

const lines = (...input: string[]) => input.join("\n");

describe("hunks", () => {
  test("replace, remove and add where their context stands", () => {
    const value = lines("Travel", "Prefers night trains", "Food", "Likes tea");
    expect(
      patched(
        value,
        lines("@@", " Travel", "-Prefers night trains", "+Prefers day trains", "@@", " Food", "+Likes rye bread"),
      ),
    ).toBe(lines("Travel", "Prefers day trains", "Food", "Likes rye bread", "Likes tea"));
  });

  test("need no opening line, and numbers after it do not count", () => {
    expect(patched("a\nb", "-a\n+c")).toBe("c\nb");
    expect(patched("a\nb", "@@ -90,3 +17,4 @@ heading\n-a\n+c")).toBe("c\nb");
  });

  test("made of + lines alone go to the end", () => {
    expect(patched("a", "@@\n+b\n+c")).toBe("a\nb\nc");
    expect(patched("", "+b\n+c")).toBe("b\nc");
  });

  test("see what the hunks before them left", () => {
    expect(patched("a", "@@\n-a\n+b\n@@\n-b\n+c")).toBe("c");
  });

  test("can take everything away", () => {
    expect(patched("a\nb", "-a\n-b")).toBe("");
  });

  test("with lines of dashes and plus signs lose nothing", () => {
    expect(patched("-- a\n--- \nb", "@@\n--- a\n---- \n+++ c\n++++ d")).toBe("++ c\n+++ d\nb");
    expect(patched("-- a\nb", "--- a\n+++ c\n@@\n-b\n+d")).toBe("++ c\nd");
    expect(patched("---\nb", "@@\n ---\n-b\n+d")).toBe("---\nd");
  });

  test("may stand under the names of files, as in a diff", () => {
    expect(patched("b", "--- a/notes\n+++ b/notes\n@@ -1 +1 @@\n-b\n+d")).toBe("d");
    expect(patched("b", "*** Begin Patch\n@@\n-b\n+d\n\\ No newline at end of file\n*** End Patch\n")).toBe("d");
  });

  test("take empty lines inside as lines that stay, around them as layout", () => {
    expect(patched("a\n\nb", "\n@@\n a\n\n-b\n+c\n\n")).toBe("a\n\nc");
    expect(patched("a\nb\n\nb", "@@\n \n-b\n+c")).toBe("a\nb\n\nc");
  });

  test("keep tabs and spaces", () => {
    expect(patched("\ta\n b ", "@@\n \ta\n- b \n+\tb")).toBe("\ta\n\tb");
  });
});

describe("refused, with what to do next", () => {
  test.for([
    ["", /has no hunk.*begin with a space.*Open each hunk with a line @@/],
    ["@@\n a", /changes nothing.*at least one must go or come/],
    ["@@\na\n+b", /Line 2 of the patch, "a", begins with none of the three marks.*begin with a space/],
    ["@@\n-z\n+b", /Hunk 1 fits nowhere in block "notes".*"z".*Copy the lines that stay and go exactly/],
    ["@@\n-a\n+b", /Hunk 1 fits several places.*lines 1, 3\..*Add neighbouring lines that stay/],
    ["@@\n-c\td\n+b", /fits nowhere.*tabs and spaces.*copy the spacing exactly/],
    ["*** Rename Block: a", /Line 1 of the patch.*no header that is known.*Write "\*\*\* Add Block: label"/],
    ["*** Update Block:  ", /names no block.*Put a label after the colon/],
    ["*** Update Block: a", /update of block "a" has no hunk.*begin with a space/],
    ["*** Move to: b", /has no block before it.*Name the block to rename/],
    ["*** Delete Block: a\n*** Move to: b", /has no block before it/],
    ["*** Delete Block: a\n-x", /Line 2 of the patch, "-x", cannot stay.*takes no lines.*leave it out/],
    ["+x\n*** Delete Block: a", /Line 1 of the patch, "\+x", cannot stay.*before the first header/],
    ["*** Add Block: a\n+x\ny", /Line 3 of the patch, "y", does not begin with \+.*Put a \+ in front/],
  ] as const)("%j", ([patch, message]) => {
    const text = refused("a\nb\na\nc d", patch);
    expect(text).toMatch(message);
    expect(text).toContain("Nothing was changed.");
  });

  test("shows four of the lines it looked for", () => {
    const message = refused("", `@@\n${["1", "2", "3", "4", "5", "6"].map((line) => `-${line}`).join("\n")}`);
    expect(message).toContain('"1", then "2", then "3", then "4", and 2 more');
  });
});

describe("operations", () => {
  test("of every kind, in their order", () => {
    const patch = lines(
      "*** Begin Patch",
      "*** Add Block: garden",
      "Description: Plants and beds",
      "+Tomatoes",
      "",
      "+*** Delete Block: x",
      "+",
      "",
      "*** Update Block: human",
      "@@",
      "-Ghent",
      "+Bruges",
      "*** Move to: ana",
      "*** Delete Block: scratch",
      "*** End Patch",
    );
    expect(parsePatch("ignored", patch)).toEqual({
      isPlain: false,
      operations: [
        {
          type: "add",
          label: "garden",
          description: "Plants and beds",
          value: "Tomatoes\n\n*** Delete Block: x",
        },
        {
          type: "update",
          label: "human",
          hunks: [
            {
              lines: [
                { kind: "-", text: "Ghent" },
                { kind: "+", text: "Bruges" },
              ],
              mayBeHeader: false,
            },
          ],
        },
        { type: "move", label: "human", to: "ana" },
        { type: "delete", label: "scratch" },
      ],
    });
  });

  test("go on under the new label after a move", () => {
    const { operations } = parsePatch("", "*** Update Block: a\n*** Move to: b\n@@\n-x\n+y\n*** Move to: c");
    expect(operations.map(({ type, label }) => [type, label])).toEqual([
      ["move", "a"],
      ["update", "b"],
      ["move", "b"],
    ]);
  });

  test("may add an empty block", () => {
    expect(parsePatch("", "*** Add Block: a").operations).toEqual([
      { type: "add", label: "a", description: null, value: "" },
    ]);
  });
});

describe("any two texts", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "-", "+", " ", "@", "*", "\t", "🙂"), maxLength: 6 });
  const body = fc.array(line, { minLength: 1, maxLength: 8 }).map((all) => all.join("\n"));
  const mark = (sign: string, value: string) => value.split("\n").map((each) => sign + each);

  test("a patch from one to the other gives the other", () => {
    fc.assert(
      fc.property(body, body, (before, after) => {
        fc.pre(before !== "");
        expect(patched(before, lines("@@", ...mark("-", before), ...mark("+", after)))).toBe(after);
      }),
    );
  });

  test("a new block gets exactly the lines written for it, but for empty ones at the end", () => {
    fc.assert(
      fc.property(body, (value) => {
        const { operations } = parsePatch("", lines("*** Add Block: x", ...mark("+", value)));
        expect(operations).toEqual([{ type: "add", label: "x", description: null, value: value.replace(/\n+$/, "") }]);
      }),
    );
  });

  test("any patch is applied or refused, never broken", () => {
    const wild = fc.array(
      fc.oneof(
        line,
        fc.constantFrom("@@", "*** Add Block: a", "*** Move to: b", "*** Update Block: a", "--- a", "+++ b"),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(body, wild, (value, patch) => {
        try {
          for (const operation of parsePatch("notes", patch.join("\n")).operations) {
            if (operation.type === "update") applyHunks("notes", value, operation.hunks);
          }
        } catch (error) {
          expect(error).toMatchObject({ code: "tool-failed" });
        }
      }),
    );
  });

  test("very long ones too", () => {
    const many = Array.from({ length: 300_000 }, (_, index) => `${index}`);
    expect(patched("a", `-a\n${many.map((each) => `+${each}`).join("\n")}`)).toBe(many.join("\n"));
  });
});

test("a patch of more hunks than anybody needs is refused", () => {
  const patch = Array.from({ length: 201 }, (_, index) => `@@\n+line ${index}`).join("\n");
  expect(() => parsePatch("a", patch)).toThrow("The patch has 201 hunks, and 200 are the most");
});
