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
