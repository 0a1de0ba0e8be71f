/** Runs an installer as a child process with an explicit environment, and kills its process group on abort. */
import { spawn } from "node:child_process";
import { MemoirError } from "../../shared/errors.ts";
import { coverInherited } from "../inherited-descriptors.ts";
import { describeFault, redact } from "./install-fault.ts";
import type { InstallOrder } from "./installer.ts";

export interface InstallProgram {
  /** Name of the installer in messages. */
  readonly title: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The operator's settings (indexes, proxies), added to the environment and hidden from clients. */
  readonly settings: Readonly<Record<string, string>>;
  readonly folder: string;
}

const maxKeptLines = 200;

export async function runInstaller(
  input: InstallProgram,
  { signal, onLine, requirements }: InstallOrder,
): Promise<void> {
  signal.throwIfAborted();
  const lines: string[] = [];
  const take = (line: string) => {
    const text = redact(line, Object.values(input.settings)).trimEnd();
    if (text.trim() === "") return;
    lines.push(text);
    if (lines.length > maxKeptLines) lines.shift();
    onLine(text);
  };
  const code = await runChild(input, signal, take);
  if (code !== 0) throw describeFault(input.title, requirements, lines);
}

function runChild(input: InstallProgram, signal: AbortSignal, onLine: (line: string) => void): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(input.program, input.args, {
      env: { ...input.environment, ...input.settings },
      cwd: input.folder,
      detached: process.platform !== "win32",
      stdio: coverInherited(["ignore", "pipe", "pipe"]),
    });
    const end = () => killAll(child.pid);
    signal.addEventListener("abort", end, { once: true });
    // A process that failed to spawn has no pipes; its error event follows.
    for (const stream of [child.stdout, child.stderr]) if (stream) readLines(stream, onLine);
    child.on("error", (error) => {
      signal.removeEventListener("abort", end);
      reject(new MemoirError("unavailable", `${input.title} could not be started (${error.message})`));
    });
    child.on("close", (code) => {
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve(code);
    });
  });
}

function killAll(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // The process ended meanwhile.
  }
}

const longestLine = 10_000;

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let open = "";
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    const lines = (open + part).split(/\r?\n|\r/);
    open = (lines.pop() ?? "").slice(0, longestLine);
    for (const line of lines) onLine(line.slice(0, longestLine));
  });
  stream.on("end", () => onLine(open));
}
