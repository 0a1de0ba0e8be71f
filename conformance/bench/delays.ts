/** Asks a watched server how its event loop did: see loop-delay.ts. */
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchServer } from "./start.ts";

export type Delays = { p50: number; p99: number; max: number };

/** Since the last time it was asked. */
export async function readDelays({ process: server }: Pick<BenchServer, "process">): Promise<Delays> {
  const reports = () => [...server.output().matchAll(/^loop-delay (.*)$/gm)];
  const before = reports().length;
  server.kill("SIGUSR2");
  while (reports().length === before) await sleep(5);
  return JSON.parse(reports().at(-1)?.[1] ?? "");
}
