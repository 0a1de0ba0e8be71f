/**
 * One started interpreter. It waits for one job, does it, and is gone: no two calls share a process, a file or a variable.
 * What it prints and what it answers come over different pipes, and of each only so much is kept.
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

/** How a job ended: with an answer, or without one. */
export type Ending = Printed &
  (
    | { readonly kind: "answer"; readonly text: string }
    | { readonly kind: "silence"; readonly exit: string }
    | { readonly kind: "late" }
    | { readonly kind: "flood" }
  );

/** It never got as far as taking a job. */
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
  /** How long it may take to get ready. */
  readonly startTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export class OneShot {
  readonly #child: ChildProcess;
  readonly #channel: Socket;
  readonly #stdout: BoundedText;
  readonly #stderr: BoundedText;
  readonly #launch: Launch;
  readonly #lines: LineReader;
  #onLine: ((line: string) => void) | undefined;
  #onEnd: (() => void) | undefined;
  /** Resolves when it can take a job; rejects with what it printed when it cannot. */
  readonly #ready: Promise<void>;
  /** Resolves when none of its processes is left. */
  readonly gone: Promise<string>;
  isGone = false;
  #isReady = false;
  #inner: number | undefined;

  constructor(launch: Launch, limits: SandboxLimits) {
    this.#launch = launch;
    const { uid, rules, tellsInner } = launch;
    this.#child = spawn(launch.program, launch.words, {
      // Empty on purpose: the environment of the first process in a sandbox can be read inside.
      env: {},
      cwd: "/",
      detached: hasGroups,
      stdio: coverInherited([
        "ignore",
        "pipe",
        "pipe",
        "pipe",
        rules ? "pipe" : "ignore",
        tellsInner ? "pipe" : "ignore",
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
    // Whoever waits gets it; nobody else has to.
    this.#ready.catch(() => {});
    if (rules) (this.#child.stdio[4] as Socket).end(rules);
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
    // Node's types know of five streams only.
    const teller = (this.#child.stdio as readonly unknown[])[5] as Readable | null;
    teller?.on("data", (part: Buffer) => {
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

  /** Keeps the program from ending while a job is under way, and only then. */
  #hold(isHeld: boolean): void {
    const verb = isHeld ? "ref" : "unref";
    this.#child[verb]();
    for (const stream of this.#child.stdio) (stream as Socket | null)?.[verb]?.();
  }

  /** Rejects with what it printed when it cannot take a job. In every case it is gone afterwards. */
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
   * The job has `timeoutMs`; that a busy machine takes long to start an interpreter is not its fault. Rejects with the
   * signal's reason when it is aborted. In every case the interpreter was killed when this answers; that the kernel has
   * cleared it away is what `gone` says, a millisecond later.
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
      // Lines without the token are of the tool's own making and count for nothing.
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
    // What was printed before the answer lies ready: two rounds of the event loop fetch it.
    for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve));
    const printed = { stdout: this.#stdout.lines, stderr: this.#stderr.lines };
    if (answer !== undefined) return { kind: "answer", text: answer, ...printed };
    if (outcome === "late") return { kind: "late", ...printed };
    if (this.#lines.isFlooded) return { kind: "flood", ...printed };
    return { kind: "silence", exit: await this.gone, ...printed };
  }

  /**
   * The first process takes all others of its sandbox along, once the sandbox is built. While it is being built that
   * would leave a part of it behind, which waits for ever: it is waited for instead.
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
   * The first process inside takes all others along, and the one outside, which waits for it, ends by itself: killed in
   * the other order they would be left to the first process of the machine, which may be a server that buries nobody.
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
    // It ended at this moment.
  }
}

/** A process that this machine had no room for has no pipes either, and says why only later, to nobody. */
function rejectUnborn(child: ChildProcess, launch: Launch): void {
  if ((child.stdio as unknown) !== undefined) return;
  child.on("error", () => {});
  launch.clean?.();
  throw new LaunchError("this machine has no room for another process at the moment");
}

const startMs = 30_000;
const buryMs = 2_000;
const buildMs = 5_000;
/** Whether a process can lead a group, which is then ended as one. */
const hasGroups = process.platform !== "win32";

/** Interpreters write long stories when they cannot start; what matters stands at the beginning. */
function describeFault(stderr: string): string {
  const lines = stderr.trim().split("\n");
  return lines.slice(0, 3).join(" ").trim();
}
