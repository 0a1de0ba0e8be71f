/** Source of one tool that breaks the parser must not affect another tool. */
import { expect, test } from "vitest";
import { stripTypes } from "./strip-types.ts";

test("types are blanked out, and what needs code is transformed", async () => {
  expect(await stripTypes("const a: number = 1;", "org")).toBe("const a         = 1;");
  expect(await stripTypes("enum One { one = 1 }", "org")).toContain('One["one"] = 1');
});

test.for([
  ["lists", `const a = ${"[".repeat(20_000)}${"]".repeat(20_000)};`],
  ["brackets", `const a = ${"(".repeat(20_000)}1${")".repeat(20_000)};`],
  ["blocks", `${"{".repeat(20_000)}${"}".repeat(20_000)}`],
  ["types", `let a: ${"A<".repeat(20_000)}B${">".repeat(20_000)};`],
  ["steps along a chain", `a${".b".repeat(20_000)};`],
])("a source with thousands of nested %s is refused, and the next one is read", async ([, source = ""]) => {
  await expect(stripTypes(source, "org")).rejects.toThrow("nested too deeply");
  expect(await stripTypes(`let a: string; // ${source.length}`, "org")).toContain("let a        ;");
});

test("a source that keeps the parser busy is given up, and others do not wait for it", async () => {
  // Starts both threads first, so that their start time does not count.
  await Promise.all(["hostile", "other"].map((owner) => stripTypes(`let a: string; // ${owner}`, owner)));
  const slow = stripTypes(`${"a:".repeat(2_500)};`, "hostile", 1_000);
  const other = stripTypes("let b: string;", "other");
  const first = await Promise.race([slow.catch(() => "slow"), other.then(() => "other")]);
  expect(first).toBe("other");
  await expect(slow).rejects.toThrow("too complicated");
  expect(await stripTypes("let c: string;", "hostile")).toContain("let c        ;");
});

test("what is no TypeScript is named", async () => {
  await expect(stripTypes("const a: = 1;", "org")).rejects.toThrow(SyntaxError);
  expect(await stripTypes("let d: string;", "org")).toContain("let d        ;");
});
