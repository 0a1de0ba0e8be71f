import { expect, test } from "vitest";
import type { ToolRule } from "../shared/tool-rules.ts";
import {
  allowedTools,
  allowsParallelCalls,
  isContinue,
  isExit,
  mustCall,
  outstandingTools,
  prefilledArgs,
  withoutTools,
} from "./rules.ts";

const attached = ["a", "b", "c", "d"];
const after = (...called: string[]) => ({ called, lastOutput: undefined });
const returned = (output: string, ...called: string[]) => ({ called, lastOutput: output });

test("with no rules every attached tool may be called at any time", () => {
  expect(allowedTools([], attached, after())).toEqual(attached);
  expect(allowedTools([], attached, after("a"))).toEqual(attached);
  expect(mustCall([], after())).toBe(false);
});

test("run-first holds for the first call only, and the model must make it", () => {
  const rules: ToolRule[] = [
    { type: "run-first", tool: "b", args: null },
    { type: "run-first", tool: "c", args: null },
  ];
  expect(allowedTools(rules, attached, after())).toEqual(["b", "c"]);
  expect(mustCall(rules, after())).toBe(true);
  expect(allowedTools(rules, attached, after("b"))).toEqual(attached);
  expect(mustCall(rules, after("b"))).toBe(false);
});

test("children are the only choice right after their tool, and free afterwards", () => {
  const rules: ToolRule[] = [{ type: "children", tool: "a", children: ["b", "c"], childArgs: null }];
  expect(allowedTools(rules, attached, after("a"))).toEqual(["b", "c"]);
  expect(mustCall(rules, after("a"))).toBe(true);
  expect(allowedTools(rules, attached, after("a", "b"))).toEqual(attached);
});

test("a parent rule keeps its children away until the parent was called, and then allows only them", () => {
  const rules: ToolRule[] = [{ type: "parent", tool: "a", children: ["b"] }];
  expect(allowedTools(rules, attached, after())).toEqual(["a", "c", "d"]);
  expect(allowedTools(rules, attached, after("c"))).toEqual(["a", "c", "d"]);
  expect(allowedTools(rules, attached, after("a"))).toEqual(["b"]);
});

test("a limit of two allows two calls, not one", () => {
  const rules: ToolRule[] = [{ type: "max-count", tool: "a", limit: 2 }];
  expect(allowedTools(rules, attached, after("a"))).toContain("a");
  expect(allowedTools(rules, attached, after("a", "b", "a"))).toEqual(["b", "c", "d"]);
});

test.for([
  ["yes", "yes", "b"],
  ['"yes"', "yes", "b"],
  ["True", "true", "b"],
  ["2.0", "2", "b"],
  ["no", "yes", "d"],
  ["", "0", "d"],
])("the output %j picks the child of key %j: %s", ([output, key, expected]) => {
  const rules: ToolRule[] = [
    { type: "conditional", tool: "a", outputs: { [key as string]: "b" }, fallback: "d", isStrict: false },
  ];
  expect(allowedTools(rules, attached, returned(output as string, "a"))).toEqual([expected]);
});

test("without a fallback an unexpected output allows anything, or nothing if the mapping is strict", () => {
  const rule = { type: "conditional", tool: "a", outputs: { x: "b" }, fallback: null } as const;
  expect(allowedTools([{ ...rule, isStrict: false }], attached, returned("y", "a"))).toEqual(attached);
  expect(allowedTools([{ ...rule, isStrict: true }], attached, returned("y", "a"))).toEqual([]);
});

test("rules that contradict each other leave nothing to call", () => {
  const rules: ToolRule[] = [
    { type: "children", tool: "a", children: ["b"], childArgs: null },
    { type: "max-count", tool: "b", limit: 0 },
  ];
  expect(allowedTools(rules, attached, after("a"))).toEqual([]);
});

test("arguments set by rules apply at the start or right after the parent, later rules winning", () => {
  const rules: ToolRule[] = [
    { type: "run-first", tool: "a", args: { x: 1, y: 1 } },
    { type: "run-first", tool: "a", args: { y: 2 } },
    { type: "children", tool: "a", children: ["b"], childArgs: [{ name: "b", args: { z: 3 } }] },
  ];
  expect(prefilledArgs(rules, "a", after())).toEqual({ x: 1, y: 2 });
  expect(prefilledArgs(rules, "b", after("a"))).toEqual({ z: 3 });
  expect(prefilledArgs(rules, "b", after("c"))).toBeUndefined();
});

test("a run may not end while a required tool is uncalled, unless the agent lost it", () => {
  const rules: ToolRule[] = [
    { type: "required-before-exit", tool: "a" },
    { type: "required-before-exit", tool: "gone" },
  ];
  expect(outstandingTools(rules, attached, after("b"))).toEqual(["a"]);
  expect(outstandingTools(rules, attached, after("a"))).toEqual([]);
});

test("exit and continue rules are found by name; only approval rules allow several calls at once", () => {
  const rules: ToolRule[] = [
    { type: "exit", tool: "a" },
    { type: "continue", tool: "b" },
  ];
  expect(isExit(rules, "a")).toBe(true);
  expect(isContinue(rules, "b")).toBe(true);
  expect(isContinue(rules, "a")).toBe(false);
  expect(allowsParallelCalls(rules)).toBe(false);
  expect(allowsParallelCalls([{ type: "approval", tool: "a" }])).toBe(true);
});

test("rules that only a missing tool could satisfy are left out; guards of other tools stay", () => {
  const rules: ToolRule[] = [
    { type: "run-first", tool: "gone", args: null },
    { type: "children", tool: "a", children: ["gone", "b"], childArgs: null },
    { type: "children", tool: "b", children: ["gone"], childArgs: null },
    { type: "conditional", tool: "c", outputs: { yes: "gone", no: "d" }, fallback: "gone", isStrict: false },
    { type: "conditional", tool: "d", outputs: { yes: "gone" }, fallback: null, isStrict: true },
    { type: "parent", tool: "gone", children: ["d"] },
    { type: "required-before-exit", tool: "a" },
  ];
  expect(withoutTools(rules, new Set(["gone"]))).toEqual([
    { type: "children", tool: "a", children: ["b"], childArgs: null },
    { type: "conditional", tool: "c", outputs: { no: "d" }, fallback: null, isStrict: false },
    { type: "parent", tool: "gone", children: ["d"] },
    { type: "required-before-exit", tool: "a" },
  ]);
});
