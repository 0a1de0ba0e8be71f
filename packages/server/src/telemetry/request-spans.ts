/** One span for each request, from its first byte to the end of its answer, however long that streams. */
import { isMemoirError, isTelemetryOn, version } from "@memoir/core";
import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  type Meter,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ValidationError } from "../validation-error.ts";

export interface RequestSpan {
  within<R>(work: () => R): R;
  /** From here on the answer is a stream. */
  beginStream(): void;
  fail(error: unknown): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Where someone is told of requests. */
    span?: RequestSpan;
  }
}

export function openRequestSpans(app: FastifyInstance): void {
  if (!isTelemetryOn()) return;
  const tracer = trace.getTracer("memoir", version);
  const durations = createDurations(metrics.getMeter("memoir", version));
  app.decorateRequest("span");
  app.addHook("onRequest", (request, reply, done) => {
    request.span = openSpan(tracer, durations, request, reply);
    done();
  });
}

interface Durations {
  readonly request: Histogram;
  readonly stream: Histogram;
}

function createDurations(meter: Meter): Durations {
  const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
  const timed = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: bounds } });
  return {
    request: timed("memoir.request.duration", "From a request to the end of its answer"),
    stream: timed("memoir.stream.duration", "From the head of a streamed answer to its end"),
  };
}

function openSpan(tracer: Tracer, durations: Durations, request: FastifyRequest, { raw }: FastifyReply): RequestSpan {
  const route = request.routeOptions.url?.replaceAll(/:(\w+)/g, "{$1}");
  const labels: Attributes = { "http.request.method": request.method, ...(route ? { "http.route": route } : {}) };
  const parent = findParent(request);
  const span = tracer.startSpan(
    route ? `${request.method} ${route}` : request.method,
    { kind: SpanKind.SERVER, attributes: { ...labels, "memoir.request.id": request.id } },
    parent,
  );
  const place = trace.setSpan(parent, span);
  const startedAt = performance.now();
  let streamsSince: number | undefined;
  let code: string | undefined;
  // Comes also when the caller hangs up.
  raw.once("close", () => {
    const { statusCode: status, headersSent } = raw;
    const outcome = describeOutcome(headersSent ? status : undefined, code);
    span.setAttributes(outcome);
    const isFault = headersSent && status >= 500;
    if (isFault) span.setStatus({ code: SpanStatusCode.ERROR, message: String(outcome["error.type"]) });
    span.end();
    const now = performance.now();
    durations.request.record((now - startedAt) / 1000, { ...labels, ...outcome }, place);
    if (streamsSince !== undefined) durations.stream.record((now - streamsSince) / 1000, labels, place);
  });
  return {
    within: (work) => context.with(place, work),
    beginStream() {
      streamsSince = performance.now();
    },
    fail(error) {
      code = codeOf(error);
    },
  };
}

/** What another part of this process has begun, else what the caller says. */
function findParent({ headers }: FastifyRequest): Context {
  const active = context.active();
  return trace.getSpan(active) ? active : propagation.extract(active, headers);
}

/** Without a status nothing was answered: the caller had gone. */
function describeOutcome(status: number | undefined, code: string | undefined): Attributes {
  if (status === undefined) return { "error.type": "closed" };
  const error = status < 400 ? undefined : (code ?? String(status));
  return { "http.response.status_code": status, ...(error ? { "error.type": error } : {}) };
}

function codeOf(error: unknown): string | undefined {
  if (isMemoirError(error)) return error.code;
  return error instanceof ValidationError ? "invalid-input" : undefined;
}
