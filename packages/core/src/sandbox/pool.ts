/** Starts interpreters in advance, so that a call does not wait for the start; each is used once. */
import { InterpreterProcess } from "./interpreter-process.ts";
import type { Extras, Launcher } from "./launch.ts";
import type { SandboxLimits } from "./limits.ts";
import type { SandboxLanguage } from "./sandbox.ts";

export interface PoolOptions {
  readonly limits: SandboxLimits;
  /** Idle interpreters per language, once the language has been used. */
  readonly size: number;
  /** Idle interpreters are stopped after this time without a call. */
  readonly idleMs: number;
}

export class Pool {
  readonly #launcher: Launcher;
  readonly #options: PoolOptions;
  readonly #waiting = new Map<SandboxLanguage, InterpreterProcess[]>();
  readonly #all = new Set<InterpreterProcess>();
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(launcher: Launcher, options: PoolOptions) {
    this.#launcher = launcher;
    this.#options = options;
  }

  /** Returns an idle interpreter or a new one; calls with `extras` always get a new one. */
  take(language: SandboxLanguage, extras: Extras = {}): InterpreterProcess {
    if (Object.keys(extras).length > 0) return this.#start(language, extras);
    const waiting = this.#waiting.get(language) ?? [];
    this.#waiting.set(language, waiting);
    const taken = waiting.shift() ?? this.#start(language);
    this.#rest();
    return taken;
  }

  /** Refills the pool; called after a job, so that it does not compete with it. */
  fill(language: SandboxLanguage): void {
    const waiting = this.#waiting.get(language);
    while (!this.#isClosed && waiting && waiting.length < this.#options.size) {
      const started = this.#tryStart(language);
      if (!started) return;
      waiting.push(started);
      started.gone.then(() => this.#forget(waiting, started));
    }
  }

  /** Errors are ignored here; the next call will meet and report them. */
  #tryStart(language: SandboxLanguage): InterpreterProcess | undefined {
    try {
      return this.#start(language);
    } catch {
      return undefined;
    }
  }

  #forget(waiting: InterpreterProcess[], gone: InterpreterProcess): void {
    const place = waiting.indexOf(gone);
    if (place >= 0) waiting.splice(place, 1);
  }

  #start(language: SandboxLanguage, extras?: Extras): InterpreterProcess {
    const started = new InterpreterProcess(this.#launcher.launch(language, extras), this.#options.limits);
    this.#all.add(started);
    started.gone.then(() => this.#all.delete(started));
    return started;
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#dismiss(), this.#options.idleMs).unref();
  }

  #dismiss(): void {
    for (const waiting of this.#waiting.values()) for (const one of waiting.splice(0)) one.kill();
  }

  /** Kills running interpreters as well; their calls fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    const all = [...this.#all];
    for (const one of all) one.kill();
    await Promise.all(all.map(({ gone }) => gone));
  }
}
