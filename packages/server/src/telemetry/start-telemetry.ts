/**
 * Starts telemetry where an address for it is configured. Nothing about it keeps a server from starting, working or
 * stopping: what is wrong is said in the log.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isTelemetryOn, type Log, version } from "@memoir/core";
import type { Environment, ServerConfig } from "../config.ts";
import type { OpenSdk } from "./sdk.ts";
import { findMistake, readTelemetry } from "./settings.ts";

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

const patienceMs = 2_000;
const pauseMs = 60_000;

export async function startTelemetry(
  config: Pick<ServerConfig, "otlpEndpoint" | "telemetry">,
  environment: Environment,
  log: Log,
  load: LoadSdk = () => import("./sdk.ts"),
): Promise<RunningTelemetry> {
  const settings = readTelemetry(config, environment);
  // Whoever has registered an SDK before, by a module loaded ahead of us for instance, is told of everything as it is.
  if (!settings || isTelemetryOn()) return nothing;
  const mistake = findMistake(environment, settings.traces ?? settings.metrics ?? "");
  if (mistake) log.warn({}, mistake);
  const sdk = await tryLoading(load, log);
  const opened = sdk?.openSdk(settings, version, createComplaints(log));
  if (!opened) return nothing;
  return { close: () => closeInTime(opened) };
}

async function closeInTime(sdk: OpenSdk): Promise<void> {
  const done = new AbortController();
  const late = sleep(patienceMs, undefined, { signal: done.signal }).catch(() => {});
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

/** A collector that is away stays away for a while: one line a minute says so. */
function createComplaints(log: Log): (reason: string) => void {
  let quietUntil = 0;
  return (reason) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + pauseMs;
    log.warn({ reason: reason.slice(0, 300) }, "telemetry could not be delivered");
  };
}
