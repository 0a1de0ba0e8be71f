/** A diff of one replaced range of lines, which fits edits of memory blocks, is small to store and trivial to apply. */
export interface LineDiff {
  /** Number of unchanged lines at the start. */
  readonly at: number;
  readonly remove: number;
  readonly insert: readonly string[];
}

export function diffLines(before: string, after: string): LineDiff {
  return diffLineLists(before.split("\n"), after.split("\n"));
}

export function diffLineLists(old: readonly string[], next: readonly string[]): LineDiff {
  const shorter = Math.min(old.length, next.length);
  let at = 0;
  while (at < shorter && old[at] === next[at]) at++;
  let tail = 0;
  while (tail < shorter - at && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
  return { at, remove: old.length - tail - at, insert: next.slice(at, next.length - tail) };
}

export function applyLineDiff(before: string, { at, remove, insert }: LineDiff): string {
  const old = before.split("\n");
  return [...old.slice(0, at), ...insert, ...old.slice(at + remove)].join("\n");
}
