/** What a builtin tool is: a function over the transaction that logs its result, so that both happen or neither. */
import type { JsonObject, JsonValue } from "../json.ts";
import type { BlockCause } from "../store/block-versions.ts";
import type { Scope } from "../store/scope.ts";

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
