/** Runs the calls that belong into the commit: builtin tools, and calls that are refused before anything runs. */
import type { ToolCall, ToolReturn } from "../content.ts";
import { MemoirError } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import type { JsonObject } from "../json.ts";
import { StaleWriteError } from "../store/entity.ts";
import type { Scope } from "../store/scope.ts";
import type { Tool } from "../store/tools.ts";
import { checkArguments, parseArguments } from "../tools/arguments.ts";
import { builtinExecutors } from "../tools/builtin/list.ts";
import { showOutput } from "../tools/output.ts";
import { allowedTools, prefilledArgs } from "../tools/rules.ts";
import { argumentsSchema, heartbeatArgument } from "./request.ts";
import type { RunState } from "./state.ts";
import type { Turn } from "./turn.ts";

type ResultEvent = Extract<RunEvent, { type: "tool-result" }>;

/** The calls run in their order, so that each sees what the one before it wrote. */
export async function runBuiltinCalls(
  scope: Scope,
  turn: Turn,
  state: RunState,
  stepId: string,
  calls: readonly ToolCall[],
): Promise<ResultEvent[]> {
  const events: ResultEvent[] = [];
  // Rules look at what was called before this reply, not at its own earlier calls.
  for (const call of calls) {
    const event = await answerCall(scope, turn, state, stepId, call);
    if (event) events.push(event);
  }
  return events;
}

/** Undefined when the call has to run outside the commit. */
async function answerCall(
  scope: Scope,
  turn: Turn,
  state: RunState,
  stepId: string,
  call: ToolCall,
): Promise<ResultEvent | undefined> {
  const names = turn.tools.map(({ name }) => name);
  const allowed = allowedTools(turn.agent.toolRules, names, state);
  const tool = turn.tools.find(({ name }) => name === call.name);
  if (!tool || !allowed.includes(call.name)) {
    const text = `[ToolConstraintError] Cannot call ${call.name}, valid tools include: [${allowed.join(", ")}].`;
    return { ...toResult(call, failure(call, text, null)), isViolation: true };
  }
  const run = builtinExecutors.get(tool.name);
  if (!run) {
    const text = `${tool.name} cannot run on this server yet. Go on without it.`;
    return toResult(call, failure(call, text, null));
  }
  try {
    const args = readArguments(turn, state, tool, call);
    const cause = {
      kind: "tool" as const,
      userId: turn.run.createdBy,
      agentId: turn.agent.id,
      runId: turn.run.id,
      stepId,
      toolCallId: call.id,
    };
    const context = {
      agentId: turn.agent.id,
      conversationId: turn.conversation.id,
      timezone: turn.agent.timezone,
      cause,
    };
    const output = await scope.nested(() => run(scope, args, context));
    const text = showOutput(tool.name, output, tool.returnCharLimit);
    return toResult(call, { callId: call.id, name: call.name, status: "success", output: text });
  } catch (error) {
    // The transaction is run again with what the block holds now.
    if (error instanceof StaleWriteError || !(error instanceof MemoirError)) throw error;
    return toResult(call, failure(call, error.message, error.name));
  }
}

export function readArguments(turn: Turn, state: RunState, tool: Tool, call: ToolCall): JsonObject {
  const { [heartbeatArgument]: _, ...given } = parseArguments(call.arguments);
  const args: JsonObject = { ...given, ...prefilledArgs(turn.agent.toolRules, tool.name, state) };
  checkArguments(tool.name, argumentsSchema(tool, turn), args);
  return args;
}

function toResult(call: ToolCall, result: ToolReturn): ResultEvent {
  return { type: "tool-result", callId: call.id, result, isViolation: false };
}

function failure(call: ToolCall, text: string, errorName: string | null): ToolReturn {
  const stderr =
    errorName === null
      ? {}
      : { stderr: [`Error executing function ${call.name}: ${errorName}: ${text}`.slice(0, 1000)] };
  return { callId: call.id, name: call.name, status: "error", output: text, ...stderr };
}
