/** A call of a tool with a source, in the sandbox, beside a plain `python3` that does the same and is not kept from anything. */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findPython } from "../../../packages/core/src/sandbox/interpreters.ts";
import { LocalSandbox } from "../../../packages/core/src/sandbox/local-sandbox.ts";
import type { SandboxLanguage } from "../../../packages/core/src/sandbox/sandbox.ts";
import type { Line } from "../lines.ts";
import type { Figure } from "../table.ts";

const execute = promisify(execFile);

const sources: Readonly<Record<SandboxLanguage, string>> = {
  python: "def add(a: int, b: int) -> int:\n    return a + b\n",
  typescript: "export function add(a: number, b: number): number { return a + b; }",
};

function call(sandbox: LocalSandbox, language: SandboxLanguage, orgId = "bench") {
  return sandbox.run({
    orgId,
    language,
    name: "add",
    source: sources[language],
    args: { a: 2, b: 3 },
    order: ["a", "b"],
    environment: {},
    timeoutMs: 60_000,
  });
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** One after the other, with pauses in which a pool is filled again. */
async function measure(count: number, pauseMs: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    await sleep(pauseMs);
    times.push(await time(work));
  }
  return times.sort((one, other) => one - other);
}

const at = (times: readonly number[], share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
const spread = (times: readonly number[]) => [
  `min ${at(times, 0).toFixed(1)} ms`,
  `p90 ${at(times, 0.9).toFixed(1)} ms`,
];

async function measureLanguage(language: SandboxLanguage): Promise<Figure[]> {
  const warm = new LocalSandbox();
  const cold = new LocalSandbox({ poolSize: 0 });
  try {
    await Promise.all([call(warm, language), call(cold, language)]);
    const pooled = await measure(60, 150, () => call(warm, language));
    const started = await measure(30, 50, () => call(cold, language));
    const name = `tools: ${language}, in the sandbox`;
    return [
      { name: `${name}, pooled p50`, value: at(pooled, 0.5), unit: "ms", target: 5, notes: spread(pooled) },
      { name: `${name}, cold p50`, value: at(started, 0.5), unit: "ms", target: 150, notes: spread(started) },
    ];
  } finally {
    await Promise.all([warm.close(), cold.close()]);
  }
}

/** Forty calls of one organization, and behind them ten of another: how long each has to wait for its last. */
async function measureCrowd(): Promise<Figure> {
  const sandbox = new LocalSandbox();
  try {
    await call(sandbox, "python");
    await sleep(500);
    const startedAt = performance.now();
    const finish = async (orgId: string, count: number) => {
      await Promise.all(Array.from({ length: count }, () => call(sandbox, "python", orgId)));
      return performance.now() - startedAt;
    };
    const [large, small] = await Promise.all([finish("large", 40), finish("small", 10)]);
    const notes = [`40 calls of one organization, and 10 of another that were done after ${small.toFixed(0)} ms`];
    return { name: "tools: 50 calls at once", value: Math.max(large, small), unit: "ms", notes };
  } finally {
    await sandbox.close();
  }
}

export const tools: Line = {
  name: "tools",
  async run() {
    const fault = await new LocalSandbox().findFault();
    if (fault !== undefined) throw new Error(fault);
    const words = ["-c", `${sources.python}print(add(2, 3))`];
    const python = findPython()?.program;
    if (python === undefined) throw new Error("there is no Python 3 on this machine");
    const plain = await measure(30, 50, () => execute(python, words));
    return [
      { name: "tools: a plain python3, kept from nothing", value: at(plain, 0.5), unit: "ms", notes: spread(plain) },
      ...(await measureLanguage("python")),
      ...(await measureLanguage("typescript")),
      await measureCrowd(),
    ];
  },
};
