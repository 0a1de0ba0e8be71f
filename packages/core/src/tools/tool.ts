/**
 * What tools are to the loop. A builtin one is a function over the transaction that logs its result, so that both happen
 * or neither. Everything else runs outside, between the commit that says it starts and the one that holds its result.
 */
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { ToolPrint } from "../shared/tool-failure.ts";
import type { BlockCause } from "../store/blocks/block-versions.ts";
import type { Scope } from "../store/engine/scope.ts";
import type { Tool } from "../store/tools/tools.ts";

export interface ToolContext {
  readonly agentId: string;
  readonly conversationId: string;
  readonly timezone: string;
  /** Written down with every block the tool changes. */
  readonly cause: BlockCause;
}

/** Null reaches the model as the word None, objects as JSON. */
export type ToolOutput = JsonValue;

/**
 * Runs inside a transaction: it may await nothing but statements of its scope. A MemoirError with the code `tool-failed`
 * is what the model is told: it says what went wrong and what to do next.
 */
export type RunBuiltin = (scope: Scope, args: JsonObject, context: ToolContext) => Promise<ToolOutput>;

/**
 * What making a call a second time would mean, for when nobody knows whether the first had its effect: `read` and
 * `idempotent` calls are simply made again, `keyed` ones with the same key, by which the other side knows them;
 * `unsafe` ones are not, and the agent is told.
 */
export type ToolEffect = "read" | "idempotent" | "keyed" | "unsafe";

export interface OutsideCall {
  readonly orgId: string;
  /** Who sent the message that led to it. */
  readonly userId: string | null;
  readonly agentId: string;
  readonly conversationId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly callId: string;
  /** Names of the tools that the run had called before, in order. */
  readonly called: readonly string[];
  /** Where a run keeps count: writes down that this call is about to call another tool of the agent itself. */
  readonly noteCall?: (tool: string) => Promise<void>;
  /** The same however often this call is made, and of no other. */
  readonly key: string;
  /** Aborted when the run is cancelled or the call takes too long. */
  readonly signal: AbortSignal;
}

export interface ToolOutcome extends ToolPrint {
  readonly output: ToolOutput;
}

/** Runs one tool outside the commit. What it throws becomes the call's result. */
export interface Executor {
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  run(args: JsonObject, call: OutsideCall): Promise<ToolOutcome>;
}

export function describeLate(tool: string, { timeoutMs }: Pick<Executor, "timeoutMs">): string {
  return `${tool} did not answer within ${timeoutMs / 1000} seconds.`;
}

export interface Executors {
  find(tool: Tool): Executor | undefined;
}

/** The first that knows a tool runs it. */
export function joinExecutors(...all: readonly Executors[]): Executors {
  return {
    find(tool) {
      for (const executors of all) {
        const found = executors.find(tool);
        if (found) return found;
      }
      return undefined;
    },
  };
}
