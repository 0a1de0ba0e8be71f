/**
 * Which version wrote each line of a block. The versions are walked from the first on: a line that a version leaves
 * standing keeps its origin, also when the version rewrote everything around it.
 */
import type { BlockCause, VersionChange } from "../store/blocks/block-versions.ts";
import { diffLineLists } from "../store/blocks/line-diff.ts";
import { matchLines } from "./match-lines.ts";

export interface LineOrigin {
  readonly version: number;
  readonly cause: BlockCause;
  readonly createdAt: number;
}

export interface BlamedLine {
  readonly text: string;
  /** Who wrote it. A restore is nobody's writing: what it brings back keeps the origin it had. */
  readonly origin: LineOrigin;
  /** The restore that brought the line back, if it had been gone. */
  readonly restoredIn: number | null;
}

/** Oldest first and without gaps; with `start`, the lines of the version before the first. */
export function blameLines(changes: readonly VersionChange[], start: readonly BlamedLine[] = []): BlamedLine[] {
  const sources = new Set(changes.flatMap(({ cause }) => cause.restoredVersion ?? []));
  const kept = new Map<number, readonly BlamedLine[]>();
  let lines = [...start];
  for (const change of changes) {
    const { restoredVersion } = change.cause;
    lines = applyChange(lines, change, restoredVersion === undefined ? undefined : kept.get(restoredVersion));
    if (sources.has(change.version)) kept.set(change.version, lines);
  }
  return lines;
}

function applyChange(
  lines: readonly BlamedLine[],
  change: VersionChange,
  source: readonly BlamedLine[] | undefined,
): BlamedLine[] {
  const { at, remove, insert } = change.diff ?? diffToCopy(lines, change.value ?? "");
  const removed = lines.slice(at, at + remove);
  const matches = matchLines(
    removed.map(({ text }) => text),
    insert,
  );
  const origin: LineOrigin = { version: change.version, cause: change.cause, createdAt: change.createdAt };
  const inserted = insert.map((text, index): BlamedLine => {
    const standing = removed[matches[index] ?? -1];
    if (standing) return standing;
    const former = source?.[at + index];
    if (former?.text === text) return { text, origin: former.origin, restoredIn: change.version };
    return { text, origin, restoredIn: null };
  });
  return [...lines.slice(0, at), ...inserted, ...lines.slice(at + remove)];
}

function diffToCopy(lines: readonly BlamedLine[], value: string) {
  return diffLineLists(
    lines.map(({ text }) => text),
    value.split("\n"),
  );
}
