/** Which tools may be called next, which must be, and when a run may end: pure functions over rules and history. */
import { type JsonObject, parseJson } from "../shared/json.ts";
import type { ToolRule } from "../shared/tool-rules.ts";

export interface CallHistory {
  /** Names of the tools called in this run, in order; refused calls do not count. */
  readonly called: readonly string[];
  /** What the last of them returned, as the model was shown it. */
  readonly lastOutput: string | undefined;
}

/** Empty means that nothing may be called: the run stops. */
export function allowedTools(rules: readonly ToolRule[], attached: readonly string[], history: CallHistory): string[] {
  const first = rules.filter((rule) => rule.type === "run-first").map(({ tool }) => tool);
  if (history.called.length === 0 && first.length > 0) return attached.filter((name) => first.includes(name));
  return rules.reduce((allowed, rule) => narrow(rule, allowed, history), [...attached]);
}

function narrow(rule: ToolRule, allowed: string[], history: CallHistory): string[] {
  const last = history.called.at(-1);
  switch (rule.type) {
    case "children":
      return last === rule.tool ? allowed.filter((name) => rule.children.includes(name)) : allowed;
    case "parent":
      return allowed.filter((name) => rule.children.includes(name) === (last === rule.tool));
    case "conditional":
      return last === rule.tool ? narrowByOutput(rule, allowed, history.lastOutput) : allowed;
    case "max-count": {
      const count = history.called.filter((name) => name === rule.tool).length;
      return count >= rule.limit ? allowed.filter((name) => name !== rule.tool) : allowed;
    }
    default:
      return allowed;
  }
}

function narrowByOutput(
  rule: Extract<ToolRule, { type: "conditional" }>,
  allowed: string[],
  output: string | undefined,
): string[] {
  const match = Object.entries(rule.outputs).find(([key]) => isSameOutput(key, output ?? ""));
  const next = match?.[1] ?? rule.fallback;
  if (next !== null) return allowed.filter((name) => name === next);
  return rule.isStrict ? [] : allowed;
}

/** Keys are text; numbers compare as numbers and booleans in any case. */
function isSameOutput(key: string, output: string): boolean {
  const text = output.trim();
  if (key === text || key === unquote(text)) return true;
  if (/^(true|false)$/i.test(key)) return key.toLowerCase() === text.toLowerCase();
  return key.trim() !== "" && text !== "" && Number(key) === Number(text);
}

function unquote(text: string): string {
  const parsed = parseJson(text);
  return typeof parsed === "string" ? parsed : text;
}

/** The model may not just talk now. */
export function mustCall(rules: readonly ToolRule[], history: CallHistory): boolean {
  const last = history.called.at(-1);
  if (last === undefined) return rules.some(({ type }) => type === "run-first");
  return rules.some((rule) => rule.tool === last && ["children", "parent", "conditional"].includes(rule.type));
}

/** Arguments that rules set; they win over the model's. */
export function prefilledArgs(rules: readonly ToolRule[], tool: string, history: CallHistory): JsonObject | undefined {
  const last = history.called.at(-1);
  let args: JsonObject | undefined;
  for (const rule of rules) {
    if (rule.type === "run-first" && last === undefined && rule.tool === tool) args = { ...args, ...rule.args };
    if (rule.type === "children" && rule.tool === last) {
      const node = rule.childArgs?.find(({ name }) => name === tool);
      if (node?.args) args = { ...args, ...node.args };
    }
  }
  return args;
}

export function isExit(rules: readonly ToolRule[], tool: string): boolean {
  return rules.some((rule) => rule.type === "exit" && rule.tool === tool);
}

/** A rule says outright that the run goes on after this tool. */
export function isContinue(rules: readonly ToolRule[], tool: string): boolean {
  return rules.some(
    (rule) => rule.tool === tool && ["continue", "children", "conditional", "parent"].includes(rule.type),
  );
}

/** Tools the run may not end without, still uncalled. */
export function outstandingTools(
  rules: readonly ToolRule[],
  attached: readonly string[],
  history: CallHistory,
): string[] {
  return rules
    .filter((rule) => rule.type === "required-before-exit")
    .map(({ tool }) => tool)
    .filter((tool) => attached.includes(tool) && !history.called.includes(tool));
}

/** Whether a rule asks how often the tool was called. */
export function isCounted(rules: readonly ToolRule[], tool: string): boolean {
  return rules.some((rule) => rule.tool === tool && ["max-count", "required-before-exit"].includes(rule.type));
}

export function needsApproval(rules: readonly ToolRule[], tool: string): boolean {
  return rules.some((rule) => rule.type === "approval" && rule.tool === tool);
}

/** Several calls at once make sense only where no rule looks at their order. */
export function allowsParallelCalls(rules: readonly ToolRule[]): boolean {
  return rules.every(({ type }) => type === "approval");
}

/** The rules without those that only a missing tool could satisfy; `parent` rules stay, because they guard other tools. */
export function withoutTools(rules: readonly ToolRule[], missing: ReadonlySet<string>): ToolRule[] {
  return rules.flatMap((rule): ToolRule[] => {
    if (rule.type === "parent") return [rule];
    if (missing.has(rule.tool)) return [];
    if (rule.type === "children") {
      const children = rule.children.filter((name) => !missing.has(name));
      return children.length === 0 ? [] : [{ ...rule, children }];
    }
    if (rule.type !== "conditional") return [rule];
    const outputs = Object.fromEntries(Object.entries(rule.outputs).filter(([, next]) => !missing.has(next)));
    const fallback = rule.fallback !== null && missing.has(rule.fallback) ? null : rule.fallback;
    return Object.keys(outputs).length === 0 && fallback === null ? [] : [{ ...rule, outputs, fallback }];
  });
}

/** The rule for a tool that bears another name from now on. */
export function renameTool(rule: ToolRule, from: string, to: string): ToolRule {
  const renamed = (name: string) => (name === from ? to : name);
  const tool = renamed(rule.tool);
  switch (rule.type) {
    case "children": {
      const childArgs = rule.childArgs?.map(({ name, args }) => ({ name: renamed(name), args })) ?? null;
      return { ...rule, tool, children: rule.children.map(renamed), childArgs };
    }
    case "parent":
      return { ...rule, tool, children: rule.children.map(renamed) };
    case "conditional": {
      const outputs = Object.fromEntries(Object.entries(rule.outputs).map(([key, next]) => [key, renamed(next)]));
      return { ...rule, tool, outputs, fallback: rule.fallback === null ? null : renamed(rule.fallback) };
    }
    default:
      return { ...rule, tool };
  }
}
