/** Finds out, once, whether this machine has what the walls are made of, by building them. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { LaunchError, OneShot } from "./interpreter-process.ts";
import { findNode, findPython, type Interpreter } from "./interpreters.ts";
import type { Walls } from "./isolation/bubblewrap.ts";
import type { Launch, Launcher } from "./launch.ts";
import type { SandboxLimits } from "./limits.ts";
import type { SandboxLanguage } from "./sandbox.ts";

const execute = promisify(execFile);

export interface Programs {
  readonly bubblewrap: string;
  readonly prlimit: string;
}

/** Older ones can neither bound scratch space nor forbid namespaces inside. */
const oldestBubblewrap = [0, 8];

/** The programs, or why there are none, in words that continue "because". */
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

/** Only where the system keeps its programs: nothing is looked up along a path that somebody may have set. */
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

/** Starts one interpreter and ends it. Undefined if that went well, else what stood in the way. */
export async function tryLaunch(launch: Launch, limits: SandboxLimits): Promise<string | undefined> {
  try {
    await new OneShot(launch, limits).tryOut();
    return undefined;
  } catch (error) {
    return error instanceof LaunchError ? error.fault : String(error);
  }
}

/** The first of these walls that stands, or what the last of them said. */
export async function chooseWalls(
  candidates: readonly Walls[],
  toLauncher: (walls: Walls) => Launcher,
  language: SandboxLanguage,
): Promise<Walls | string> {
  let fault = "";
  for (const walls of candidates) {
    const found = await tryLaunch(toLauncher(walls).launch(language), walls.limits);
    if (found === undefined) return walls;
    fault = found;
  }
  return fault;
}
