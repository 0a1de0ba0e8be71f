/** Where telemetry goes, from the variables that every program with OpenTelemetry reads. */
import type { Environment, ServerConfig } from "../config.ts";

export interface TelemetrySettings {
  /** Addresses; undefined: not sent. */
  readonly traces: string | undefined;
  readonly metrics: string | undefined;
  readonly format: "protobuf" | "json";
  readonly sampler: Sampler;
  /** Waiting spans, and how long they wait for others. */
  readonly spanQueue: number;
  readonly spanDelayMs: number;
  readonly metricIntervalMs: number;
}

export interface Sampler {
  /** How much of what begins here is kept, from 0 to 1. */
  readonly share: number;
  /** Whoever called us has decided for the whole trace. */
  readonly followsCaller: boolean;
}

type Given = Pick<ServerConfig, "otlpEndpoint" | "telemetry">;

/** Undefined where nothing is configured, or where it is switched off. */
export function readTelemetry({ otlpEndpoint, telemetry }: Given, given: Environment): TelemetrySettings | undefined {
  if (!telemetry) return undefined;
  const addressOf = (signal: "traces" | "metrics"): string | undefined => {
    const name = signal.toUpperCase();
    if (given[`OTEL_${name}_EXPORTER`]?.trim() === "none") return undefined;
    return (
      given[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`] ||
      (otlpEndpoint && `${otlpEndpoint.replace(/\/$/, "")}/v1/${signal}`)
    );
  };
  const [traces, metrics] = [addressOf("traces"), addressOf("metrics")];
  if (!traces && !metrics) return undefined;
  return {
    traces,
    metrics,
    format: given.OTEL_EXPORTER_OTLP_PROTOCOL?.trim() === "http/json" ? "json" : "protobuf",
    sampler: readSampler(given),
    spanQueue: readCount(given.OTEL_BSP_MAX_QUEUE_SIZE) ?? 2_048,
    spanDelayMs: readCount(given.OTEL_BSP_SCHEDULE_DELAY) ?? 5_000,
    metricIntervalMs: readCount(given.OTEL_METRIC_EXPORT_INTERVAL) ?? 60_000,
  };
}

/** What is likely to go wrong, in words for whoever set it. */
export function findMistake(
  { OTEL_EXPORTER_OTLP_PROTOCOL: protocol }: Environment,
  address: string,
): string | undefined {
  if (protocol?.trim() === "grpc") {
    return "Memoir sends telemetry over HTTP and not by gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf and the endpoint to the collector's port for HTTP, usually 4318";
  }
  if (URL.parse(address)?.port !== "4317") return undefined;
  return "port 4317 of a collector usually takes gRPC only, and Memoir sends telemetry over HTTP: name its port for HTTP, usually 4318";
}

function readSampler({ OTEL_TRACES_SAMPLER: name = "", OTEL_TRACES_SAMPLER_ARG: share = "" }: Environment): Sampler {
  const [, prefix = "", kind = ""] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name.trim()) ?? [];
  const given = Number(share.trim() || "1");
  const ratio = given >= 0 && given <= 1 ? given : 1;
  const followsCaller = kind === "" || prefix !== "";
  return { followsCaller, share: kind === "always_off" ? 0 : kind === "traceidratio" ? ratio : 1 };
}

function readCount(text = ""): number | undefined {
  return /^[1-9]\d*$/.test(text.trim()) ? Number(text) : undefined;
}
