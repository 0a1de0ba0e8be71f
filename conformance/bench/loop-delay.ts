/**
 * Loaded into a server with --import: measures how long its event loop keeps others waiting. Each SIGUSR2 prints what was
 * seen since the last one, so the program itself needs no hook for it.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The monitor counts from one tick to the next, so what it calls a delay holds the tick as well. */
const tickMs = 1;
const monitor = monitorEventLoopDelay({ resolution: tickMs });
const toMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - tickMs);

process.on("SIGUSR2", () => {
  const { min, max } = monitor;
  const [p50, p99] = [monitor.percentile(50), monitor.percentile(99)].map(toMs);
  console.error(`loop-delay ${JSON.stringify({ min: toMs(min), p50, p99, max: toMs(max) })}`);
  monitor.reset();
});
monitor.enable();
