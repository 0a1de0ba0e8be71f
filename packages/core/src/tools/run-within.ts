/**
 * Work on the thread that serves everybody, though somebody else's data decides how long it takes: patterns that go back
 * and forth without end, schemas that unfold. It is broken off when its time is up.
 */
import { createContext, Script } from "node:vm";

const context = createContext({ work: undefined as unknown });
const script = new Script("work()");

/** Undefined when it was broken off: whatever it was in the middle of is then not to be used again. */
export function runWithin<T>(milliseconds: number, work: () => T): { readonly value: T } | undefined {
  context.work = work;
  try {
    return { value: script.runInContext(context, { timeout: milliseconds }) };
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    context.work = undefined;
  }
}

const longestWaitMs = 30_000;

/**
 * The same on a thread of its own, by the CPU time of that thread: on a busy machine the clock runs on while the thread
 * waits for a core. `work` may be run several times.
 */
export function runWithinCpuTime<T>(milliseconds: number, work: () => T): { readonly value: T } | undefined {
  for (let waitMs = milliseconds; ; waitMs *= 2) {
    const begun = process.threadCpuUsage();
    const done = runWithin(waitMs, work);
    const { user, system } = process.threadCpuUsage(begun);
    // Half of it: a thread that had a core for most of the time used more.
    const isSlow = (user + system) / 1_000 > milliseconds / 2;
    if (done || isSlow || waitMs > longestWaitMs) return done;
  }
}
