/**
 * Shares a fixed number of places between owners: the owner with the fewest active entries comes next, and no owner can
 * hold all places, so a burst of one organization delays another by at most one place.
 */
export interface FairQueueOptions {
  readonly places: number;
  readonly maxPlacesPerOwner: number;
}

interface Waiter {
  enter(): void;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Waiter[]>();
  /** When each active owner was last served; breaks ties in favour of the longest wait. */
  readonly #served = new Map<string, number>();
  #count = 0;
  #taken = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Resolves to a function that releases the place; rejects with the signal's reason if aborted while waiting. */
  enter(owner: string, signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        this.#leaveLine(owner, waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        enter: () => {
          signal?.removeEventListener("abort", abort);
          resolve(this.#occupy(owner));
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      const line = this.#waiting.get(owner) ?? [];
      line.push(waiter);
      this.#waiting.set(owner, line);
      this.#admit();
    });
  }

  #occupy(owner: string): () => void {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#taken -= 1;
      const left = (this.#running.get(owner) ?? 1) - 1;
      if (left > 0) this.#running.set(owner, left);
      else this.#running.delete(owner);
      if (left === 0 && !this.#waiting.has(owner)) this.#served.delete(owner);
      this.#admit();
    };
  }

  #admit(): void {
    while (this.#taken < this.#options.places) {
      const owner = this.#chooseOwner();
      const line = owner === undefined ? undefined : this.#waiting.get(owner);
      const next = line?.shift();
      if (owner === undefined || !line || !next) return;
      if (line.length === 0) this.#waiting.delete(owner);
      this.#count += 1;
      this.#served.set(owner, this.#count);
      this.#taken += 1;
      this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
      next.enter();
    }
  }

  #chooseOwner(): string | undefined {
    const rank = (owner: string) => [this.#running.get(owner) ?? 0, this.#served.get(owner) ?? 0] as const;
    let chosen: string | undefined;
    let best: readonly [running: number, served: number] = [this.#options.maxPlacesPerOwner, 0];
    for (const owner of this.#waiting.keys()) {
      const [running, served] = rank(owner);
      if (running < best[0] || (chosen !== undefined && running === best[0] && served < best[1])) {
        [chosen, best] = [owner, [running, served]];
      }
    }
    return chosen;
  }

  #leaveLine(owner: string, waiter: Waiter): void {
    const line = this.#waiting.get(owner)?.filter((other) => other !== waiter) ?? [];
    if (line.length > 0) this.#waiting.set(owner, line);
    else this.#waiting.delete(owner);
  }
}
