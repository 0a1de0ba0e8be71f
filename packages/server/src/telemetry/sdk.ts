/**
 * The SDK of OpenTelemetry with what is needed to send spans and figures over HTTP. Loaded only where an address is
 * configured. Names, headers, certificates and the resource are read by the packages themselves, from OTEL_ variables.
 */
import { context, DiagLogLevel, diag, metrics, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  CompositePropagator,
  loggingErrorHandler,
  setGlobalErrorHandler,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler as SdkSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Sampler, TelemetrySettings } from "./settings.ts";

export interface OpenSdk {
  /** Sends what waits. */
  close(): Promise<unknown>;
}

/** `complain` hears what could not be delivered. */
export function openSdk(settings: TelemetrySettings, version: string, complain: (reason: string) => void): OpenSdk {
  const { traces, metrics: figures } = settings;
  hear(complain);
  const own = resourceFromAttributes({ "service.name": "memoir", "service.version": version });
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  const tracing = traces ? openTraces(settings, traces, resource) : undefined;
  const metering = figures ? openMetrics(settings, figures, resource) : undefined;
  if (tracing) trace.setGlobalTracerProvider(tracing);
  if (metering) metrics.setGlobalMeterProvider(metering);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  return {
    async close() {
      for (const api of [trace, metrics, context, propagation]) api.disable();
      await Promise.allSettled([tracing?.shutdown(), metering?.shutdown()]);
      diag.disable();
      setGlobalErrorHandler(loggingErrorHandler());
    },
  };
}

type Resource = ReturnType<typeof defaultResource>;

function openTraces(settings: TelemetrySettings, url: string, resource: Resource): TracerProvider {
  const { format, sampler, spanQueue, spanDelayMs } = settings;
  const exporter = format === "json" ? new JsonTraces({ url }) : new ProtobufTraces({ url });
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: spanQueue,
    maxExportBatchSize: Math.min(512, spanQueue),
    scheduledDelayMillis: spanDelayMs,
  });
  return new TracerProvider({ resource, sampler: chooseSampler(sampler), spanProcessors: [batches] });
}

function chooseSampler({ share, followsCaller }: Sampler): SdkSampler {
  const root = share === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share);
  return followsCaller ? new ParentBasedSampler({ root }) : root;
}

function openMetrics({ format, metricIntervalMs }: TelemetrySettings, url: string, resource: Resource): MeterProvider {
  const exporter = format === "json" ? new JsonMetrics({ url }) : new ProtobufMetrics({ url });
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: Math.min(metricIntervalMs, 30_000),
  });
  return new MeterProvider({ resource, readers: [reader] });
}

/** The packages speak of failures in several ways. */
function hear(complain: (reason: string) => void): void {
  const silent = () => {};
  // Often it is named first who speaks, and what is said comes after it.
  const say = (...words: unknown[]) => complain(words.filter((word) => typeof word === "string").join(" "));
  diag.setLogger(
    { error: say, warn: say, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler((error) => complain(describe(error)));
}

function describe(error: unknown): string {
  if (typeof error === "string") return error;
  const { message = "", code = "", name = "" } = error as { message?: string; code?: string | number; name?: string };
  return [message || name, code].filter((part) => part !== "").join(", ");
}
