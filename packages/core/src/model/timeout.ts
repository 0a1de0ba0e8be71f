/** Gives up on a provider that neither answers nor says no. */
import { createModelError } from "./errors.ts";
import type { Model, ModelChunk, ModelRequest } from "./model.ts";

/** For a whole reply, thinking included. */
export const usualTimeoutMs = 600_000;

export function withTimeout(model: Model, timeoutMs: number = usualTimeoutMs): Model {
  return { stream: (request, signal) => streamWithTimeout(model, timeoutMs, request, signal) };
}

async function* streamWithTimeout(
  model: Model,
  timeoutMs: number,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  try {
    yield* model.stream(request, AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
    const { model: name, provider } = request.config;
    const message = `${provider ?? name} took longer than ${timeoutMs / 1000} s`;
    throw createModelError("llm-timeout", message, { provider: provider ?? "", model: name }, { isRetryable: true });
  } finally {
    clearTimeout(timer);
  }
}
