/**
 * Moments are whole microseconds since 1970, as numbers: both databases store them alike, they sort, and they stay
 * below 2^53 until the year 2255.
 */
export type Now = () => number;

/** A clock that never gives the same moment twice, so that rows made one after the other sort in that order. */
export function createClock(): Now {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now() * 1000);
    return last;
  };
}
