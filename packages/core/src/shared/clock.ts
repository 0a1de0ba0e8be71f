/**
 * Timestamps are whole microseconds since 1970, as numbers: both databases store them alike, they sort, and they stay
 * below 2^53 until the year 2255.
 */
export type Now = () => number;

/** Time sources of the clocks, replaced in tests. */
export interface TimeSources {
  /** Wall clock in milliseconds; may be set back. */
  readonly wall: () => number;
  /** Monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

const machine: TimeSources = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * A clock whose timestamps strictly increase, so that rows sort in insertion order. After the wall clock is set back it
 * runs at half speed until the wall clock has caught up.
 */
export function createClock({ wall, elapsed }: TimeSources = machine): Now {
  let last = 0;
  let seen = elapsed();
  return () => {
    const at = elapsed();
    const passed = at - seen;
    seen = at;
    last = Math.max(last + 1, last + Math.floor(passed * 500), wall() * 1000);
    return last;
  };
}

/**
 * A clock for due times: monotonic when the wall clock is set back, and follows a wall clock set forward, as after the
 * machine slept.
 */
export function createDueClock({ wall, elapsed }: TimeSources = machine): Now {
  const begin = wall() - elapsed();
  let ahead = 0;
  return () => {
    const at = begin + elapsed() + ahead;
    ahead += Math.max(0, wall() - at);
    return Math.round(Math.max(at, wall()) * 1000);
  };
}
