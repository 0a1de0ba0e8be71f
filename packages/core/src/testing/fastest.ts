/**
 * For tests that say how much work something is on this thread: the least CPU time of several rounds, in milliseconds.
 * Compare it with that of other work, never with a number of milliseconds.
 */
export async function measureFastest(rounds: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const begun = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(begun);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}
