/** Interpreters that are started before they are needed, so that a call does not wait for a start. Each is used once. */
import { OneShot } from "./interpreter-process.ts";
import type { Extras, Launcher } from "./launch.ts";
import type { SandboxLimits } from "./limits.ts";
import type { SandboxLanguage } from "./sandbox.ts";

export interface PoolOptions {
  readonly limits: SandboxLimits;
  /** How many of a language wait, once it has been asked for. */
  readonly size: number;
  /** After so long without a call nobody waits any more. */
  readonly idleMs: number;
}

export class Pool {
  readonly #launcher: Launcher;
  readonly #options: PoolOptions;
  readonly #waiting = new Map<SandboxLanguage, OneShot[]>();
  readonly #all = new Set<OneShot>();
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(launcher: Launcher, options: PoolOptions) {
    this.#launcher = launcher;
    this.#options = options;
  }

  /** One that waited, or a new one; those that need something of their own are always new. */
  take(language: SandboxLanguage, extras: Extras = {}): OneShot {
    if (Object.keys(extras).length > 0) return this.#start(language, extras);
    const waiting = this.#waiting.get(language) ?? [];
    this.#waiting.set(language, waiting);
    const taken = waiting.shift() ?? this.#start(language);
    this.#rest();
    return taken;
  }

  /** Brings the number of those that wait up again: best after a call, so that it does not compete with it. */
  fill(language: SandboxLanguage): void {
    const waiting = this.#waiting.get(language);
    while (!this.#isClosed && waiting && waiting.length < this.#options.size) {
      const started = this.#tryStart(language);
      if (!started) return;
      waiting.push(started);
      started.gone.then(() => this.#forget(waiting, started));
    }
  }

  /** What stands in the way is told to the next call, should it still be there. */
  #tryStart(language: SandboxLanguage): OneShot | undefined {
    try {
      return this.#start(language);
    } catch {
      return undefined;
    }
  }

  #forget(waiting: OneShot[], gone: OneShot): void {
    const place = waiting.indexOf(gone);
    if (place >= 0) waiting.splice(place, 1);
  }

  #start(language: SandboxLanguage, extras?: Extras): OneShot {
    const started = new OneShot(this.#launcher.launch(language, extras), this.#options.limits);
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

  /** Those at work end too; their calls find out. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    const all = [...this.#all];
    for (const one of all) one.kill();
    await Promise.all(all.map(({ gone }) => gone));
  }
}
