/**
 * A Vitest reporter that leaves a SuiteResult in the file MEMOIR_TEST_RESULTS: the JSON reporter that comes with Vitest
 * leaves out why a test was skipped.
 */
import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";
import type { SuiteResult } from "./test-report.ts";

// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export
export default class ResultReporter implements Reporter {
  #isNameFiltered = false;

  onInit(vitest: Vitest): void {
    this.#isNameFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const result: SuiteResult = { passed: 0, failed: [], skipped: [] };
    for (const error of unhandled) result.failed.push(`outside any test: ${error.message}`);
    for (const module of modules) {
      for (const group of [module, ...module.children.allSuites()]) {
        if (group.errors().length > 0) result.failed.push(`${nameOf(group)} › set-up or clean-up`);
      }
      for (const test of module.children.allTests()) this.#add(result, test);
    }
    if (process.env.MEMOIR_TEST_RESULTS) writeFileSync(process.env.MEMOIR_TEST_RESULTS, JSON.stringify(result));
  }

  #add(result: SuiteResult, test: TestCase): void {
    const outcome = test.result();
    if (outcome.state === "passed") result.passed += 1;
    else if (outcome.state === "failed") result.failed.push(nameOf(test));
    else if (outcome.state === "pending") result.failed.push(`${nameOf(test)}: did not end`);
    else if (outcome.note !== undefined) result.skipped.push({ name: nameOf(test), reason: outcome.note });
    else if (isInBrokenGroup(test)) result.skipped.push({ name: nameOf(test), reason: "its set-up failed" });
    else if (!this.#isNameFiltered) result.skipped.push({ name: nameOf(test) });
  }
}

/** Vitest marks the tests of a group whose beforeAll failed as skipped. */
function isInBrokenGroup(test: TestCase): boolean {
  for (let group: TestModule | TestSuite = test.parent; ; group = group.parent) {
    if (group.errors().length > 0) return true;
    if (group.type === "module") return false;
  }
}

function nameOf(task: TestModule | TestSuite | TestCase): string {
  return task.type === "module" ? task.relativeModuleId : `${task.module.relativeModuleId} › ${task.fullName}`;
}
