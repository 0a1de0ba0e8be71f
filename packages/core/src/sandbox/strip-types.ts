/**
 * TypeScript to JavaScript. Types are blanked out where that is enough, so that lines and columns stay; what needs code,
 * as enums do, is transformed. The text is somebody's, and a few kilobytes of it can keep the parser busy for minutes or
 * break it for all that come after: so it works on a thread of its own, which is given up when either happens. Results
 * are kept: the same tool is called again and again.
 */
import { Worker } from "node:worker_threads";
import { FairQueue } from "./fair-queue.ts";

const program = `
const { stripTypeScriptTypes } = require("node:module");
const { parentPort } = require("node:worker_threads");

// Node warns on the first use that the function may change; the versions we run on are pinned.
process.emitWarning = () => {};

function strip(source) {
  try {
    return stripTypeScriptTypes(source, { mode: "strip" });
  } catch (error) {
    if (error.code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw error;
    return stripTypeScriptTypes(source, { mode: "transform" });
  }
}

parentPort.on("message", (source) => {
  try {
    parentPort.postMessage({ stripped: strip(source) });
  } catch (error) {
    const isSyntax = String(error.code).endsWith("_TYPESCRIPT_SYNTAX");
    parentPort.postMessage(isSyntax ? { fault: error.message } : {});
  }
});
`;

/** Neither: the parser itself broke. */
interface Answer {
  readonly stripped?: string;
  readonly fault?: string;
}

/** One is always left for others than the one who has sent something long. */
const places = new FairQueue({ places: 2, placesOfOne: 1 });
const idle: Worker[] = [];
const known = new Map<string, string>();
const mostKnown = 200;
const longestKnown = 50_000;
const usualPatienceMs = 3_000;

/** Rejects with a SyntaxError that names what cannot be read. */
export async function stripTypes(source: string, owner: string, patienceMs = usualPatienceMs): Promise<string> {
  const kept = known.get(source);
  if (kept !== undefined) return kept;
  const leave = await places.enter(owner);
  try {
    const { stripped, fault = tooMuch } = await askThread(source, patienceMs);
    if (stripped === undefined) throw new SyntaxError(fault);
    if (known.size >= mostKnown) known.clear();
    if (source.length <= longestKnown) known.set(source, stripped);
    return stripped;
  } finally {
    leave();
  }
}

const tooMuch = "the source is nested too deeply, or too complicated, to be read as TypeScript: make it simpler";

function askThread(source: string, patienceMs: number): Promise<Answer> {
  const thread = idle.pop() ?? startThread();
  return new Promise((resolve) => {
    const finish = (answer: Answer) => {
      clearTimeout(patience);
      thread.off("message", finish).off("error", breakOff).unref();
      if (answer.stripped === undefined && answer.fault === undefined) void thread.terminate();
      else idle.push(thread);
      resolve(answer);
    };
    const breakOff = () => finish({});
    const patience = setTimeout(breakOff, patienceMs);
    thread.on("message", finish).on("error", breakOff).ref();
    thread.postMessage(source);
  });
}

function startThread(): Worker {
  const thread = new Worker(program, { eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  return thread.on("error", () => {});
}
