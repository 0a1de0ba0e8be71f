/** Gives up on a provider that neither answers nor refuses. */
import { createModelError } from "./errors.ts";
import type { Model, ModelChunk, ModelRequest } from "./model.ts";

export interface ModelTimeouts {
  /** The longest silence: before the first piece of a reply, and between two pieces. */
  readonly requestMs: number;
  /** The longest a whole reply may take, thinking included. */
  readonly streamMs: number;
}

/** Local models on slow machines may read a long prompt for minutes, and write for longer. */
export const defaultTimeouts: ModelTimeouts = { requestMs: 600_000, streamMs: 1_800_000 };

export function withTimeout(model: Model, timeouts: ModelTimeouts = defaultTimeouts): Model {
  return { stream: (request, signal) => streamWithTimeout(model, timeouts, request, signal) };
}

async function* streamWithTimeout(
  model: Model,
  { requestMs, streamMs }: ModelTimeouts,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const limit = new AbortController();
  const whole = setTimeout(() => limit.abort(`did not finish its reply within ${streamMs / 1000} s`), streamMs);
  const listen = () => setTimeout(() => limit.abort(`sent nothing for ${requestMs / 1000} s`), requestMs);
  let silence = listen();
  try {
    for await (const chunk of model.stream(request, AbortSignal.any([signal, limit.signal]))) {
      // The time that the caller takes for a piece does not count as the provider's silence.
      clearTimeout(silence);
      yield chunk;
      silence = listen();
    }
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
    const { model: name, provider } = request.config;
    const message = `${provider ?? name} ${limit.signal.reason}`;
    throw createModelError("llm-timeout", message, { provider: provider ?? "", model: name }, { isRetryable: true });
  } finally {
    clearTimeout(whole);
    clearTimeout(silence);
  }
}
