/** Makes a model try again when its provider is busy, for as long as nobody has seen a piece of the reply. */
import { setTimeout } from "node:timers/promises";
import type { MemoirError } from "../errors.ts";
import { isRetryable } from "./errors.ts";
import type { Model, ModelChunk, ModelRequest } from "./model.ts";

export interface RetryOptions {
  /** In all, the first included. */
  readonly tries?: number;
  /** Before the second try; doubled before each further one. */
  readonly firstDelayMs?: number;
  /** Longest wait, also when the provider asks for more. */
  readonly longestDelayMs?: number;
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
      const delayMs = chooseDelay(failure, attempt, options);
      onRetry?.({ error: failure, attempt, delayMs });
      await sleep(delayMs, signal);
    }
  }
}

/** What the provider asked for if it did; else doubling from the first, each with a random half taken off. */
export function chooseDelay({ details }: MemoirError, attempt: number, options: RetryOptions): number {
  const { firstDelayMs = 500, longestDelayMs = 60_000, random = Math.random } = options;
  const wanted =
    typeof details.retryAfterMs === "number"
      ? details.retryAfterMs
      : firstDelayMs * 2 ** (attempt - 1) * (1 - random() / 2);
  return Math.min(wanted, longestDelayMs);
}

export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
}
