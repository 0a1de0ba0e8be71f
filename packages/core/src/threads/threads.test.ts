import { expect, test } from "vitest";
import { MemoirError } from "../shared/errors.ts";
import { runOnThread, ThreadFailure } from "./threads.ts";

const options = { owner: "org", deadlineMs: 30_000 };
const page = (text: string) => ({ html: `<p>${text}</p>`, url: "http://a.test/" });
/** Nested labels: the parser scans the rest of the source again for each. */
const slow = `${"a:".repeat(2_500)};`;

test("pages, sources and values are read on a thread", async () => {
  expect(await runOnThread("read-html", page("Hello"), options)).toMatchObject({ text: "Hello" });
  const source = 'def roll(n: int) -> int:\n    """Rolls.\n\n    Args:\n        n: sides\n    """\n';
  expect(await runOnThread("describe-source", ["python", source], options)).toMatchObject({ name: "roll" });
  expect(await runOnThread("find-function", ["python", source, "other"], options)).toBe(false);
  const check = { schema: { type: "string", pattern: "^a$" }, value: "b", whole: "x" };
  expect(await runOnThread("check-value", check, options)).toEqual(['x must match pattern "^a$"']);
});

test("what a parser refuses is the same error as without a thread", async () => {
  const refused = runOnThread("describe-source", ["python", "def broken("], options);
  await expect(refused).rejects.toThrow(MemoirError);
  await expect(refused).rejects.toMatchObject({ code: "invalid-source" });
});

test("work that passes its deadline is ended, others are served meanwhile, and the next finds a thread", async () => {
  let turns = 0;
  const serve = setInterval(() => turns++, 1);
  await expect(runOnThread("strip-types", slow, { owner: "org", deadlineMs: 200 })).rejects.toThrow(ThreadFailure);
  clearInterval(serve);
  expect(turns).toBeGreaterThan(0);
  expect(await runOnThread("read-html", page("next"), options)).toMatchObject({ text: "next" });
});
