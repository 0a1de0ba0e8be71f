import { expect, test } from "vitest";
import type { JsonObject } from "../../shared/json.ts";
import { exitTools, kindTraits } from "../../shared/kind-traits.ts";
import { openToolWorld } from "../../testing/builtin-tools.ts";
import { builtinExecutors, builtinTools } from "./list.ts";

test("every tool of these kinds can run", () => {
  const kinds = new Set(["core", "memory", "sleeptime"]);
  const names = builtinTools.filter(({ kind }) => kinds.has(kind)).map(({ name }) => name);
  expect([...builtinExecutors.keys()].sort()).toEqual([...names, "memory_str_insert", "memory_str_replace"].sort());
});

test("kinds of agents start with tools that exist, and turns end with tools that exist", () => {
  const known = new Set(builtinTools.map(({ name }) => name));
  const named = [...Object.values(kindTraits).flatMap(({ baseTools }) => baseTools), ...exitTools];
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test("speaking answers a confirmation, and nothing is not spoken", async (context) => {
  const world = await openToolWorld("sqlite", context);
  expect(await world.call("send_message", { message: "Hello" })).toBe("The message was sent.");
  expect(await world.call("send_message", { message: { answer: 42 } })).toBe("The message was sent.");
  for (const args of [{}, { message: "" }, { message: " \n" }, { message: null }] as JsonObject[]) {
    expect(await world.refuse("send_message", args)).toMatch(/nothing was sent\. Call again with the words/);
  }
});

test("finishing answers nothing", async (context) => {
  const world = await openToolWorld("sqlite", context);
  expect(await world.call("memory_finish_edits")).toBeNull();
});
