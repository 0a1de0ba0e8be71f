/**
 * One interpreter process, which waits for one job, runs it and is killed: calls share no process, file or variable.
 * Output and answer use different pipes, and a bounded part of each is kept.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { MemoirError } from "../shared/errors.ts";
import { BoundedText } from "./bounded-text.ts";
import { coverInherited } from "./inherited-descriptors.ts";
import type { Launch } from "./launch.ts";
import type { SandboxLimits } from "./limits.ts";
import { LineReader } from "./line-reader.ts";
import type { Printed } from "./sandbox.ts";

/** How a job ended, with or without an answer. */
export type Ending = Printed &
  (
    | { readonly kind: "answer"; readonly text: string }
    | { readonly kind: "silence"; readonly exit: string }
    | { readonly kind: "late" }
    | { readonly kind: "flood" }
  );

/** The interpreter failed before it could take a job. */
export class LaunchError extends MemoirError {
  readonly fault: string;

  constructor(fault: string) {
    super("unavailable", `the sandbox could not be started (${fault})`);
    this.name = "LaunchError";
    this.fault = fault;
  }
}

interface RunOptions {
  readonly timeoutMs: number;
  /** How long the interpreter may take to become ready. */
  readonly startTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export class InterpreterProcess {
  readonly #child: ChildProcess;
  readonly #channel: Socket;
  readonly #stdout: BoundedText;
  readonly #stderr: BoundedText;
  readonly #launch: Launch;
  readonly #lines: LineReader;
  #onLine: ((line: string) => void) | undefined;
  #onEnd: (() => void) | undefined;
  /** Resolves when the process can take a job; rejects with its output otherwise. */
  readonly #ready: Promise<void>;
  /** Resolves when all its processes have ended. */
  readonly gone: Promise<string>;
  isGone = false;
  #isReady = false;
  #inner: number | undefined;

  constructor(launch: Launch, limits: SandboxLimits) {
    this.#launch = launch;
    const { uid, seccompFilter, reportsChildPid } = launch;
    this.#child = spawn(launch.program, launch.args, {
      // Empty, because the environment of the first process in a sandbox is readable inside.
      env: {},
      cwd: "/",
      detached: hasGroups,
      stdio: coverInherited([
        "ignore",
        "pipe",
        "pipe",
        "pipe",
        seccompFilter ? "pipe" : "ignore",
        reportsChildPid ? "pipe" : "ignore",
      ]),
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    rejectUnborn(this.#child, launch);
    this.#channel = this.#child.stdio[3] as Socket;
    this.#stdout = new BoundedText(limits.printedBytes);
    this.#stderr = new BoundedText(limits.printedBytes);
    this.#lines = new LineReader(limits.resultBytes);
    this.gone = this.#watch();
    this.#ready = this.#greet();
    // Prevents an unhandled rejection; `run` and `tryOut` await the same promise.
    this.#ready.catch(() => {});
    if (seccompFilter) (this.#child.stdio[4] as Socket).end(seccompFilter);
    this.#hold(false);
  }

  #watch(): Promise<string> {
    for (const stream of this.#child.stdio) stream?.on("error", () => {});
    (this.#child.stdout as Readable).on("data", (part: Buffer) => this.#stdout.add(part));
    (this.#child.stderr as Readable).on("data", (part: Buffer) => this.#stderr.add(part));
    this.#channel.on("data", (part: Buffer) => {
      for (const line of this.#lines.add(part)) this.#onLine?.(line);
      if (this.#lines.isFlooded) this.#onEnd?.();
    });
    let told = "";
    // Node's types declare five streams only.
    const childPidPipe = (this.#child.stdio as readonly unknown[])[5] as Readable | null;
    childPidPipe?.on("data", (part: Buffer) => {
      told += part.toString("latin1");
      this.#inner = Number(/"child-pid":\s*(\d+)/.exec(told)?.[1]) || undefined;
    });
    return new Promise((resolve) => {
      let reason = "";
      this.#child.on("error", (error) => {
        reason = error.message;
        if (this.#child.pid === undefined) finish();
      });
      const finish = () => {
        this.isGone = true;
        this.#launch.clean?.();
        resolve(reason);
        this.#onEnd?.();
      };
      this.#child.on("close", (code, signal) => {
        reason ||= signal === null ? `exit code ${code}` : `signal ${signal}`;
        finish();
      });
    });
  }

  async #greet(): Promise<void> {
    const greeting = await new Promise<string | undefined>((resolve) => {
      this.#onLine = resolve;
      this.#onEnd = () => resolve(undefined);
    });
    this.#isReady = greeting === "ready";
    if (this.#isReady) return;
    throw new LaunchError(describeFault(this.#stderr.text) || (await this.gone));
  }

  /** Keeps the event loop alive only while a job is running. */
  #hold(isHeld: boolean): void {
    const verb = isHeld ? "ref" : "unref";
    this.#child[verb]();
    for (const stream of this.#child.stdio) (stream as Socket | null)?.[verb]?.();
  }

  /** Starts and kills the interpreter; rejects with its output if it cannot take a job. */
  async tryOut(): Promise<void> {
    this.#hold(true);
    try {
      await this.#untilReady(startMs);
    } finally {
      this.kill();
      await this.gone;
    }
  }

  async #untilReady(startTimeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { promise: broken, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal?.reason);
    const timeout = setTimeout(
      () => reject(new LaunchError(`it was not ready within ${startTimeoutMs / 1000} seconds`)),
      startTimeoutMs,
    );
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    try {
      await Promise.race([this.#ready, broken]);
    } finally {
      clearTimeout(timeout);
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * `timeoutMs` covers the job only, not the start of the interpreter. Rejects with the signal's reason on abort. The
   * process has been killed when this settles; `gone` resolves when the kernel has removed it, about a millisecond
   * later.
   */
  async run(job: object, { timeoutMs, startTimeoutMs, signal }: RunOptions): Promise<Ending> {
    this.#hold(true);
    try {
      await this.#untilReady(startTimeoutMs ?? Math.max(timeoutMs, startMs), signal);
      return await this.#converse(job, timeoutMs, signal);
    } finally {
      this.kill();
    }
  }

  async #converse(job: object, timeoutMs: number, signal?: AbortSignal): Promise<Ending> {
    const token = randomBytes(16).toString("hex");
    let outcome: "answer" | "late" | "aborted" | undefined;
    let answer: string | undefined;
    await new Promise<void>((resolve) => {
      const end = (how: typeof outcome) => {
        outcome ??= how;
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const abort = () => end("aborted");
      const timer = setTimeout(() => end("late"), timeoutMs);
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted) abort();
      // Lines without the token come from the tool and are ignored.
      this.#onLine = (line) => {
        if (!line.startsWith(`${token} `)) return;
        answer ??= line.slice(token.length + 1);
        end("answer");
      };
      this.#onEnd = () => end("answer");
      this.#channel.write(`${token}\n${JSON.stringify(job)}\n`);
      if (this.isGone) end("answer");
    });
    if (outcome === "aborted") throw signal?.reason;
    // Output printed before the answer is already buffered; two rounds of the event loop read it.
    for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve));
    const printed = { stdout: this.#stdout.lines, stderr: this.#stderr.lines };
    if (answer !== undefined) return { kind: "answer", text: answer, ...printed };
    if (outcome === "late") return { kind: "late", ...printed };
    if (this.#lines.isFlooded) return { kind: "flood", ...printed };
    return { kind: "silence", exit: await this.gone, ...printed };
  }

  /**
   * Killing the first process ends the whole sandbox once it is built. During setup that would leave a stuck child
   * behind, so the kill waits for the setup to finish.
   */
  kill(): void {
    this.#hold(true);
    if (this.#isReady) {
      this.#killNow();
      return;
    }
    const timeout = setTimeout(() => this.#killNow(), buildMs);
    this.#ready
      .catch(() => {})
      .finally(() => {
        clearTimeout(timeout);
        this.#killNow();
      });
  }

  /**
   * Kills the first process inside, which ends all others, so that the outer process exits by itself; the other order
   * would leave orphans to a pid 1 that may not reap them.
   */
  #killNow(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.isGone) return;
    if (this.#inner === undefined) {
      this.#channel.destroy();
      this.#killGroup(pid);
      return;
    }
    end(this.#inner);
    const timeout = setTimeout(() => this.#killGroup(pid), buryMs);
    this.gone.then(() => clearTimeout(timeout));
  }

  #killGroup(pid: number): void {
    if (!this.isGone) end(hasGroups ? -pid : pid);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process ended meanwhile.
  }
}

/** A process that failed to spawn has no pipes, and its error event arrives only later. */
function rejectUnborn(child: ChildProcess, launch: Launch): void {
  if ((child.stdio as unknown) !== undefined) return;
  child.on("error", () => {});
  launch.clean?.();
  throw new LaunchError("this machine has no room for another process at the moment");
}

const startMs = 30_000;
const buryMs = 2_000;
const buildMs = 5_000;
/** Process groups allow killing all descendants at once. */
const hasGroups = process.platform !== "win32";

/** Interpreters print long traces when they cannot start; the cause is at the beginning. */
function describeFault(stderr: string): string {
  const lines = stderr.trim().split("\n");
  return lines.slice(0, 3).join(" ").trim();
}
