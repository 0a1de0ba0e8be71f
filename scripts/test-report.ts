/** What a suite comes to, and how a run of all suites is told: the last line is the count, and nothing follows it. */
import { isSharedDeclaredAbsent, needsShared } from "../packages/core/src/testing/shared.ts";

export type SuiteResult = {
  passed: number;
  failed: string[];
  /** A skip without a reason is nobody's decision, so it fails the run. */
  skipped: { name: string; reason?: string }[];
};

export type SuiteReport = SuiteResult & { suite: string; seconds: number; budget?: number };

/**
 * Prints the report and answers whether the run was good. A budget is a promise about a quiet machine with 2 cores:
 * past it there is a warning, past twice as much a run with CI=true fails.
 */
export function report(reports: SuiteReport[], isCi: boolean): boolean {
  const failed = reports.flatMap(named("failed", (name) => name));
  const skipped = reports.flatMap(named("skipped", ({ name, reason }) => `${name}: ${reason ?? "NO REASON GIVEN"}`));
  const late = reports.filter(({ seconds, budget }) => budget !== undefined && seconds > budget);
  const tooLate = isCi ? late.filter(({ seconds, budget = 0 }) => seconds > 2 * budget) : [];
  failed.push(...tooLate.map(({ suite, budget }) => `${suite} › took more than twice its budget of ${budget} s`));

  console.log("\nSuites");
  for (const { suite, passed, seconds, budget } of reports.filter((each) => each.seconds > 0)) {
    const time = `${seconds.toFixed(1)} s${budget === undefined ? "" : ` of ${budget} s`}`;
    console.log(`  ${suite.padEnd(12)} ${String(passed).padStart(5)} passed in ${time}`);
  }
  for (const { suite, seconds, budget } of late) {
    console.log(`\n!!! ${suite} is over its budget: ${seconds.toFixed(0)} s instead of ${budget} s !!!`);
  }
  if (skipped.length > 0) console.log(`\nSkipped\n${toList(skipped)}`);
  if (failed.length > 0) console.log(`\nFailed\n${toList(failed)}`);
  const hasUnnamed = reports.some((each) => each.skipped.some(({ reason }) => reason === undefined));
  if (hasUnnamed) console.log("\nA skip needs a reason: context.skip(reason), not test.skip or test.todo.");
  const unexpected = isCi ? reports.flatMap((each) => each.skipped.filter((skip) => !isDeclared(skip))) : [];
  if (unexpected.length > 0) console.log("\nWith CI=true a skip is a failure: see the list above.");
  const passed = reports.reduce((sum, each) => sum + each.passed, 0);
  console.log(`\n${passed} passed, ${failed.length} failed, ${skipped.length} skipped`);
  return failed.length === 0 && !hasUnnamed && unexpected.length === 0;
}

/** MEMOIR_TEST_WITHOUT_SHARED says that ../shared is absent on purpose. */
const isDeclared = ({ reason }: { reason?: string }) => isSharedDeclaredAbsent && reason === needsShared;

function named<Key extends "failed" | "skipped">(key: Key, tell: (item: SuiteResult[Key][number]) => string) {
  return (each: SuiteReport) => each[key].map((item) => `${each.suite} › ${tell(item)}`);
}

function toList(lines: string[]): string {
  return lines.map((line) => `  ${line.replaceAll("\n", " ")}`).join("\n");
}
