/** Measuring: the load processes, and the numbers made of what they and the system say. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { node } from "../crash/process.ts";
import type { Job, Request, Result } from "./load.ts";
import { startEcho, type Target } from "./start.ts";
import type { Figure } from "./table.ts";

const run = promisify(execFile);
const connections = 64;
/** Long enough for V8 to have compiled what matters. */
const usual = { warmUpMs: 2_000, measureMs: 4_000 };
let echo: Promise<number> | undefined;

/** Lets 64 connections send these requests, one after the other on each, and counts the answers. */
export async function measureLoad(
  { port, pid }: Target,
  requests: Request[],
  times: Partial<typeof usual> = {},
): Promise<Result> {
  const job: Job = { port, pid, connections, requests, ...usual, ...times };
  const { stdout } = await run(node, [join(import.meta.dirname, "load.ts"), JSON.stringify(job)]);
  return JSON.parse(stdout);
}

/** A line of the table about a throughput. */
export async function toRate(name: string, result: Result, more: Partial<Figure> = {}): Promise<Figure> {
  const value = result.answers / result.seconds;
  const { p50, p99 } = result.latenciesMs;
  const cpu = result.cpuSeconds && (result.cpuSeconds * 1000) / result.answers;
  const notes = [`p50 ${p50.toFixed(1)} ms`, `p99 ${p99.toFixed(1)} ms`];
  if (cpu !== undefined) notes.push(`server CPU ${cpu.toFixed(2)} ms each`);
  return { name, value, unit: "/s", ofEcho: value / (await measureEcho()), notes, ...more };
}

/** Measured once in a run: answers of bare node:http a second, with a body like those of the other lines. */
export async function measureEcho(): Promise<number> {
  echo ??= (async () => {
    const target = await startEcho();
    const body = { text: "x".repeat(300) };
    const result = await measureLoad(target, [{ method: "POST", path: "/", body }], { measureMs: 2_000 });
    await target.end();
    return result.answers / result.seconds;
  })();
  return await echo;
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Memory a process holds, in MB; undefined where /proc is not. */
export function readMemory(pid: number): number | undefined {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
