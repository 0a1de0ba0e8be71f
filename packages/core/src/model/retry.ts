/** Makes a model try again when its provider is busy, for as long as nobody has seen a piece of the reply. */
import { setTimeout } from "node:timers/promises";
import { MemoirError } from "../shared/errors.ts";
import { isRetryable } from "./errors.ts";
import type { Model, ModelChunk, ModelRequest } from "./model.ts";

export interface RetryOptions {
  /** In all, the first included. */
  readonly tries?: number;
  /** Before the second try; doubled before each further one. */
  readonly firstDelayMs?: number;
  /** Longest time waited before all further tries together; a provider that asks for more is not waited for. */
  readonly maxWaitMs?: number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1: spreads waiting callers apart. */
  readonly random?: () => number;
  readonly onRetry?: (retry: {
    readonly error: MemoirError;
    readonly attempt: number;
    readonly delayMs: number;
  }) => void;
}

export function withRetries(model: Model, options: RetryOptions = {}): Model {
  return { stream: (request, signal) => streamWithRetries(model, options, request, signal) };
}

async function* streamWithRetries(
  model: Model,
  options: RetryOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const { tries = 3, sleep = sleepUnlessAborted, onRetry } = options;
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    let isSeen = false;
    try {
      for await (const chunk of model.stream(request, signal)) {
        isSeen = true;
        yield chunk;
      }
      return;
    } catch (error) {
      if (isSeen || attempt >= tries || signal.aborted || !isRetryable(error)) throw error;
      const failure = error as MemoirError;
      const delayMs = chooseDelay(failure, attempt, waitedMs, options);
      waitedMs += delayMs;
      onRetry?.({ error: failure, attempt, delayMs });
      await sleep(delayMs, signal);
    }
  }
}

/**
 * What the provider asked for if it did; else doubling from the first, each with a random half taken off. Throws the failure
 * when that would be too long, with what was waited already.
 */
export function chooseDelay(failure: MemoirError, attempt: number, waitedMs: number, options: RetryOptions): number {
  const { firstDelayMs = 500, maxWaitMs = 60_000, random = Math.random } = options;
  const { retryAfterMs } = failure.details;
  const doubled = firstDelayMs * 2 ** (attempt - 1) * (1 - random() / 2);
  const delayMs = typeof retryAfterMs === "number" ? retryAfterMs : doubled;
  if (waitedMs + delayMs > maxWaitMs) throw comeBackLater(failure);
  return delayMs;
}

/** A conversation does not wait for minutes: whoever sends the message is told when to send it again. */
function comeBackLater(failure: MemoirError): MemoirError {
  const { code, message, details, cause } = failure;
  if (typeof details.retryAfterMs !== "number") return failure;
  const text = `${message}; it asks to be called again in ${describeSpan(details.retryAfterMs)}`;
  return new MemoirError(code, text, { details, cause });
}

function describeSpan(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
}
