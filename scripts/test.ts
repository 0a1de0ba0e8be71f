/**
 * Runs every suite and ends with one line of counts. Words after `npm test --` are file filters (or options) for Vitest;
 * then only the files they match are run. `--long` adds the files `*.long.ts` and lifts the budgets.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TOOLS } from "../conformance/support/services.ts";
import { runChecks } from "./check.ts";
import { fetchTools, type Missing } from "./fetch-tools.ts";
import { ROOT } from "./install.cjs";
import { report, type SuiteReport, type SuiteResult } from "./test-report.ts";

type Suite = { name: string; budget: number; run: () => Promise<SuiteResult> };

/** Budgets in seconds, 25 minutes together on 2 cores; report() says what going over one means. */
const SUITES: Suite[] = [
  { name: "check", budget: 60, run: runCheckSuite },
  { name: "unit", budget: 360, run: () => runVitest("unit", ["--project", "unit"], 360) },
  { name: "conformance", budget: 960, run: () => runVitest("conformance", ["--project", "conformance"], 960) },
  { name: "packages", budget: 120, run: () => runVitest("packages", ["--project", "packages"], 120) },
];

const isCi = process.env.CI === "true" || process.env.CI === "1";
const words = process.argv.slice(2).filter((word) => word !== "--long");
const isLong = words.length < process.argv.length - 2;
if (isLong) process.env.MEMOIR_TEST_LONG = "1";
// Vitest colours its words even where nobody sees colours.
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR = "1";

// Hundreds of servers are started from the same sources: with what the first made of them, in half the time.
const compiled = mkdtempSync(join(tmpdir(), "memoir-compiled-"));
process.env.NODE_COMPILE_CACHE = compiled;
process.on("exit", () => rmSync(compiled, { recursive: true, force: true }));

const missing = await fetchTools();
process.env.MEMOIR_TEST_MISSING = JSON.stringify(missing);
const reports: SuiteReport[] = [{ suite: "fetch", seconds: 0, ...toResult(missing) }];
const chosen = words.length === 0 ? SUITES : [{ name: "chosen", run: () => runVitest("chosen", words) }];
for (const suite of chosen) {
  console.log(`\n=== ${suite.name} ===`);
  const begun = performance.now();
  const result = await suite.run();
  const seconds = (performance.now() - begun) / 1000;
  reports.push({
    suite: suite.name,
    seconds,
    budget: isLong || !("budget" in suite) ? undefined : suite.budget,
    ...result,
  });
}
process.exitCode = report(reports, isCi) ? 0 : 1;

async function runCheckSuite(): Promise<SuiteResult> {
  const results = await runChecks();
  const failed = results.filter(({ failure }) => failure !== undefined).map(({ name }) => name);
  return { passed: results.length - failed.length, failed, skipped: [] };
}

/** What could not be fetched is a skip of its own, so that CI fails even if no test asked for it. */
function toResult(absent: Missing): SuiteResult {
  return { passed: 0, failed: [], skipped: Object.entries(absent).map(([name, reason]) => ({ name, reason })) };
}

async function runVitest(name: string, options: string[], budget = Number.POSITIVE_INFINITY): Promise<SuiteResult> {
  const results = join(TOOLS, "results", `${name}.json`);
  mkdirSync(join(TOOLS, "results"), { recursive: true });
  rmSync(results, { force: true });
  const ours = ["--reporter=default", `--reporter=${join(ROOT, "scripts", "test-reporter.ts")}`];
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...ours, ...options], {
    cwd: ROOT,
    env: { ...process.env, MEMOIR_TEST_RESULTS: results },
    stdio: "inherit",
  });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const leave = (signal: NodeJS.Signals) => {
    child.kill(signal);
    child.once("exit", () => process.exit(130));
  };
  for (const signal of signals) process.on(signal, leave);
  // A suite that hangs must not hang a CI machine: at four times its budget it is ended.
  const timeout = isCi && !isLong && Number.isFinite(budget) ? budget * 4000 : undefined;
  const timer = timeout && setTimeout(() => child.kill("SIGTERM"), timeout);
  const [status] = await once(child, "exit");
  clearTimeout(timer);
  for (const signal of signals) process.off(signal, leave);
  return readResult(results, status);
}

function readResult(file: string, status: number | null): SuiteResult {
  if (!existsSync(file)) return { passed: 0, failed: ["ended without results: see above"], skipped: [] };
  const result: SuiteResult = JSON.parse(readFileSync(file, "utf8"));
  if (status !== 0 && result.failed.length === 0) result.failed.push(`Vitest ended with status ${status}: see above`);
  return result;
}
