import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../testing/sources.ts";
import { version } from "./version.ts";

test("the program and its packages have one version, and ask for each other's at it", () => {
  const folders = readdirSync(join(root, "packages"));
  expect(folders.sort()).toEqual(["cli", "core", "server", "web"]);
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
    expect(manifest.version, folder).toBe(version);
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
    for (const [name, range] of Object.entries(wanted)) {
      if (name.startsWith("@memoir/")) expect(range, `${name}, wanted by ${folder}`).toBe(version);
    }
  }
});
