/** Probes whether this machine supports the isolation, by starting an isolated interpreter. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { InterpreterProcess, LaunchError } from "./interpreter-process.ts";
import { findNode, findPython, type Interpreter } from "./interpreters.ts";
import type { BubblewrapSettings } from "./isolation/bubblewrap.ts";
import type { Launch, Launcher } from "./launch.ts";
import type { SandboxLimits } from "./limits.ts";
import type { SandboxLanguage } from "./sandbox.ts";

const execute = promisify(execFile);

export interface Programs {
  readonly bubblewrap: string;
  readonly prlimit: string;
}

/** Older versions can neither limit scratch space nor forbid nested namespaces. */
const oldestBubblewrap = [0, 8];

/** The programs, or the reason for their absence, phrased to follow "because". */
export async function findPrograms(): Promise<Programs | string> {
  if (process.platform !== "linux") return `sandboxes need Linux, and this is ${process.platform}`;
  const [bubblewrap, prlimit] = [findSystemProgram("bwrap"), findSystemProgram("prlimit")];
  if (bubblewrap === undefined) return "bubblewrap (the program bwrap) is not installed";
  if (prlimit === undefined) return "the program prlimit, of util-linux, is not installed";
  const { stdout } = await execute(bubblewrap, ["--version"], { env: {} });
  const version = stdout
    .match(/(?<!\d)(\d+)\.(\d+)/)
    ?.slice(1)
    .map(Number) ?? [0, 0];
  const isOld = version[0] === oldestBubblewrap[0] && (version[1] ?? 0) < (oldestBubblewrap[1] ?? 0);
  if (isOld) return `bubblewrap is version ${version.join(".")}, and ${oldestBubblewrap.join(".")} or newer is needed`;
  return { bubblewrap, prlimit };
}

/** Searches system directories only, because PATH may be attacker-controlled. */
export function findSystemProgram(name: string): string | undefined {
  return ["/usr/bin", "/bin", "/usr/local/bin"].map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
}

export interface Interpreters {
  readonly python: Interpreter | undefined;
  readonly typescript: Interpreter;
}

export function findInterpreters(python: string | undefined, hide: (folder: string) => void): Interpreters {
  return { python: findPython(python), typescript: findNode(hide) };
}

/** Starts and kills one interpreter; returns undefined on success, else the failure. */
export async function tryLaunch(launch: Launch, limits: SandboxLimits): Promise<string | undefined> {
  try {
    await new InterpreterProcess(launch, limits).tryOut();
    return undefined;
  } catch (error) {
    return error instanceof LaunchError ? error.fault : String(error);
  }
}

/** Returns the first of `candidates` that works, or the failure of the last. */
export async function chooseIsolation(
  candidates: readonly BubblewrapSettings[],
  toLauncher: (settings: BubblewrapSettings) => Launcher,
  language: SandboxLanguage,
): Promise<BubblewrapSettings | string> {
  let fault = "";
  for (const settings of candidates) {
    const found = await tryLaunch(toLauncher(settings).launch(language), settings.limits);
    if (found === undefined) return settings;
    fault = found;
  }
  return fault;
}
