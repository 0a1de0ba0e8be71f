/** What tests of recorded answers have in common: where the recordings lie, who made them, and how differences are judged. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasShared, needsShared, sharedPath } from "../../packages/core/src/testing/shared.ts";
import type { Departure } from "./recorded-departures.ts";
import { type SampleName, type Suite, samples } from "./recorded-samples.ts";
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
  /** Lists the differences that no departure allows, and counts the recording as compared; undefined where there is none. */
  judge(name: SampleName, differences: readonly Difference[] | undefined): string[];
  /** Own departures that allowed nothing. */
  unused(): Departure[];
  /** Names in the tables of the suites that were never judged. */
  uncompared(): string[];
}

/** `shared` are departures of another suite, which need not occur in this one. */
export function createJudge(
  suites: readonly Suite[],
  departures: readonly Departure[],
  shared: readonly Departure[] = [],
): Judge {
  const names = suites.flatMap((suite) => samples[suite].filter((name) => !name.endsWith("*")));
  const compared = new Set<string>();
  const used = new Set<Departure>();
  return {
    judge: (name, differences) => {
      if (!(names as string[]).includes(name)) throw new Error(`${name} is not in the tables of ${suites.join(", ")}`);
      if (differences) compared.add(name);
      return (differences ?? []).flatMap((difference) => {
        const rows = [...departures, ...shared];
        const meant = rows.find((row) => row.samples.test(name) && row.path.test(difference.path));
        if (meant) used.add(meant);
        return meant ? [] : [tell(name, difference)];
      });
    },
    unused: () => departures.filter((departure) => !used.has(departure)),
    uncompared: () => names.filter((name) => !compared.has(name)),
  };
}

/** The last tests of a suite. */
export function testComplete({ unused, uncompared }: Judge): void {
  test("every departure in the table is still one", () => {
    expect(unused()).toEqual([]);
  });

  test("every recording in the table was compared", () => {
    expect(uncompared()).toEqual([]);
  });
}

export function tell(name: string, { path, recorded, ours }: Difference): string {
  const show = (value: unknown) => JSON.stringify(value)?.slice(0, 200);
  return `${name}: ${path}: recorded ${show(recorded)}, ours ${show(ours)}`;
}
