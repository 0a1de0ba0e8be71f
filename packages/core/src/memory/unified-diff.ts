/** The difference of two texts for people and programs: hunks of lines with a little of what stands around them. */
import { matchLines } from "./match-lines.ts";

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Places count from 1; 0 where a side has no lines at all. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

const linesAround = 3;

export function diffTexts(earlier: string, later: string): DiffHunk[] {
  const lines = alignLines(toLines(earlier), toLines(later));
  const old = countUpTo(lines, "added");
  const next = countUpTo(lines, "removed");
  return findSpans(lines).map((span) => {
    const before = placeSide(old, span);
    const after = placeSide(next, span);
    return {
      oldStart: before.start,
      oldLines: before.lines,
      newStart: after.start,
      newLines: after.lines,
      lines: lines.slice(span.from, span.to),
    };
  });
}

/** Nothing where there is no difference. */
export function toUnifiedText(hunks: readonly DiffHunk[], names: { readonly old: string; readonly next: string }) {
  if (hunks.length === 0) return "";
  const marks = { same: " ", removed: "-", added: "+" } as const;
  const parts = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines.map(({ kind, text }) => `${marks[kind]}${text}`),
  ]);
  return [`--- ${names.old}`, `+++ ${names.next}`, ...parts.flat(), ""].join("\n");
}

/** An empty text has no lines. */
function toLines(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function alignLines(old: readonly string[], next: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let place = 0;
  const removeUpTo = (end: number) => {
    while (place < end) lines.push({ kind: "removed", text: old[place++] ?? "" });
  };
  for (const [index, match] of matchLines(old, next).entries()) {
    const text = next[index] ?? "";
    if (match < 0) {
      lines.push({ kind: "added", text });
      continue;
    }
    removeUpTo(match);
    place++;
    lines.push({ kind: "same", text });
  }
  removeUpTo(old.length);
  return removedFirst(lines);
}

/** Within a change, what went comes before what came. */
function removedFirst(lines: readonly DiffLine[]): DiffLine[] {
  const ordered: DiffLine[] = [];
  let added: DiffLine[] = [];
  const release = () => {
    for (const line of added) ordered.push(line);
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "same") release();
    if (line.kind === "added") added.push(line);
    else ordered.push(line);
  }
  release();
  return ordered;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The changes with their surroundings; those that touch are one. */
function findSpans(lines: readonly DiffLine[]): Span[] {
  const spans: Span[] = [];
  for (const [index, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    const from = Math.max(0, index - linesAround);
    const to = Math.min(lines.length, index + linesAround + 1);
    const last = spans.at(-1);
    if (last && from <= last.to) spans[spans.length - 1] = { from: last.from, to };
    else spans.push({ from, to });
  }
  return spans;
}

/** How many lines one side has before each place: all that are not the `other`'s. */
function countUpTo(lines: readonly DiffLine[], other: DiffLine["kind"]): number[] {
  const counts = [0];
  for (const { kind } of lines) counts.push((counts.at(-1) ?? 0) + (kind === other ? 0 : 1));
  return counts;
}

function placeSide(counts: readonly number[], { from, to }: Span): { start: number; lines: number } {
  const before = counts[from] ?? 0;
  const lines = (counts[to] ?? 0) - before;
  return { start: before + (lines > 0 ? 1 : 0), lines };
}
