/**
 * Starts telemetry where an address for it is configured. Nothing about it keeps a server from starting, working or
 * stopping: what is wrong is said in the log.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isTelemetryOn, type Log, version } from "@memoir/core";
import type { Environment, ServerConfig } from "../config/settings.ts";
import type { OpenSdk } from "./sdk.ts";
import { listMistakes, readTelemetry } from "./settings.ts";

export interface RunningTelemetry {
  /** Sends what waits, for two seconds at most. */
  close(): Promise<void>;
}

type Sdk = Pick<typeof import("./sdk.ts"), "openSdk">;
type LoadSdk = () => Promise<Sdk>;

const nothing: RunningTelemetry = { close: async () => {} };

/** Optional peers of @memoir/server; the program memoir carries them. */
const packages = [
  ...["sdk-trace@3", "sdk-metrics@3", "resources@3", "core@3", "context-async-hooks@3"],
  ...["exporter-trace-otlp-http", "exporter-trace-otlp-proto"].map((name) => `${name}@0.301`),
  ...["exporter-metrics-otlp-http", "exporter-metrics-otlp-proto"].map((name) => `${name}@0.301`),
].map((name) => `@opentelemetry/${name}`);

const timeoutMs = 2_000;
const pauseMs = 60_000;

export async function startTelemetry(
  config: Pick<ServerConfig, "otlpEndpoint" | "telemetry">,
  environment: Environment,
  log: Log,
  load: LoadSdk = () => import("./sdk.ts"),
): Promise<RunningTelemetry> {
  // Whoever has registered an SDK before, by a module loaded ahead of us for instance, is told of everything as it is.
  if (!config.telemetry || isTelemetryOn()) return nothing;
  const settings = readTelemetry(config, environment);
  for (const mistake of listMistakes(environment, settings)) log.warn({}, mistake);
  const sdk = settings && (await tryLoading(load, log));
  if (!sdk) return nothing;
  const complaints = createComplaints(log);
  const opened = sdk.openSdk(settings, version, complaints.hear);
  complaints.beginDelivery();
  return { close: () => closeInTime(opened) };
}

async function closeInTime(sdk: OpenSdk): Promise<void> {
  const done = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([sdk.close(), late]);
  done.abort();
}

async function tryLoading(load: LoadSdk, log: Log): Promise<Sdk | undefined> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    log.warn(
      {},
      `telemetry is configured and not sent: it needs packages that do not come with @memoir/server. Install them with ` +
        `npm install ${packages.join(" ")}, or say MEMOIR_TELEMETRY=off`,
    );
    return undefined;
  }
}

/**
 * What is said while it opens is about variables that the packages read themselves. Later it is that a collector is away,
 * which it stays for a while: one line a minute says so.
 */
function createComplaints(log: Log) {
  const settings = new Set<string>();
  let isOpening = true;
  let quietUntil = 0;
  return {
    hear(reason: string): void {
      const fields = { reason: reason.slice(0, 300) };
      if (isOpening) {
        if (!settings.has(reason))
          log.warn(fields, "a variable of OpenTelemetry cannot be used, and counts as not set");
        settings.add(reason);
        return;
      }
      if (performance.now() < quietUntil) return;
      quietUntil = performance.now() + pauseMs;
      log.warn(
        fields,
        "telemetry does not arrive as it should: is there a collector at OTEL_EXPORTER_OTLP_ENDPOINT? MEMOIR_TELEMETRY=off sends nothing",
      );
    },
    beginDelivery(): void {
      isOpening = false;
    },
  };
}
