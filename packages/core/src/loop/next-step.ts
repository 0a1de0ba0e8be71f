/** What follows from a step whose calls are all answered: another step, or the end of the run and why. */
import type { StopReason } from "../shared/events.ts";
import type { ToolRule } from "../shared/tool-rules.ts";
import { heartbeatArgument } from "../tools/parameters.ts";
import { isContinue, isExit, outstandingTools } from "../tools/rules.ts";
import type { OpenStep, RunState } from "./state.ts";

export interface StepOutcome {
  readonly continues: boolean;
  readonly reason: StopReason | null;
  /** Told to the agent before the next step, as an event from the system. */
  readonly note: string | null;
}

export interface ConcludeInput {
  readonly rules: readonly ToolRule[];
  readonly toolNames: readonly string[];
  readonly speaksByTool: boolean;
}

export function concludeStep(state: RunState, open: OpenStep, input: ConcludeInput): StepOutcome {
  if (open.hasMisfit) return stop("invalid_tool_call");
  const decided = input.speaksByTool ? concludeSpoken(open, input) : concludeFree(open, input);
  const missing = outstandingTools(input.rules, input.toolNames, state);
  if (decided.continues || decided.reason === "no_tool_call" || missing.length === 0) return decided;
  return goOn(`Before you end your turn, you still have to call: ${missing.join(", ")}.`);
}

const goOn = (note: string | null): StepOutcome => ({ continues: true, reason: null, note });
const stop = (reason: StopReason): StepOutcome => ({ continues: false, reason, note: null });

/** A tool call continues, plain text ends. */
function concludeFree({ reply, violations }: OpenStep, { rules }: ConcludeInput): StepOutcome {
  if (reply.toolCalls.length === 0) return stop(reply.isCut ? "max_tokens_exceeded" : "end_turn");
  const isEnd = reply.toolCalls.some((call) => !violations.has(call.id) && isExit(rules, call.name));
  return isEnd ? stop("tool_rule") : goOn(null);
}

/** Older kinds make one call a step and go on when they ask for a heartbeat, or when something makes them. */
function concludeSpoken({ reply, violations, results }: OpenStep, { rules }: ConcludeInput): StepOutcome {
  const call = reply.toolCalls[0];
  if (!call) return stop("no_tool_call");
  if (violations.has(call.id)) return goOn("That call was refused by a rule. Read the error and try another way.");
  const wantsMore = asksForHeartbeat(call.arguments);
  if (isExit(rules, call.name)) return stop(wantsMore ? "tool_rule" : "end_turn");
  if (results.get(call.id)?.status === "error") return goOn("The call failed. Read the error and decide what to do.");
  if (isContinue(rules, call.name)) return goOn("The tool has run. Go on with your turn.");
  return wantsMore ? goOn("You asked to go on after this call.") : stop("end_turn");
}

function asksForHeartbeat(args: string): boolean {
  try {
    const parsed: unknown = JSON.parse(args);
    const value = (parsed as Record<string, unknown> | null)?.[heartbeatArgument];
    return value === true || String(value).toLowerCase() === "true";
  } catch {
    return false;
  }
}
