/** The arguments that reach pip and npm. */
import { expect, test } from "vitest";
import { nameSet, readRequirements } from "./requirements.ts";

test("names and versions become words of the installers, sorted, the last of a package counting", () => {
  const pip = [{ name: "requests", version: "2.31.0" }, "httpx[http2]>=0.27, <1", { name: "Requests", version: null }];
  expect(readRequirements("python", pip).packages).toEqual(["Requests", "httpx[http2]>=0.27,<1"]);
  const npm = [{ name: "zod", version: "^4.0.0" }, "@scope/thing@1.0.0", "lodash"];
  expect(readRequirements("typescript", npm).packages).toEqual(["@scope/thing@1.0.0", "lodash", "zod@^4.0.0"]);
});

test.for([
  "--index-url=http://evil",
  "-r/etc/passwd",
  "pkg @ https://evil/x.whl",
  "git+https://evil/x",
  "./local",
  "../up",
  "/etc",
  "name; import os",
  "a b",
  "",
  "x\n--pre",
])("pip is never told %j", (text) => {
  expect(() => readRequirements("python", [text])).toThrow(/pip_requirements names/);
  expect(() => readRequirements("python", [{ name: "fine", version: text || "=" }])).toThrow(/pip_requirements names/);
});

test.for([
  "--registry=http://evil",
  "-g",
  "https://evil/x.tgz",
  "git+ssh://evil/x",
  "user/repo",
  "file:../up",
  "x@file:..",
  "x@npm:other@1",
  "x@github:user/repo",
  "../up",
  "",
])("npm is never told %j", (text) => {
  expect(() => readRequirements("typescript", [text])).toThrow(/npm_requirements names/);
});

test("conditions stand between commas, with a comma at the end where pip takes one", () => {
  const { packages } = readRequirements("python", ["a >= 1 , < 2", "b===1.0", "c~=1.4,"]);
  expect(packages).toEqual(["a>=1,<2", "b===1.0", "c~=1.4,"]);
  expect(() => readRequirements("python", ["a >=1 <2"])).toThrow(/pip_requirements names/);
});

test("a name or version longer than any package has is refused before it is read", () => {
  const bomb = `a${`==1${" ".repeat(10)}`.repeat(40)}==1@`;
  expect(() => readRequirements("python", [{ name: bomb }])).toThrow("at most 200 characters");
  expect(() => readRequirements("typescript", [{ name: "a", version: "1".repeat(201) }])).toThrow("at most 200");
});

test("a set has the same name for the same packages and interpreter only", () => {
  const [one, other] = [readRequirements("python", ["b", "a"]), readRequirements("python", ["a", "b"])];
  expect(nameSet(one, "3.11")).toBe(nameSet(other, "3.11"));
  expect(nameSet(one, "3.11")).not.toBe(nameSet(one, "3.12"));
  expect(nameSet(one, "3.11")).not.toBe(nameSet({ ...one, language: "typescript" }, "3.11"));
});
