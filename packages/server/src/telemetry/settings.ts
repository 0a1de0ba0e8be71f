/** Where telemetry goes, from the variables that every program with OpenTelemetry reads. */
import type { Environment, ServerConfig } from "../config/settings.ts";

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
export function readTelemetry({ otlpEndpoint, telemetry }: Given, input: Environment): TelemetrySettings | undefined {
  if (!telemetry) return undefined;
  const addressOf = (signal: Signal): string | undefined => {
    if (input[`OTEL_${signal.toUpperCase()}_EXPORTER`]?.trim() === "none") return undefined;
    const own = input[addressVariable(signal)]?.trim();
    if (own) return isAddress(own) ? own : undefined;
    return otlpEndpoint && addPath(otlpEndpoint, `/v1/${signal}`);
  };
  const [traces, metrics] = [addressOf("traces"), addressOf("metrics")];
  if (!traces && !metrics) return undefined;
  return {
    traces,
    metrics,
    format: input.OTEL_EXPORTER_OTLP_PROTOCOL?.trim() === "http/json" ? "json" : "protobuf",
    sampler: readSampler(input),
    spanQueue: readCount(input.OTEL_BSP_MAX_QUEUE_SIZE) ?? 2_048,
    spanDelayMs: readCount(input.OTEL_BSP_SCHEDULE_DELAY) ?? 5_000,
    metricIntervalMs: readCount(input.OTEL_METRIC_EXPORT_INTERVAL) ?? 60_000,
  };
}

type Signal = "traces" | "metrics";

const addressVariable = (signal: Signal) => `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;

const isAddress = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

/** What stands behind a question mark stays behind the path. */
function addPath(address: string, path: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  return url.href;
}

function readSampler({ OTEL_TRACES_SAMPLER: name = "", OTEL_TRACES_SAMPLER_ARG: share = "" }: Environment): Sampler {
  const [, prefix = "", kind = ""] = samplerPattern.exec(name.trim()) ?? [];
  const ratio = sharePattern.test(share.trim()) ? Number(share) : 1;
  const followsCaller = kind === "" || prefix !== "";
  return { followsCaller, share: kind === "always_off" ? 0 : kind === "traceidratio" ? ratio : 1 };
}

function readCount(text = ""): number | undefined {
  return countPattern.test(text.trim()) ? Number(text) : undefined;
}

const samplerPattern = /^(parentbased_)?(always_on|always_off|traceidratio)$/;
const sharePattern = /^(0|0?\.\d+|1|1\.0+)$/;
/** No timer runs longer than a few weeks. */
const countPattern = /^[1-9]\d{0,8}$/;

const count = { pattern: countPattern, takes: "a whole number from 1 to 999999999" };

const readable: Readonly<Record<string, { readonly pattern: RegExp; readonly takes: string }>> = {
  OTEL_EXPORTER_OTLP_PROTOCOL: { pattern: /^(http\/(protobuf|json)|grpc)$/, takes: "http/protobuf or http/json" },
  OTEL_TRACES_SAMPLER: {
    pattern: samplerPattern,
    takes: "always_on, always_off or traceidratio, or one of them with parentbased_ before it",
  },
  OTEL_TRACES_SAMPLER_ARG: { pattern: sharePattern, takes: "a number from 0 to 1" },
  OTEL_BSP_MAX_QUEUE_SIZE: count,
  OTEL_BSP_SCHEDULE_DELAY: count,
  OTEL_METRIC_EXPORT_INTERVAL: count,
};

/** What cannot work as it was meant, in words for whoever set it. `settings`: what was made of it. */
export function listMistakes(input: Environment, settings: TelemetrySettings | undefined): string[] {
  const addresses = (["traces", "metrics"] as const).flatMap((signal) => {
    const text = input[addressVariable(signal)]?.trim();
    if (!text || isAddress(text)) return [];
    return `${addressVariable(signal)} must begin with http:// or https://, not "${text}": no ${signal} are sent`;
  });
  if (!settings) return addresses;
  const values = Object.entries(readable).flatMap(([name, { pattern, takes }]) => {
    const text = input[name]?.trim();
    return !text || pattern.test(text) ? [] : `${name} must be ${takes}, not "${text}": it counts as not set`;
  });
  return [...addresses, ...values, ...findGrpc(input, settings)];
}

function findGrpc(
  { OTEL_EXPORTER_OTLP_PROTOCOL: protocol }: Environment,
  { traces, metrics }: TelemetrySettings,
): string[] {
  if (protocol?.trim() === "grpc") {
    return [
      "Memoir sends telemetry over HTTP and not by gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf and the endpoint to the collector's port for HTTP, usually 4318",
    ];
  }
  if (![traces, metrics].some((address) => address && URL.parse(address)?.port === "4317")) return [];
  return [
    "port 4317 of a collector usually takes gRPC only, and Memoir sends telemetry over HTTP: name its port for HTTP, usually 4318",
  ];
}
