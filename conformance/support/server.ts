/**
 * Memoir servers for tests. `startServer` runs one inside the test, where every answer is checked against its schema;
 * `startServerProcess` runs the command from its source, as a process that can be killed. Both end with the test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Memoir, MemoirOptions } from "@memoir/core";
import { type AppOptions, composeCallback, createApp, createToolEnvironment } from "@memoir/server";
import pino from "pino";
import { onTestFinished, type TestContext } from "vitest";
import {
  createDatabase,
  type DialectName,
  openTestMemoir,
  testEncryptionKey,
} from "../../packages/core/src/testing/databases.ts";
import { ROOT } from "../../scripts/install.cjs";
import { type Ended, outsideEnvironment, runOutside } from "./outside.ts";

export interface TestServer {
  readonly url: string;
  readonly memoir: Memoir;
  /** What the server logged as an error, oldest first. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

export interface TestServerOptions extends Partial<Omit<AppOptions, "memoir" | "log">> {
  readonly core?: Partial<MemoirOptions>;
}

/** A server on a fresh database of its own, on a free port of this machine. */
export async function startServer(
  dialect: DialectName,
  context: TestContext,
  { core, ...options }: TestServerOptions = {},
): Promise<TestServer> {
  const customTools = createToolEnvironment(60_000);
  // The providers that tests store are on this machine, also where there are keys.
  const nearby = { fetch: askNearby, privateModelHosts: ["127.0.0.1"] };
  const memoir = await openTestMemoir(dialect, context, { ...nearby, composeCallback, customTools, ...core });
  const errors: string[] = [];
  const log = pino({ level: "error", base: undefined }, { write: (line: string) => errors.push(line) });
  const app = await createApp({ memoir, log, findProviders: async () => [], checkResponses: true, ...options });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const close = () => app.close();
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, memoir, errors, close };
}

/** What a test makes up may name any provider there is: only this machine is asked. */
const askNearby: typeof fetch = (input, init) => {
  const { hostname } = new URL(input instanceof Request ? input.url : input);
  if (hostname === "127.0.0.1") return fetch(input, init);
  return Promise.reject(Object.assign(new Error(`${hostname} is not asked in tests`), { code: "ENOTFOUND" }));
};

export interface ServerProcess {
  readonly url: string;
  readonly database: string;
  readonly process: ChildProcess;
  /** Everything it has printed so far. */
  output(): string;
  /** Its exit status once it has ended: null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ServerProcessOptions {
  /** An existing database, for a second server or a second start; otherwise a fresh one. */
  readonly database?: string;
  /** More words after `memoir serve`. */
  readonly words?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const node = join(ROOT, "node_modules", ".bin", "node");
const program = ["--conditions=memoir-source", join(ROOT, "packages", "cli", "src", "main.ts")];
/** What else runs on this machine is none of a test's business. */
const quiet = {
  OLLAMA_BASE_URL: "http://127.0.0.1:9",
  LMSTUDIO_BASE_URL: "http://127.0.0.1:9",
  PIP_NO_INDEX: "1",
  MEMOIR_TOOL_ENVIRONMENTS: join(tmpdir(), "memoir-test-environments"),
};

/** Starts `memoir serve` and waits until it says where it listens. */
export async function startServerProcess(
  dialect: DialectName,
  context: TestContext,
  { database: input, words = [], env }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const database = input ?? (await createDatabase(dialect, context));
  const child = spawn(node, [...program, "serve", "--port", "0", ...words], {
    cwd: ROOT,
    env: { ...serverEnvironment(database), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithUs(child);
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => parts.push(part));
  }
  const ended = once(child, "close").then(([status]) => status as number | null);
  const end = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(async () => void (await end("SIGKILL")));
  const output = () => parts.join("");
  const url = await new Promise<string>((found, failed) => {
    child.stdout.on("data", () => {
      const match = /running at (\S+)/.exec(output());
      if (match?.[1]) found(match[1]);
    });
    ended.then(() => failed(new Error(`memoir serve ended before it listened:\n${output()}`)), failed);
  });
  return { url, database, process: child, output, ended, end };
}

/** Runs a command of the program to its end. */
export function runMemoir(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runOutside(node, [...program, ...words], { cwd: ROOT, env: { ...quiet, ...env } });
}

/** What a server on this database needs to know. */
export function serverEnvironment(database: string): NodeJS.ProcessEnv {
  return {
    ...outsideEnvironment(),
    ...quiet,
    MEMOIR_DATABASE: database,
    MEMOIR_ENCRYPTION_KEY: testEncryptionKey,
  };
}

function endWithUs(child: ChildProcess): void {
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("close", () => process.off("exit", kill));
}
