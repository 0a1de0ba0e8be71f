/** The grammars that we ship are those that their makers publish, byte for byte. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/install.cjs";

const shipped = join(ROOT, "packages/core/src/tools/source/grammars");
const foreign = join(ROOT, "conformance/clients/node_modules");
const packages = [
  ["web-tree-sitter", join(ROOT, "node_modules")],
  ["tree-sitter-python", foreign],
  ["tree-sitter-typescript", foreign],
] as const;

const hash = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

test.for(packages)("%s", ([name, folder]) => {
  expect(hash(join(shipped, `${name}.wasm`))).toBe(hash(join(folder, name, `${name}.wasm`)));
  const { version, license } = JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8"));
  const [, holder] = /^(Copyright .*)$/m.exec(readFileSync(join(folder, name, "LICENSE"), "utf8")) ?? [];
  expect(license).toBe("MIT");
  expect(readFileSync(join(shipped, "LICENSE"), "utf8")).toContain(`- ${name}.wasm: ${name} ${version}, ${holder}\n`);
});

test("and there are no others", () => {
  expect(readdirSync(shipped).sort()).toEqual(["LICENSE", ...packages.map(([name]) => `${name}.wasm`).sort()]);
});
