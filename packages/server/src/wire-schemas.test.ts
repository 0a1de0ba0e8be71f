/** The compiler compares each wire schema with its interface; a cast through `unknown` would switch that off. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = import.meta.dirname;

/** `optional` maps null to undefined and keeps the key optional; the settings union is made from a table of providers. */
const allowed = ["letta/models/schema.ts", "letta/shared/fields.ts"];

test("no wire schema is cast to its type", () => {
  const files = globSync("**/*.ts", { cwd: folder }).filter((file) => !file.endsWith(".test.ts"));
  const casts = files.flatMap((file) => {
    const text = readFileSync(`${folder}/${file}`, "utf8");
    return [...text.matchAll(/as\s+(?:unknown|any|never)\s+as\s+(?:z\.|Zod|Optional\b)/g)].map(() =>
      file.replaceAll("\\", "/"),
    );
  });
  expect(casts.sort()).toEqual(allowed);
});
