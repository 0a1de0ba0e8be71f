/**
 * A Model over a provider package: one call of `doStream`, no loop of theirs. Adapters say how a request is put and
 * which concessions to make when the provider will not have it; streaming, aborting and failing are the same for all.
 */
import type { MemoirError } from "../../errors.ts";
import type { ModelConfig } from "../../model-config.ts";
import { cutStream, type ModelErrorContext, toModelError } from "../errors.ts";
import type { Model, ModelChunk, ModelRequest } from "../model.ts";
import type { PackageModel, PackageOptions } from "./package-types.ts";
import { createReply } from "./reply.ts";

/** What an adapter is built from. */
export interface AdapterAccess {
  /** For messages to people. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** What a request may leave out when the provider refuses it otherwise. */
export interface Concessions {
  /** Earlier reasoning: the provider cannot verify it, because another model or account wrote it. */
  readonly reasoning?: boolean;
  /** Summaries of new reasoning: the account may not have them. */
  readonly summaries?: boolean;
}

export interface PackageAdapter {
  open(config: ModelConfig): PackageModel;
  toOptions(request: ModelRequest, without: Concessions): PackageOptions;
  /** What to leave out so that a refused request passes; undefined when that would not help. */
  concede(error: MemoirError, without: Concessions): Concessions | undefined;
  /** True for an event in the stream that the package does not know and nobody has to. */
  isHarmless?(error: unknown): boolean;
}

export function wrapPackage(adapter: PackageAdapter, access: AdapterAccess): Model {
  return { stream: (request, signal) => streamPackage(adapter, access, request, signal) };
}

async function* streamPackage(
  adapter: PackageAdapter,
  access: AdapterAccess,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const context: ModelErrorContext = {
    provider: access.provider,
    model: request.config.model,
    secrets: [access.apiKey, ...Object.values(access.headers)],
  };
  // Ours as well as the caller's: whoever stops listening must not leave the provider talking.
  const connection = new AbortController();
  const abort = () => connection.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    const stream = await openStream(adapter, request, context, connection.signal);
    const builder = createReply((id) => isUsed(request, id));
    for await (const part of stream) {
      if (part.type !== "error") yield* builder.add(part);
      else if (!adapter.isHarmless?.(part.error)) throw part.error;
    }
    const reply = builder.finish();
    if (!reply) throw cutStream(context);
    yield { type: "reply", reply };
  } catch (error) {
    throw signal.aborted ? signal.reason : toModelError(error, context);
  } finally {
    signal.removeEventListener("abort", abort);
    connection.abort();
  }
}

async function openStream(
  adapter: PackageAdapter,
  request: ModelRequest,
  context: ModelErrorContext,
  abortSignal: AbortSignal,
) {
  let without: Concessions = {};
  for (;;) {
    try {
      const options = adapter.toOptions(request, without);
      const { stream } = await adapter.open(request.config).doStream({ ...options, abortSignal });
      return stream;
    } catch (error) {
      const failure = toModelError(error, context);
      const conceded = abortSignal.aborted ? undefined : adapter.concede(failure, without);
      if (!conceded) throw failure;
      without = conceded;
    }
  }
}

function isUsed({ messages }: ModelRequest, callId: string): boolean {
  return messages.some((message) => message.role === "assistant" && message.toolCalls.some(({ id }) => id === callId));
}
