/**
 * Watches what is really sent to a provider and what comes back. Whoever wants to know runs the call inside `observe`;
 * models and `fetch` find out by themselves who watches, so that no adapter has to know. A call that nobody watches costs
 * nothing.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import { Exchange } from "./exchange.ts";
import type { Model, ModelReply, ModelRequest } from "./model.ts";
import type { Models } from "./providers.ts";
import { findSecrets, withoutUrlSecrets } from "./secrets.ts";

/** One request to one model, and the HTTP exchanges it took. */
export interface Asked {
  readonly request: ModelRequest;
  readonly exchanges: Exchange[];
  readonly startedAt: number;
  endedAt: number | undefined;
  reply: ModelReply | undefined;
  error: string | undefined;
}

export interface Observation {
  readonly asked: Asked[];
}

interface Watch {
  readonly asked: Asked[];
  /** Takes the body and lets nothing out. */
  readonly intercept?: (body: Uint8Array) => void;
}

const watches = new AsyncLocalStorage<Watch>();

/** What is seen is added to the observation while the work goes on, also if it fails. */
export function observe<R>(observation: Observation, work: () => Promise<R>): Promise<R> {
  return watches.run(observation, work);
}

/** The bytes that the model would send for this request. Nothing is sent. Undefined where there would be none. */
export async function renderBody(model: Model, request: ModelRequest): Promise<Uint8Array | undefined> {
  const stop = new AbortController();
  let rendered: Uint8Array | undefined;
  const intercept = (body: Uint8Array) => {
    rendered ??= body;
    stop.abort();
  };
  await watches.run({ asked: [], intercept }, async () => {
    try {
      for await (const _ of model.stream(request, stop.signal)) break;
    } catch {
      // It is stopped as soon as there is a body, and without one there is nothing to tell.
    }
  });
  return rendered;
}

export function observeModels(models: Models, telemetry: Telemetry = noTelemetry): Models {
  return {
    get: (config, access) => {
      const model = models.get(config, access);
      return { stream: (request, signal) => streamObserved(model, request, signal, telemetry) };
    },
  };
}

function streamObserved(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  telemetry: Telemetry,
): ReturnType<Model["stream"]> {
  const watch = watches.getStore() ?? (telemetry.isOn ? { asked: [] } : undefined);
  if (!watch) return model.stream(request, signal);
  return watchStream(watch, model, request, signal, watch.intercept ? noTelemetry : telemetry);
}

async function* watchStream(
  watch: Watch,
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  telemetry: Telemetry,
) {
  const asked: Asked = {
    request,
    exchanges: [],
    startedAt: Date.now(),
    endedAt: undefined,
    reply: undefined,
    error: undefined,
  };
  watch.asked.push(asked);
  const span = telemetry.openModelCall(request.config);
  let isBegun = false;
  let failure: unknown;
  try {
    for await (const chunk of model.stream(request, signal)) {
      if (!isBegun) {
        isBegun = true;
        span.begin();
      }
      if (chunk.type === "reply") {
        asked.reply = chunk.reply;
        asked.endedAt = Date.now();
      }
      yield chunk;
    }
  } catch (error) {
    failure = error;
    asked.error = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    asked.endedAt ??= Date.now();
    const { reply, exchanges } = asked;
    span.end({ reply, tries: exchanges.length, error: failure, isCancelled: signal.aborted && !isLate(signal) });
  }
}

/** Told to stop by a clock and not by someone. */
function isLate({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}

export function observeFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const watch = watches.getStore();
    if (!watch) return await fetch(input, init);
    const body = readBody(init);
    if (watch.intercept) {
      // Anything but the request itself, a token for it for instance, stays at home as well.
      if (body) watch.intercept(body);
      throw new Error("nothing is sent: only the request's body was wanted");
    }
    const asked = watch.asked.at(-1);
    if (!body || !asked) return await fetch(input, init);
    const secrets = findSecrets(String(input), init?.headers);
    const exchange = new Exchange(withoutUrlSecrets(String(input)), body, secrets);
    asked.exchanges.push(exchange);
    try {
      return exchange.watch(await fetch(input, init));
    } catch (error) {
      exchange.fail(error);
      throw error;
    }
  };
}

/** Undefined for what is no request to a model: those are JSON, and asking for a token is not. */
function readBody(init: RequestInit | undefined): Uint8Array | undefined {
  const body = init?.body;
  const type = new Headers(init?.headers).get("content-type") ?? "";
  if (!type.startsWith("application/json")) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof Uint8Array ? body : undefined;
}
