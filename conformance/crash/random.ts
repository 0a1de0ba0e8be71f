/**
 * Chance that can be repeated: every choice of a crash test comes from one seed, which the test prints. The same seed
 * gives the same requests and the same kills; only the timing of the machine differs.
 */
export type Random = {
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T | undefined;
  isOneIn(count: number): boolean;
  /** Chance of its own for a part that runs beside others, so that their order does not matter. */
  fork(name: string): Random;
};

/** MEMOIR_TEST_SEED repeats an earlier run. */
export function chooseSeed(): number {
  return Number(process.env.MEMOIR_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: 32 bits of state are plenty here.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    between,
    pick: (items) => items[between(0, items.length - 1)],
    isOneIn: (count) => between(1, count) === 1,
    fork: (name) => createRandom([...name].reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0), seed)),
  };
}
