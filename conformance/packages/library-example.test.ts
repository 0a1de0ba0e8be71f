/** The example of docs/guides/library.md as a reader runs it: copied from the page into an empty folder, beside the package. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "../../scripts/install.cjs";
import { makeEmptyFolder, runOutside } from "../support/outside.ts";

const folder = makeEmptyFolder("library");
const page = readFileSync(join(ROOT, "docs", "guides", "library.md"), "utf8");
const example = findBlock(page, "ts");

beforeAll(() => {
  mkdirSync(join(folder, "node_modules", "@memoir"), { recursive: true });
  symlinkSync(join(ROOT, "packages", "core"), join(folder, "node_modules", "@memoir", "core"), "junction");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "reader", private: true, type: "module" }));
  writeFileSync(join(folder, "example.ts"), example);
});

test("the example has at most 15 lines", () => {
  expect(example.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
});

test("the example prints what the page says, also when its database is there already", async () => {
  const run = () => runOutside(process.execPath, ["--conditions=memoir-source", "example.ts"], { cwd: folder });
  for (const { status, stdout, stderr } of [await run(), await run()]) {
    expect(stdout, stderr).toBe(findBlock(page, "text"));
    expect(status).toBe(0);
  }
});

test("after the example a copy of the database file alone holds everything", async () => {
  expect(existsSync(join(folder, "memoir.db-wal"))).toBe(false);
  copyFileSync(join(folder, "memoir.db"), join(folder, "copy.db"));
  const copy = new DatabaseSync(join(folder, "copy.db"), { readOnly: true });
  const { agents } = copy.prepare("select count(*) as agents from agent").get() as { agents: number };
  const { ended } = copy.prepare("select count(*) as ended from run where ended_at is not null").get() as {
    ended: number;
  };
  copy.close();
  expect([agents, ended]).toEqual([2, 4]);
});

test("the example fits the types", async () => {
  const compilerOptions = { typeRoots: [join(ROOT, "node_modules", "@types")] };
  const config = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["example.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await runOutside(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { cwd: folder });
  expect(stdout.split("\n").filter((line) => /^(example\.ts|error)/.test(line))).toEqual([]);
});

test("README shows the same example", () => {
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});

/** The first fenced block of a language. */
function findBlock(markdown: string, language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(markdown) ?? [];
  if (text === undefined) throw new Error(`the page has no block of ${language}`);
  return text;
}
