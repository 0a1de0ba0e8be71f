import { expect, test } from "vitest";
import type { ToolRule } from "../../shared/tool-rules.ts";
import { admitCall, codeTool, noteCalled, type ProgramCalls } from "./rules-for-code.ts";

const held = ["log_in", "transfer", "look_up", codeTool];

function admit(rules: readonly ToolRule[], name: string, called: string[] = [], before: string[] = []) {
  return admitCall(rules, held, before, { called, lastOutput: "no", hide: String, writing: new Set() }, name);
}

test("a program keeps to the order that rules ask for, among its own calls", () => {
  const parent: ToolRule = { type: "parent", tool: "log_in", children: ["transfer"] };
  expect(() => admit([parent], "transfer")).toThrow("[ToolConstraintError] Cannot call transfer at this point");
  expect(() => admit([parent], "transfer", ["log_in", "look_up"])).toThrow("valid tools include: [log_in, look_up");
  expect(admit([parent], "transfer", ["log_in"])).toEqual({});
  const childArgs = [{ name: "transfer", args: { amount: 1 } }];
  const children: ToolRule = { type: "children", tool: "log_in", children: ["transfer"], childArgs };
  expect(() => admit([children], "look_up", ["log_in"])).toThrow("valid tools include: [transfer]");
  expect(admit([children], "transfer", ["log_in"])).toEqual({ amount: 1 });
  const outputs = { yes: "transfer", no: "look_up" };
  const conditional: ToolRule = { type: "conditional", tool: "log_in", outputs, fallback: null, isStrict: true };
  expect(() => admit([conditional], "transfer", ["log_in"])).toThrow("valid tools include: [look_up]");
});

test("what the model called right before does not bind the first call of a program, nor do rules for the program", () => {
  const children = (tool: string): ToolRule => ({ type: "children", tool, children: [codeTool], childArgs: null });
  expect(admit([children("log_in"), children(codeTool)], "look_up", [], ["log_in"])).toEqual({});
  const first: ToolRule = { type: "run-first", tool: codeTool, args: null };
  expect(admit([first], "look_up")).toEqual({});
});

test("limits count the calls of the model and of the program together", () => {
  const limit: ToolRule = { type: "max-count", tool: "transfer", limit: 2 };
  expect(admit([limit], "transfer", [], ["transfer"])).toEqual({});
  expect(() => admit([limit], "transfer", ["transfer"], ["transfer"])).toThrow("its limit is 2 for one run");
});

test("what may follow a call depends on what came of it, not of one before it or beside it", () => {
  const outputs = { yes: "transfer" };
  const rule: ToolRule = { type: "conditional", tool: "log_in", outputs, fallback: null, isStrict: true };
  const program: ProgramCalls = { called: [], lastOutput: undefined, hide: String, writing: new Set() };
  const isAllowed = () => {
    try {
      return admitCall([rule], held, [], program, "transfer") !== undefined;
    } catch {
      return false;
    }
  };
  noteCalled(program, "log_in")("yes");
  expect(isAllowed()).toBe(true);
  // As long as the second has not answered, and if it fails.
  const second = noteCalled(program, "log_in");
  expect(isAllowed()).toBe(false);
  noteCalled(program, "log_in")("no");
  second("yes");
  expect(isAllowed()).toBe(false);
});
