/**
 * Any number of texts through a provider that takes a few at once: three requests at a time, a batch that is refused for
 * its size halved until it passes, a busy provider asked again. Blank texts, which most refuse, become a space.
 */
import { isMemoirError, type MemoirError } from "../../shared/errors.ts";
import type { Embedder } from "../embedder.ts";
import { createModelError, isRetryable } from "../errors.ts";
import { chooseDelay, type RetryOptions, sleepUnlessAborted } from "../retry.ts";

export interface BatchContext {
  /** For messages to people. */
  readonly provider: string;
  readonly model: string;
  /** How long vectors must be; 0 for as long as they come. */
  readonly dimension: number;
  readonly retries?: RetryOptions;
}

type EmbedBatch = (texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>;

const atOnce = 3;

export function batchTexts(largest: number, context: BatchContext, embedBatch: EmbedBatch): Embedder {
  return {
    async embed(texts, signal) {
      const sent = texts.map((text) => (text.trim() === "" ? " " : text));
      const batches = Array.from({ length: Math.ceil(sent.length / largest) }, (_, index) =>
        sent.slice(index * largest, (index + 1) * largest),
      );
      const vectors: Float32Array[][] = [];
      let next = 0;
      // One that fails stops the others.
      const failing = new AbortController();
      const all = AbortSignal.any([signal, failing.signal]);
      const work = async () => {
        for (let index = next++; index < batches.length; index = next++) {
          vectors[index] = await embedOrHalve(batches[index] as string[], context, embedBatch, all);
        }
      };
      try {
        await Promise.all(Array.from({ length: Math.min(atOnce, batches.length) }, work));
      } catch (error) {
        failing.abort(error);
        throw error;
      }
      return vectors.flat();
    },
  };
}

async function embedOrHalve(
  texts: readonly string[],
  context: BatchContext,
  embedBatch: EmbedBatch,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  try {
    return checkVectors(await retry(() => embedBatch(texts, signal), context, signal), texts.length, context);
  } catch (error) {
    if (texts.length === 1 || signal.aborted || !isTooMuch(error)) throw error;
    const middle = Math.ceil(texts.length / 2);
    return [
      ...(await embedOrHalve(texts.slice(0, middle), context, embedBatch, signal)),
      ...(await embedOrHalve(texts.slice(middle), context, embedBatch, signal)),
    ];
  }
}

/** Refusals that fewer texts may not meet. */
function isTooMuch(error: unknown): boolean {
  return (
    isMemoirError(error, "llm-bad-request") ||
    isMemoirError(error, "llm-context-exceeded") ||
    (isMemoirError(error) && error.details.status === 422)
  );
}

async function retry<R>(work: () => Promise<R>, { retries = {} }: BatchContext, signal: AbortSignal): Promise<R> {
  const { tries = 3, sleep = sleepUnlessAborted } = retries;
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (attempt >= tries || signal.aborted || !isRetryable(error)) throw error;
      const delayMs = chooseDelay(error as MemoirError, attempt, waitedMs, retries);
      waitedMs += delayMs;
      await sleep(delayMs, signal);
    }
  }
}

function checkVectors(
  vectors: readonly (readonly number[])[],
  count: number,
  { provider, model, dimension }: BatchContext,
): Float32Array[] {
  const refuse = (fault: string) =>
    createModelError("llm-error", `${provider} answered with ${fault} for the embedding model ${model}`, {
      provider,
      model,
    });
  if (vectors.length !== count) throw refuse(`${vectors.length} vectors instead of ${count}`);
  return vectors.map((vector) => {
    const isWhole = vector.length > 0 && vector.every((value) => Number.isFinite(value));
    if (!isWhole) throw refuse("something that is no vector");
    if (dimension > 0 && vector.length !== dimension) {
      throw refuse(`vectors of ${vector.length} values instead of ${dimension}`);
    }
    return Float32Array.from(vector);
  });
}
