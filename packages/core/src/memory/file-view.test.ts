import { expect, test } from "vitest";
import { viewFile } from "./file-view.ts";

test("lines are numbered, and empty ones have no number", () => {
  expect(viewFile("  one \r\n\r\n two\n", "text/plain", 1000)).toBe(
    "[Viewing file start (out of 2 lines)]\n1: one\n2: two",
  );
  expect(viewFile("", null, 1000)).toBe("[Viewing file start (out of 0 lines)]");
});

test("code keeps its indentation", () => {
  expect(viewFile("def f():\n    return 1  \n", "text/x-python", 1000)).toBe(
    "[Viewing file start (out of 2 lines)]\n1: def f():\n2:     return 1",
  );
});

test("prose is numbered by sentences, wherever its lines end", () => {
  expect(viewFile("First one.\nIt goes\n\non! Version 2.0 came. then more", "text/markdown", 1000)).toBe(
    "[Viewing file start (out of 3 sentences)]\n1: First one.\n2: It goes on!\n3: Version 2.0 came. then more",
  );
});

test("a view is cut to what fits, and says so", () => {
  const view = viewFile("word ".repeat(100), "text/plain", 120);
  expect(view).toHaveLength(120);
  expect(view).toMatch(/\.\.\.\[TRUNCATED\]\n.+$/);
});
