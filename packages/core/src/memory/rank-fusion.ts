/** One score out of the places a hit has in several rankings, by reciprocal rank fusion. */

export interface Ranks {
  /** From 1; null where the hit is not in that ranking. */
  readonly byWords: number | null;
  readonly byMeaning: number | null;
}

const softening = 60;
const weight = 0.5;

/** At most 1/61, for what comes first in both. */
export function fuseRanks({ byWords, byMeaning }: Ranks): number {
  return scoreOf(byWords) + scoreOf(byMeaning);
}

function scoreOf(rank: number | null): number {
  return rank === null ? 0 : weight / (softening + rank);
}
