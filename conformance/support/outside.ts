/**
 * Runs programs the way a user's shell would: without the Node, the paths and the settings that npm and Vitest put around
 * a test. What is started here ends with the test process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

export type Where = { cwd: string; env?: NodeJS.ProcessEnv };
export type Ended = { status: number | null; stdout: string; stderr: string };
export type Running = {
  /** The first address the program printed. */
  address: string;
  output: () => string;
  /** Ends it as `kill` would and answers its exit status. */
  stop: () => Promise<number | null>;
};

/** The variables of a shell outside this checkout; what the user tells npm (registry, proxy, cache) stays. */
export function outsideEnvironment(): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(?!config_)|npm_config_local_prefix$|INIT_CWD$|NODE(?!_COMPILE_CACHE$)|VITEST|MEMOIR_|LETTA_|(CI|TEST|MODE|DEV|PROD|SSR)$)/;
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  const path = (process.env.PATH ?? "").split(delimiter).filter((part) => !/node_modules|node-gyp-bin/.test(part));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

/** Runs a program to its end, whatever that is. */
export async function runOutside(command: string, words: string[], where: Where): Promise<Ended> {
  const { child, stdout, stderr } = begin(command, words, where);
  const [status] = await once(child, "close");
  return { status, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** Starts a server for one test and waits for the address it prints. */
export async function startOutside(command: string, words: string[], where: Where): Promise<Running> {
  const { child, stdout, stderr } = begin(command, words, where);
  const output = () => [...stdout, ...stderr].join("");
  const ended = once(child, "close");
  const stop = async () => {
    child.kill("SIGTERM");
    const [status] = await ended;
    return status as number | null;
  };
  onTestFinished(async () => void (await stop()));
  const address = await new Promise<string>((found, failed) => {
    child.stdout?.on("data", () => {
      const match = /https?:\/\/[\w.[\]:]+:\d+/.exec(stdout.join(""));
      if (match) found(match[0]);
    });
    ended.then(() => failed(new Error(`${command} ended before it printed an address:\n${output()}`)), failed);
  });
  return { address, output, stop };
}

/** An empty folder outside any package for the tests of a file, removed after them. */
export function makeEmptyFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `memoir-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  afterAll(remove);
  process.once("exit", remove);
  return folder;
}

function begin(command: string, words: string[], { cwd, env }: Where) {
  const child: ChildProcess = spawn(command, words, {
    cwd,
    env: { ...outsideEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("close", () => process.off("exit", kill));
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  return { child, stdout, stderr };
}

function collect(stream: ChildProcess["stdout"]): string[] {
  const parts: string[] = [];
  stream?.setEncoding("utf8").on("data", (part: string) => parts.push(part));
  return parts;
}
