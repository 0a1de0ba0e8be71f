/**
 * Which lines of a text are lines of an earlier one. Lines that occur once on both sides are the anchors, what lies
 * between is matched in the same way, and small remains by a table: the cost stays near the number of lines, whatever
 * the texts are.
 */

/** For each line of `next` its place in `old`, or -1; places only rise. */
export function matchLines(old: readonly string[], next: readonly string[]): number[] {
  const pair: Pair = { old, next, matches: next.map(() => -1) };
  matchRange(pair, { oldFrom: 0, oldTo: old.length, nextFrom: 0, nextTo: next.length }, 0);
  return pair.matches;
}

interface Pair {
  readonly old: readonly string[];
  readonly next: readonly string[];
  readonly matches: number[];
}

interface Range {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly nextFrom: number;
  readonly nextTo: number;
}

/** 200 lines against 200. */
const largestTable = 40_000;
const deepestLevel = 40;

function matchRange(pair: Pair, input: Range, level: number): void {
  const range = matchEnds(pair, input);
  const { oldFrom, oldTo, nextFrom, nextTo } = range;
  if (oldFrom === oldTo || nextFrom === nextTo) return;
  if ((oldTo - oldFrom) * (nextTo - nextFrom) <= largestTable) {
    matchByTable(pair, range);
    return;
  }
  const anchors = level < deepestLevel ? findAnchors(pair, range) : [];
  if (anchors.length === 0) return;
  let before = range;
  for (const { old, next } of anchors) {
    matchRange(pair, { ...before, oldTo: old, nextTo: next }, level + 1);
    pair.matches[next] = old;
    before = { ...range, oldFrom: old + 1, nextFrom: next + 1 };
  }
  matchRange(pair, before, level + 1);
}

/** Takes in what is the same at the start and at the end; answers the rest. */
function matchEnds({ old, next, matches }: Pair, range: Range): Range {
  let { oldFrom, oldTo, nextFrom, nextTo } = range;
  while (oldFrom < oldTo && nextFrom < nextTo && old[oldFrom] === next[nextFrom]) matches[nextFrom++] = oldFrom++;
  while (oldFrom < oldTo && nextFrom < nextTo && old[oldTo - 1] === next[nextTo - 1]) matches[--nextTo] = --oldTo;
  return { oldFrom, oldTo, nextFrom, nextTo };
}

interface Anchor {
  readonly old: number;
  readonly next: number;
}

/** Lines that occur once in each, the longest series of them that keeps its order. */
function findAnchors({ old, next }: Pair, { oldFrom, oldTo, nextFrom, nextTo }: Range): Anchor[] {
  const oldPlaces = findUnique(old, oldFrom, oldTo);
  const nextPlaces = findUnique(next, nextFrom, nextTo);
  const common: Anchor[] = [];
  for (const [line, place] of nextPlaces) {
    const oldPlace = oldPlaces.get(line);
    if (oldPlace !== undefined && oldPlace >= 0 && place >= 0) common.push({ old: oldPlace, next: place });
  }
  return longestRising(common.sort((left, right) => left.next - right.next));
}

/** Lines with their places; -1 for those that occur again. */
function findUnique(lines: readonly string[], from: number, to: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let place = from; place < to; place++) {
    const line = lines[place] ?? "";
    places.set(line, places.has(line) ? -1 : place);
  }
  return places;
}

function longestRising(anchors: readonly Anchor[]): Anchor[] {
  /** Of the series of each length, the one whose last place is lowest. */
  const ends: { readonly anchor: Anchor; readonly previous: Link | undefined }[] = [];
  for (const anchor of anchors) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.anchor.old ?? 0) < anchor.old) low = middle + 1;
      else high = middle;
    }
    ends[low] = { anchor, previous: ends[low - 1] };
  }
  const series: Anchor[] = [];
  for (let link: Link | undefined = ends.at(-1); link; link = link.previous) series.push(link.anchor);
  return series.reverse();
}

interface Link {
  readonly anchor: Anchor;
  readonly previous: Link | undefined;
}

/** The longest common series of lines, exactly. */
function matchByTable({ old, next, matches }: Pair, { oldFrom, oldTo, nextFrom, nextTo }: Range): void {
  const width = nextTo - nextFrom + 1;
  const lengths = new Uint16Array((oldTo - oldFrom + 1) * width);
  const cell = (oldPlace: number, nextPlace: number) => (oldPlace - oldFrom) * width + nextPlace - nextFrom;
  const lengthAt = (oldPlace: number, nextPlace: number) => lengths[cell(oldPlace, nextPlace)] ?? 0;
  for (let oldPlace = oldTo - 1; oldPlace >= oldFrom; oldPlace--) {
    for (let nextPlace = nextTo - 1; nextPlace >= nextFrom; nextPlace--) {
      lengths[cell(oldPlace, nextPlace)] =
        old[oldPlace] === next[nextPlace]
          ? lengthAt(oldPlace + 1, nextPlace + 1) + 1
          : Math.max(lengthAt(oldPlace + 1, nextPlace), lengthAt(oldPlace, nextPlace + 1));
    }
  }
  let oldPlace = oldFrom;
  let nextPlace = nextFrom;
  while (oldPlace < oldTo && nextPlace < nextTo) {
    if (old[oldPlace] === next[nextPlace]) matches[nextPlace++] = oldPlace++;
    else if (lengthAt(oldPlace + 1, nextPlace) >= lengthAt(oldPlace, nextPlace + 1)) oldPlace++;
    else nextPlace++;
  }
}
