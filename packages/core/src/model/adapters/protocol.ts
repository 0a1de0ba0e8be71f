/**
 * A Model over a protocol. Adapters say how a request is sent and which concessions to make when the provider will not
 * have it; streaming, aborting and failing are the same for all.
 */
import type { MemoirError } from "../../shared/errors.ts";
import { cutStream, type ModelErrorContext, toModelError } from "../errors.ts";
import type { Model, ModelChunk, ModelRequest } from "../model.ts";
import type { PackagePart } from "./package-types.ts";
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
  /** Tools: the model knows none. */
  readonly tools?: boolean;
  /** Settings the server does not know, by their names in the request. */
  readonly fields?: readonly string[];
}

export interface Protocol {
  /** Asks; what the answer is made of, as it comes. */
  send(request: ModelRequest, without: Concessions, signal: AbortSignal): Promise<AsyncIterable<PackagePart>>;
  /** What to leave out so that a refused request passes; undefined when that would not help. May throw a better error. */
  concede(error: MemoirError, without: Concessions, request: ModelRequest): Concessions | undefined;
  /** True for an event in the stream that the package does not know and nobody has to. */
  isHarmless?(error: unknown): boolean;
}

export function speak(protocol: Protocol, access: AdapterAccess): Model {
  return { stream: (request, signal) => streamReply(protocol, access, request, signal) };
}

async function* streamReply(
  protocol: Protocol,
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
    const parts = await send(protocol, request, context, connection.signal);
    const builder = createReply((id) => isUsed(request, id));
    for await (const part of parts) {
      if (part.type !== "error") yield* builder.add(part);
      else if (!protocol.isHarmless?.(part.error)) throw part.error;
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

async function send(protocol: Protocol, request: ModelRequest, context: ModelErrorContext, signal: AbortSignal) {
  let without: Concessions = {};
  for (;;) {
    try {
      return await protocol.send(request, without, signal);
    } catch (error) {
      const failure = toModelError(error, context);
      const conceded = signal.aborted ? undefined : protocol.concede(failure, without, request);
      if (!conceded) throw failure;
      without = conceded;
    }
  }
}

function isUsed({ messages }: ModelRequest, callId: string): boolean {
  return messages.some((message) => message.role === "assistant" && message.toolCalls.some(({ id }) => id === callId));
}
