/**
 * For tests that say how work grows: the fastest of several rounds, which a busy machine changes little. Compare it with
 * that of other work, never with a number of milliseconds.
 */
export async function measureFastest(rounds: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await work();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}
