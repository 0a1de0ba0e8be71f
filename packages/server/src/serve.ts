/** Starts a whole server: database, HTTP, page; and stops it in order. */
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type DatabaseLock, lockDatabase, Memoir, MemoirError } from "@memoir/core";
import type { Logger } from "pino";
import { createApp } from "./app.ts";
import { checkModels } from "./check-models.ts";
import { isLoopback } from "./config/read-config.ts";
import { type ServerConfig, toAppOptions, toMemoirOptions } from "./config/settings.ts";
import { type FoundProvider, findProviders } from "./detect-providers.ts";
import { composeCallback } from "./letta/messages/callback.ts";
import { readToolEnvironment } from "./letta/tools/tool-environment.ts";
import { ToolGateway } from "./letta/tools/tool-gateway.ts";
import { createLog } from "./logging.ts";
import { readProviderAccess } from "./provider-access.ts";
import { readSandboxSettings } from "./sandbox-settings.ts";
import { StepWebhook } from "./step-webhook.ts";
import { readStepWebhook } from "./step-webhook-message.ts";
import { startTelemetry } from "./telemetry/start-telemetry.ts";
import { readComposioAccess, readWebAccess } from "./web-access.ts";

/** How long requests under way may take once the server is told to stop. */
const timeoutMs = 5_000;
/** How long whatever listens on our port may take to say that it is a Memoir. */
const recogniseMs = 1_000;

export interface RunningServer {
  readonly address: string;
  readonly memoir: Memoir;
  /** In password mode; made up if none was given. */
  readonly password: string | undefined;
  readonly isPasswordMadeUp: boolean;
  /** Callers need a key, because others can reach the server and there is no password. */
  readonly needsKey: boolean;
  readonly providers: Promise<FoundProvider[]>;
  /** Finishes what is under way and closes the database. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly webRoot?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export async function serve(config: ServerConfig, options: ServeOptions): Promise<RunningServer> {
  const log = createLog(config.log);
  const webhook = readStepWebhook(config, options.environment);
  const stepWebhook = webhook && new StepWebhook(webhook, log);
  // Before everything that is told of: what is made later asks whether anyone wants to know.
  const telemetry = await startTelemetry(config, options.environment, log);
  // Side by side: each is patient with those who do not answer, and whoever told us to stop is not for long.
  const closeTellers = () => Promise.all([stepWebhook?.close(), telemetry.close()]);
  let lock: DatabaseLock | undefined;
  try {
    lock = await openLock(config);
    const server = await openServer(config, options, log, stepWebhook, lock);
    const release = lock.release;
    return {
      ...server,
      close: () => server.close().finally(release).finally(closeTellers),
    };
  } catch (error) {
    lock?.release();
    await closeTellers();
    throw error;
  }
}

/** Before anything else touches the database: starting takes unfinished runs over. */
async function openLock(config: ServerConfig): Promise<DatabaseLock> {
  try {
    const { host, port } = config;
    return await lockDatabase(config.database, port === 0 ? "" : addressOf(host, port));
  } catch (error) {
    throw explainDatabase(error, config);
  }
}

async function openServer(
  config: ServerConfig,
  options: ServeOptions,
  log: Logger,
  stepWebhook: StepWebhook | undefined,
  lock: DatabaseLock,
): Promise<RunningServer> {
  const isPasswordMadeUp = config.password === undefined && config.secure;
  const password = isPasswordMadeUp ? randomBytes(18).toString("base64url") : config.password;
  const doors = new ToolGateway();
  const memoir = new Memoir({
    ...toMemoirOptions(config),
    providers: readProviderAccess(options.environment),
    // Without a login on this machine, callers can reach these addresses by themselves.
    checksModelAddresses: password !== undefined || !isLoopback(config.host),
    web: readWebAccess(config, options.environment),
    composio: readComposioAccess(options.environment),
    composeCallback,
    sandboxes: readSandboxSettings(config, options.environment),
    customTools: {
      ...readToolEnvironment(config, options.environment, log),
      openSession: (...call) => doors.open(...call),
    },
    ...(stepWebhook ? { onStep: (step) => stepWebhook.tell(step) } : {}),
    log,
  });
  try {
    await memoir.start();
  } catch (error) {
    throw explainDatabase(error, config);
  }
  try {
    await checkModels(memoir, config, log);
  } catch (error) {
    await memoir.close();
    throw error;
  }
  const isOutside = !isLoopback(config.host) && !config.insecure;
  // Whoever has made keys wants them asked for where others can reach the server.
  const needsKey = isOutside && (await memoir.keys.exist());
  if (isOutside && password === undefined && !needsKey) {
    await memoir.close();
    throw new MemoirError(
      "invalid-argument",
      `anyone who can reach ${config.host} could use this server: set MEMOIR_PASSWORD, make a key with memoir keys ` +
        "create, or say --insecure if that is meant.",
    );
  }
  const isTrusting = isLoopback(config.host) && password === undefined;
  const app = await createApp({
    ...toAppOptions(config),
    memoir,
    log,
    doors,
    password,
    needsKey,
    ...(isTrusting ? { ownHosts: config.hosts } : {}),
    webRoot: options.webRoot,
    findProviders: () => findProviders(options.environment, config.discover),
  });
  let address: string;
  try {
    await app.listen({ port: config.port, host: config.host });
    address = addressOf(config.host, (app.server.address() as AddressInfo).port);
    lock.announce(address);
  } catch (error) {
    await app.close();
    await memoir.close();
    throw await explainListen(error, config);
  }
  return {
    address,
    memoir,
    password,
    isPasswordMadeUp,
    needsKey,
    providers: findProviders(options.environment, config.discover),
    async close() {
      const finished = app.close();
      // Answers that take longer are cut off; their runs go on at the next start.
      await Promise.race([finished, sleep(timeoutMs, undefined, { ref: false })]);
      await memoir.close();
      // Whoever is still asking is not waited for either.
      app.server.closeAllConnections();
      await finished;
    },
  };
}

/** What a database says when it cannot be opened at all, in words for whoever started us. */
function explainDatabase(error: unknown, { database }: ServerConfig): unknown {
  if (!(error instanceof Error) || error instanceof MemoirError) return error;
  const code = "errcode" in error ? error.errcode : "code" in error ? error.code : undefined;
  const host = database.replace(/^.*[@/]([^@/]+)\/.*$/, "$1");
  const reasons: Readonly<Record<string, string>> = {
    14: `${database} cannot be opened: is it a folder? Choose a file with --database or MEMOIR_DATABASE.`,
    26: `${database} is not a SQLite database: choose another file with --database or MEMOIR_DATABASE.`,
    ECONNREFUSED: `PostgreSQL does not answer at ${host}: start it, or correct MEMOIR_DATABASE.`,
    ENOTFOUND: `there is no machine named as in ${host}: correct MEMOIR_DATABASE.`,
    ETIMEDOUT: `PostgreSQL does not answer at ${host}: start it, or correct MEMOIR_DATABASE.`,
    "28P01": `PostgreSQL at ${host} refuses this user and password: correct MEMOIR_DATABASE.`,
    "28000": `PostgreSQL at ${host} refuses this user: correct MEMOIR_DATABASE, or let an administrator allow it.`,
    "3D000": `PostgreSQL at ${host} has no such database: create it, or correct MEMOIR_DATABASE.`,
  };
  const reason = reasons[String(code)];
  return reason === undefined ? error : new MemoirError("unavailable", reason, { cause: error });
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Undefined when whatever listens there is not Memoir, or does not answer. */
async function findMemoirAt({ host, port }: ServerConfig): Promise<string | undefined> {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const address = addressOf(reachable, port);
  try {
    const answer = await fetch(`${address}/v1/health/`, { signal: AbortSignal.timeout(recogniseMs) });
    const health = (await answer.json()) as { readonly memoir_version?: unknown } | null;
    return typeof health?.memoir_version === "string" ? address : undefined;
  } catch {
    return undefined;
  }
}

async function explainListen(error: unknown, config: ServerConfig): Promise<unknown> {
  const { host, port } = config;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const other = code === "EADDRINUSE" ? await findMemoirAt(config) : undefined;
  if (other !== undefined) {
    const remedy = `open it, stop it, or choose another port and database, as in --port ${port + 1} --database other.db.`;
    return new MemoirError("unavailable", `port ${port} is taken by a Memoir that is running at ${other}: ${remedy}`, {
      cause: error,
    });
  }
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is taken: stop the program that listens there, or choose another port with --port ${port + 1}.`,
    EACCES: `port ${port} needs more rights than this user has: choose one above 1023 with --port 8283.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all of them.`,
    ENOTFOUND: `${host} is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all of them.`,
  };
  const reason = typeof code === "string" ? reasons[code] : undefined;
  return reason === undefined ? error : new MemoirError("unavailable", reason, { cause: error });
}
