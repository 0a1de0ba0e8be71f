/** Rules for the order of tool calls, stored with the agent and enforced by the loop. */
import type { JsonObject } from "./json.ts";

export type ToolRule =
  /** Before the first call only tools with this rule are allowed; `args` are prefilled. */
  | { readonly type: "run-first"; readonly tool: string; readonly args: JsonObject | null }
  | { readonly type: "exit"; readonly tool: string }
  | { readonly type: "continue"; readonly tool: string }
  /** Right after `tool`, only its children are allowed. */
  | {
      readonly type: "children";
      readonly tool: string;
      readonly children: readonly string[];
      readonly childArgs: readonly ChildArgs[] | null;
    }
  /** The children are allowed only right after `tool`. */
  | { readonly type: "parent"; readonly tool: string; readonly children: readonly string[] }
  /** The output of `tool` selects the next tool. */
  | {
      readonly type: "conditional";
      readonly tool: string;
      readonly outputs: Readonly<Record<string, string>>;
      readonly fallback: string | null;
      readonly isStrict: boolean;
    }
  | { readonly type: "max-count"; readonly tool: string; readonly limit: number }
  | { readonly type: "required-before-exit"; readonly tool: string }
  | { readonly type: "approval"; readonly tool: string };

export interface ChildArgs {
  readonly name: string;
  readonly args: JsonObject | null;
}

/** Removes duplicates and keeps the first of each. */
export function distinctRules(rules: readonly ToolRule[]): ToolRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}
