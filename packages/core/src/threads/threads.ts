/**
 * Work on foreign text that can take long, on threads of its own with a deadline: the thread that serves everybody goes
 * on meanwhile. Threads are started by the first work, reused, and ended when a deadline passes or a parser breaks.
 */
import { Worker } from "node:worker_threads";
import { MemoirError } from "../shared/errors.ts";
import { FairQueue } from "../shared/fair-queue.ts";

/** Each has a function in thread-main.ts. */
export type ThreadTask = "check-value" | "describe-source" | "find-function" | "read-html" | "strip-types";

export interface ThreadCall {
  /** Whose work it is: no owner takes all threads. */
  readonly owner: string;
  readonly deadlineMs: number;
}

/** The deadline passed, or the work took more memory or stack than a thread has. */
export class ThreadFailure extends Error {}

/** What a thread says. `broken`: the work failed in a way that may have left the thread in no state to go on. */
export type ThreadAnswer =
  | { readonly type: "started" }
  | { readonly type: "done"; readonly value: unknown }
  | { readonly type: "refused"; readonly error: Pick<MemoirError, "code" | "message" | "details"> }
  | { readonly type: "broken"; readonly message: string };

/** One is always left for others than the owner of something long. */
const places = new FairQueue({ places: 2, placesOfOne: 1 });
const idle: Worker[] = [];
/** For loading a parser on a busy machine; the deadline begins after it. */
const startMs = 60_000;

/** Rejects with a ThreadFailure, or with the MemoirError that the work threw. */
export async function runOnThread<T>(task: ThreadTask, input: unknown, { owner, deadlineMs }: ThreadCall): Promise<T> {
  const leave = await places.enter(owner);
  try {
    return (await ask(idle.pop() ?? startThread(), { task, input }, deadlineMs)) as T;
  } finally {
    leave();
  }
}

function ask(thread: Worker, message: object, deadlineMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let isStarted = false;
    const stop = () => {
      clearTimeout(timer);
      thread.off("message", hear).off("error", fail).unref();
    };
    const fail = (error: Error) => {
      stop();
      void thread.terminate();
      reject(isStarted ? new ThreadFailure(error.message) : error);
    };
    const late = () => fail(new Error(`not done within ${isStarted ? deadlineMs : startMs} ms`));
    let timer = setTimeout(late, startMs);
    const hear = (answer: ThreadAnswer) => {
      if (answer.type === "started") {
        isStarted = true;
        clearTimeout(timer);
        timer = setTimeout(late, deadlineMs);
        return;
      }
      if (answer.type === "broken") return fail(new Error(answer.message));
      stop();
      idle.push(thread);
      if (answer.type === "done") resolve(answer.value);
      else reject(new MemoirError(answer.error.code, answer.error.message, { details: answer.error.details }));
    };
    thread.on("message", hear).on("error", fail).ref();
    thread.postMessage(message);
  });
}

/** Beside this file, in the source as in what the build makes of it. */
const program = new URL(import.meta.url.endsWith(".ts") ? "./thread-main.ts" : "./thread-main.js", import.meta.url);

function startThread(): Worker {
  const thread = new Worker(program, { env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  return thread.on("error", () => {});
}

/**
 * Thrown where nothing may be awaited, as in a transaction, by code that needs what a thread has not worked out yet. `find`
 * has it worked out and kept; the code is then run again from its start.
 */
export class ThreadNeeded extends Error {
  readonly find: (owner: string) => Promise<void>;

  constructor(find: (owner: string) => Promise<void>) {
    super("a thread has to work this out first");
    this.find = find;
  }
}

/** More than one reply of a model can ask for. */
const maxRounds = 1_000;

/** Runs `work` again for everything that it needs from a thread. */
export async function withThreads<T>(owner: string, work: () => T | Promise<T>): Promise<T> {
  for (let round = 0; ; round++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ThreadNeeded) || round === maxRounds) throw error;
      await error.find(owner);
    }
  }
}
