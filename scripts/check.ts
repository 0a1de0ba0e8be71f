/** `npm run check`: types and lint, side by side. `npm test` runs it as its first suite, one test per check. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { install, ROOT, withOurPrograms } from "./install.cjs";

export type CheckResult = { name: string; seconds: number; failure?: string };

const colors = process.stdout.isTTY ? ["--colors=force"] : ["--colors=off"];
const CHECKS = [
  { name: "types", words: ["node_modules/typescript/bin/tsc", "-p", "."] },
  { name: "types of the page", words: ["node_modules/typescript/bin/tsc", "-p", "packages/web"] },
  {
    name: "lint and format",
    words: ["node_modules/@biomejs/biome/bin/biome", "ci", "--max-diagnostics=20", ...colors, "."],
  },
];

if (import.meta.main) {
  // Tests speak of the foreign clients' types. `npm test` has fetched them by now.
  install(join(ROOT, "conformance", "clients"), "Fetching the npm clients that Memoir is tested with (once)…");
  const results = await runChecks();
  if (results.some((result) => result.failure !== undefined)) process.exitCode = 1;
}

export async function runChecks(): Promise<CheckResult[]> {
  return Promise.all(CHECKS.map(({ name, words }) => runCheck(name, words)));
}

async function runCheck(name: string, [program = "", ...rest]: string[]): Promise<CheckResult> {
  const begun = performance.now();
  const failure = await new Promise<string | undefined>((settle) => {
    const options = { cwd: ROOT, env: withOurPrograms(process.env), maxBuffer: 64 << 20 };
    execFile(process.execPath, [join(ROOT, program), ...rest], options, (error, stdout, stderr) => {
      settle(error ? `${stdout}${stderr}`.trim() || error.message : undefined);
    });
  });
  const seconds = (performance.now() - begun) / 1000;
  console.log(`${failure === undefined ? "✓" : "✗"} ${name} (${seconds.toFixed(1)} s)`);
  if (failure !== undefined) console.log(`${failure}\n`);
  return { name, seconds, failure };
}
