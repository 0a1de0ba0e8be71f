/** Which programs are accepted as interpreters. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findNode, findPython } from "./interpreters.ts";
import { countsByNamespace } from "./isolation/bubblewrap.ts";

test("the shim of a version manager is not taken for an interpreter", () => {
  const folder = mkdtempSync(join(tmpdir(), "memoir-shims-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const shim = join(folder, "python3");
  writeFileSync(shim, "#!/usr/bin/env bash\nexec pyenv exec python3\n");
  chmodSync(shim, 0o755);
  expect(findPython(shim)).toBeUndefined();
  expect(findPython(join(folder, "nothing"))).toBeUndefined();
});

test("links are followed to the program itself", () => {
  const node = findNode(() => {});
  expect(node.program).not.toContain(".bin");
  expect(node.prefix).toBe(node.program);
});

test.for([
  ["6.18.5", true],
  ["5.14.0-70.el9", true],
  ["5.10.0-28-amd64", false],
  ["4.19.0", false],
] as const)("kernel %s counts processes by sandbox: %s", ([kernel, answer]) => {
  expect(countsByNamespace(kernel)).toBe(answer);
});
