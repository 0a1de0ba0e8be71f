/**
 * Tool rules for the calls that a program makes. Limits count them together with the calls of the model. Rules about order
 * look at what the program itself called before: its own call lies between that and what the model had called.
 */
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { ToolRule } from "../../shared/tool-rules.ts";
import { allowedTools, type CallHistory, prefilledArgs } from "../../tools/rules.ts";
import type { HideSecrets } from "../secrets/redact-secrets.ts";

/** The tool that runs a program. */
export const codeTool = "run_code_with_tools";

/** What a program has called so far; it may make several calls at once. */
export interface ProgramCalls {
  readonly called: string[];
  /** Of the last of them, if it has answered. */
  lastOutput: string | undefined;
  /** Takes its secrets out of what it wants to have kept. */
  readonly hide: HideSecrets;
  /** What it has the server write at the moment: it may end without waiting for that. */
  readonly writing: Set<Promise<unknown>>;
}

/** The arguments that rules fill in. Throws where they do not allow the call. */
export function admitCall(
  input: readonly ToolRule[],
  held: readonly string[],
  before: readonly string[],
  program: ProgramCalls,
  name: string,
): JsonObject {
  const rules = input.filter(({ tool }) => tool !== codeTool);
  const history = { called: [...before, codeTool, ...program.called], lastOutput: program.lastOutput };
  const allowed = allowedTools(rules, held, history);
  if (allowed.includes(name)) return prefilledArgs(rules, name, history) ?? {};
  throw new MemoirError("tool-failed", `[ToolConstraintError] ${describeRefusal(rules, history, name, allowed)}`);
}

/** Takes the call down; what is told of its output counts as long as it is the last one. */
export function noteCalled(program: ProgramCalls, name: string): (output: string) => void {
  const place = program.called.push(name);
  program.lastOutput = undefined;
  return (output) => {
    if (program.called.length === place) program.lastOutput = output;
  };
}

function describeRefusal(
  rules: readonly ToolRule[],
  { called }: CallHistory,
  name: string,
  allowed: readonly string[],
): string {
  const count = called.filter((tool) => tool === name).length;
  const spent = rules.find((rule) => rule.type === "max-count" && rule.tool === name && count >= rule.limit);
  if (spent?.type === "max-count") {
    return `Cannot call ${name}: its limit is ${spent.limit} for one run, and that is used up. Nothing was done.`;
  }
  return `Cannot call ${name} at this point, valid tools include: [${allowed.join(", ")}]. Nothing was done.`;
}
