/**
 * What tools are to the loop. A builtin one is a function over the transaction that logs its result, so that both happen
 * or neither. Everything else runs outside, between the commit that says it starts and the one that holds its result.
 */
import type { JsonObject, JsonValue } from "../json.ts";
import type { BlockCause } from "../store/block-versions.ts";
import type { Scope } from "../store/scope.ts";
import type { Tool } from "../store/tools.ts";

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
  readonly agentId: string;
  readonly conversationId: string;
  readonly runId: string;
  readonly callId: string;
  /** The same however often this call is made, and of no other. */
  readonly key: string;
  /** Aborted when the run is cancelled or the call takes too long. */
  readonly signal: AbortSignal;
}

/** Runs one tool outside the commit. What it throws becomes the call's result. */
export interface Executor {
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  run(args: JsonObject, call: OutsideCall): Promise<ToolOutput>;
}

export interface Executors {
  find(tool: Tool): Executor | undefined;
}
