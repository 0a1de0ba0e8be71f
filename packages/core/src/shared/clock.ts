/**
 * Moments are whole microseconds since 1970, as numbers: both databases store them alike, they sort, and they stay
 * below 2^53 until the year 2255.
 */
export type Now = () => number;

/** Where clocks read the time; tests set it. */
export interface TimeSources {
  /** The machine's clock, in milliseconds, which may be set back. */
  readonly wall: () => number;
  /** Milliseconds since some moment, which no one can set. */
  readonly elapsed: () => number;
}

const machine: TimeSources = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * A clock that never gives the same moment twice, so that rows made one after the other sort in that order. After the
 * machine's clock was set back it goes on at half speed until that has caught up: it neither stands still nor stays ahead.
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
 * For what is due at some moment: it goes on at its speed when the machine's clock is set back. It follows a clock that is
 * set forward, as after the sleep of a machine.
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
