/** What an agent may call when. Stored with the agent; the loop obeys them. */
import type { JsonObject } from "./json.ts";

export type ToolRule =
  /** While nothing has been called, only tools with this rule are allowed; `args` are filled in. */
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
  /** The output of `tool` picks the next one. */
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

/** Each rule once, where it first stands. */
export function distinctRules(rules: readonly ToolRule[]): ToolRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}
