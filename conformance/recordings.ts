/** What tests of recorded answers have in common: where the recordings lie, who made them, and how differences are judged. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { hasShared, needsShared, sharedPath } from "../packages/core/src/testing/shared.ts";
import type { Departure } from "./recorded-departures.ts";
import type { Difference } from "./wire-difference.ts";

export const recordings = sharedPath("wire");
export const hasRecordings = hasShared;

/** Stands for the comparisons of a file where there is nothing to compare with. */
export function skipRecorded(name: string): void {
  test(name, (context) => context.skip(needsShared));
}

export interface Sample {
  readonly request: { readonly method: string; readonly path: string; readonly body?: object };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body?: unknown };
}

export const callers = [
  { who: "a current client", place: "", headers: { "x-stainless-package-version": "1.12.1" } },
  { who: "plain HTTP", place: "plain-http", headers: { "user-agent": "curl/8.5.0" } },
] as const;

/** Not every request was recorded by every caller. */
export function readSample(place: string, name: string): Sample | undefined {
  const file = join(recordings, place, `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export interface Judge {
  /** Tells the differences that nobody meant. */
  judge(name: string, differences: readonly Difference[]): string[];
  /** Departures that are none any more. */
  unused(): Departure[];
}

export function createJudge(departures: readonly Departure[]): Judge {
  const used = new Set<Departure>();
  return {
    judge: (name, differences) =>
      differences.flatMap((difference) => {
        const meant = departures.find((row) => row.samples.test(name) && row.path.test(difference.path));
        if (meant) used.add(meant);
        return meant ? [] : [tell(name, difference)];
      }),
    unused: () => departures.filter((departure) => !used.has(departure)),
  };
}

export function tell(name: string, { path, recorded, ours }: Difference): string {
  const show = (value: unknown) => JSON.stringify(value)?.slice(0, 200);
  return `${name}: ${path}: recorded ${show(recorded)}, ours ${show(ours)}`;
}
