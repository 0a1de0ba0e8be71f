/** Connects to the OpenTelemetry SDK that the embedding program registered, if any. */
import { context, createNoopMeter, metrics, ProxyTracer, trace } from "@opentelemetry/api";
import { version } from "../shared/version.ts";
import { createInstruments } from "./instruments.ts";
import { openModelSpan } from "./model-span.ts";
import { openRunSpans } from "./run-spans.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";
import { runInSpan } from "./tool-span.ts";

const name = "memoir";

export function isTelemetryOn(): boolean {
  // Without an SDK the API returns no-op implementations.
  return !(trace.getTracer(name) instanceof ProxyTracer) || metrics.getMeter(name) !== createNoopMeter();
}

/** Called once at start, so an SDK that is registered later receives nothing. */
export function findTelemetry(): Telemetry {
  if (!isTelemetryOn()) return noTelemetry;
  const tracer = trace.getTracer(name, version);
  const instruments = createInstruments(metrics.getMeter(name, version));
  return {
    isOn: true,
    acceptRun(messages) {
      instruments.messages.add(messages);
      return context.active();
    },
    bind: (work) => context.bind(context.active(), work),
    openRun: (run, origin) => openRunSpans(tracer, instruments, run, origin),
    openModelCall: (config) => openModelSpan(tracer, instruments, config),
    runTool: (tool, callId, work, hasFailed) => runInSpan(tracer, instruments, tool, callId, work, hasFailed),
  };
}
