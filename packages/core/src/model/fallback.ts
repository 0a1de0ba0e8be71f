/** Models that stand in for each other: when one is busy, down or out of reach, the next is asked. */
import { type ErrorCode, MemoirError } from "../shared/errors.ts";
import type { Model, ModelChunk, ModelRequest } from "./model.ts";

export interface FallbackOptions {
  /** Told when a model is given up for the next, which counts from 0. */
  readonly onFallback?: (change: { readonly error: MemoirError; readonly next: number }) => void;
  /** The request for the model with that number: another model has another name and other limits. */
  readonly toRequest?: (request: ModelRequest, index: number) => ModelRequest;
}

/**
 * Tries each in turn. Only while nobody has seen a piece of the reply, and only for failures that are the provider's own:
 * what one refuses as wrong the others would refuse too. The last failure is thrown.
 */
export function withFallback(models: readonly [Model, ...Model[]], options: FallbackOptions = {}): Model {
  return { stream: (request, signal) => streamWithFallback(models, options, request, signal) };
}

async function* streamWithFallback(
  models: readonly Model[],
  { onFallback, toRequest = (request) => request }: FallbackOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  for (const [index, model] of models.entries()) {
    let isSeen = false;
    try {
      for await (const chunk of model.stream(toRequest(request, index), signal)) {
        isSeen = true;
        yield chunk;
      }
      return;
    } catch (error) {
      const isLast = index === models.length - 1;
      if (isSeen || isLast || signal.aborted || !mayHelp(error)) throw error;
      onFallback?.({ error, next: index + 1 });
    }
  }
}

const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["llm-rate-limit", "llm-overloaded", "llm-timeout"]);

/** Busy, or broken on its side: another may answer. A failure without a status is a connection that failed. */
function mayHelp(error: unknown): error is MemoirError {
  if (!(error instanceof MemoirError)) return false;
  if (passing.has(error.code)) return true;
  const { status } = error.details;
  return error.code === "llm-error" && (typeof status !== "number" || status >= 500);
}
