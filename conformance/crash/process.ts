/**
 * `memoir serve` as a process of its own, from source, which may be killed at any moment, also while it starts. A shell
 * stands beside it and kills it when the test process dies, however that dies.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ROOT } from "../../scripts/install.cjs";

/** The subshell waits for the end of our pipe; `3` keeps that pipe apart from the server, which has no use for it. */
const GUARD = `
exec 3<&0
"$@" < /dev/null 3<&- & server=$!
echo "pid $server"
exec 2> /dev/null
(read word <&3; kill -KILL "$server") > /dev/null & guard=$!
wait "$server"; status=$?
kill "$guard"
exit "$status"
`;

export type ServerOptions = {
  /** A path or a postgres:// address. */
  database: string;
  /** What to run instead of the source: a program and the words before `serve`. */
  command?: readonly string[];
  /** A module to load into the server first. */
  preload?: string;
  /** More words after `serve`. */
  words?: readonly string[];
  env?: NodeJS.ProcessEnv;
};

export type ServerProcess = {
  /** The server's own, not the guard's. */
  pid: Promise<number>;
  /** The address it listens on; fails if it ends before. */
  ready: Promise<string>;
  /** Its exit status, once it is gone; 137 after SIGKILL. */
  ended: Promise<number>;
  output(): string;
  /** Sends a signal, if there is still somebody to get it. */
  kill(signal: NodeJS.Signals): void;
};

export const node = join(ROOT, "node_modules", ".bin", "node");
const options = ["--conditions=memoir-source", "--disable-warning=ExperimentalWarning"];
const program = join(ROOT, "packages", "cli", "src", "main.ts");
/** Model servers on this machine are nobody's business here. */
const nobody = "http://127.0.0.1:9";

export function startMemoir({ database, command, preload, words = [], env = {} }: ServerOptions): ServerProcess {
  const source = [node, ...options, ...(preload ? ["--import", preload] : []), program];
  const whole = [...(command ?? source), "serve", "--port", "0", ...words];
  const child = spawn("/bin/sh", ["-c", GUARD, "guard", ...whole], {
    cwd: ROOT,
    env: { ...bareEnvironment(), MEMOIR_DATABASE: database, MEMOIR_ENCRYPTION_KEY: "a key for tests", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (text += part));
  const ended = once(child, "close").then(([status]) => Number(status));
  const find = (pattern: RegExp) =>
    new Promise<string>((found, failed) => {
      child.stdout.on("data", () => {
        const value = pattern.exec(text)?.[1];
        if (value) found(value);
      });
      ended.then(
        (status) => failed(new Error(`memoir serve ended with ${status} before it was ready:\n${text}`)),
        failed,
      );
    });
  const pid = find(/^pid (\d+)$/m).then(Number);
  const ready = find(/running at (\S+)/);
  // Whoever kills a server while it starts does not wait for these.
  for (const waited of [pid, ready]) waited.catch(() => {});
  const kill = (signal: NodeJS.Signals) => void pid.then((running) => signalTo(running, signal));
  return { pid, ready, ended, output: () => text, kill };
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const isGone = error instanceof Error && "code" in error && error.code === "ESRCH";
    if (!isGone) throw error;
  }
}

/** The machine's environment without what npm, Vitest or the developer set for Node and for us. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(npm_|NODE(?!_COMPILE_CACHE$)|VITEST|MEMOIR_|LETTA_|(PORT|CI|TEST|MODE|DEV|PROD|SSR)$)/;
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...Object.fromEntries(kept), OLLAMA_BASE_URL: nobody, LMSTUDIO_BASE_URL: nobody };
}
