/** Answers the calls that need not leave the commit: builtin tools, and calls that are refused before anything runs. */
import type { ToolCall } from "../../shared/content.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { findDatabaseFault } from "../../store/engine/database-faults.ts";
import { StaleWriteError } from "../../store/engine/entity.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { checkArguments, findMisfit, parseArguments } from "../../tools/arguments.ts";
import { builtinExecutors } from "../../tools/builtin/list.ts";
import { isClientTool } from "../../tools/client-tools.ts";
import { fitArguments } from "../../tools/fit-arguments.ts";
import { describeUnrunnable } from "../../tools/offered-tools.ts";
import { ownArguments } from "../../tools/parameters.ts";
import { allowedTools, prefilledArgs } from "../../tools/rules.ts";
import { argumentsSchema } from "../model-call/request.ts";
import type { OpenStep } from "../state.ts";
import type { Turn } from "../turn.ts";
import { describeError, failCall, forbidCall, type ResultEvent, succeedCall } from "./call-results.ts";

/** At most `max` calls are answered, in their order, so that each sees what the one before it wrote. */
export async function answerCalls(
  scope: Scope,
  turn: Turn,
  open: OpenStep,
  calls: readonly ToolCall[],
  max: number,
): Promise<ResultEvent[]> {
  const events: ResultEvent[] = [];
  for (const call of calls) {
    const event = await answerCall(scope, turn, open, call);
    if (event) events.push(event);
    if (events.length === max) break;
  }
  return events;
}

/** Undefined when the call has to run outside the commit. */
async function answerCall(scope: Scope, turn: Turn, open: OpenStep, call: ToolCall): Promise<ResultEvent | undefined> {
  const tool = findTool(turn, call);
  const refusal = rejectCall(turn, open, tool, call);
  if (refusal || !tool) return refusal;
  const run = builtinExecutors.get(tool.name);
  try {
    const args = readArguments(turn, open, tool, call);
    if (!run) return undefined;
    const work = () => scope.nested(() => run(scope, args, contextOf(turn, open, call)));
    return await turn.telemetry.runTool(tool, call.id, async () => succeedCall(tool, call, await work()));
  } catch (error) {
    // The transaction is run again with what the block holds now, or when the database works again.
    const isOfStore = error instanceof StaleWriteError || findDatabaseFault(error) !== undefined;
    if (isOfStore || !(error instanceof MemoirError)) throw error;
    return failCall(call, error.message, describeError(call, error));
  }
}

export function findTool({ tools }: Turn, call: ToolCall): Tool | undefined {
  return tools.find(({ name }) => name === call.name);
}

function rejectCall(turn: Turn, open: OpenStep, tool: Tool | undefined, call: ToolCall): ResultEvent | undefined {
  if (turn.forbidden.has(call.name)) return forbidCall(call);
  if (turn.unrunnable.has(call.name)) return failCall(call, describeUnrunnable(call.name));
  const names = turn.tools.map(({ name }) => name);
  const allowed = allowedTools(turn.agent.toolRules, names, open.history);
  if (!tool || !allowed.includes(call.name)) {
    const text = `[ToolConstraintError] Cannot call ${call.name}, valid tools include: [${allowed.join(", ")}].`;
    return { ...failCall(call, text), isViolation: true };
  }
  if (isClientTool(tool)) {
    const refused = findRefusedArguments(turn, open, call);
    return refused ?? failCall(call, `${tool.name} runs at the client, and the client gave no result.`);
  }
  const misfit = findMisfit(argumentsSchema(tool, turn), prefilledOf(turn, open, tool));
  if (misfit === undefined) return undefined;
  const text = `The tool rules of this agent fill in arguments that do not fit ${tool.name}: ${misfit}. Nothing was done.`;
  return { ...failCall(call, text), isMisfit: true };
}

function prefilledOf({ agent }: Turn, { history }: OpenStep, tool: Tool): JsonObject {
  return prefilledArgs(agent.toolRules, tool.name, history) ?? {};
}

/** The result of a call whose arguments do not fit its tool. */
export function findRefusedArguments(turn: Turn, open: OpenStep, call: ToolCall): ResultEvent | undefined {
  const tool = findTool(turn, call);
  try {
    if (tool) readArguments(turn, open, tool, call);
    return undefined;
  } catch (error) {
    if (!isMemoirError(error, "tool-failed")) throw error;
    return failCall(call, error.message);
  }
}

export function readArguments(turn: Turn, open: OpenStep, tool: Tool, call: ToolCall): JsonObject {
  const input = ownArguments(parseArguments(call.arguments));
  const schema = argumentsSchema(tool, turn);
  const args: JsonObject = { ...fitArguments(schema, input), ...prefilledOf(turn, open, tool) };
  checkArguments(tool.name, schema, args);
  return args;
}

function contextOf({ agent, conversation, run }: Turn, { reply }: OpenStep, call: ToolCall) {
  return {
    agentId: agent.id,
    conversationId: conversation.id,
    timezone: agent.timezone,
    cause: {
      kind: "tool" as const,
      userId: run.createdBy,
      agentId: agent.id,
      runId: run.id,
      stepId: reply.stepId,
      toolCallId: call.id,
    },
  };
}
