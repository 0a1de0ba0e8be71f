/**
 * Runs slow work on untrusted text on worker threads with a deadline, so that the main thread stays responsive. Threads
 * start on demand, are reused, and are terminated on a passed deadline or a broken parser.
 */
import { Worker } from "node:worker_threads";
import { MemoirError } from "../shared/errors.ts";
import { FairQueue } from "../shared/fair-queue.ts";

/** Each task has a function in thread-main.ts. */
export type ThreadTask = "check-value" | "describe-source" | "find-function" | "read-html" | "strip-types";

export interface ThreadCall {
  /** The organization the work counts against; no owner occupies all threads. */
  readonly owner: string;
  readonly deadlineMs: number;
}

/** The deadline passed, or the work exceeded the memory or stack of a thread. */
export class ThreadFailure extends Error {}

/** A message from a thread; `broken` means that the thread may be in an inconsistent state and must be terminated. */
export type ThreadMessage =
  | { readonly type: "started" }
  | { readonly type: "done"; readonly value: unknown }
  | { readonly type: "refused"; readonly error: Pick<MemoirError, "code" | "message" | "details"> }
  | { readonly type: "broken"; readonly message: string };

/** One thread always stays free for other owners. */
const places = new FairQueue({ places: 2, maxPlacesPerOwner: 1 });
const idle: Worker[] = [];
/** Covers loading a parser on a busy machine; the deadline starts afterwards. */
const startMs = 60_000;

/** Rejects with a ThreadFailure, or with the MemoirError that the work threw. */
export async function runOnThread<T>(task: ThreadTask, input: unknown, { owner, deadlineMs }: ThreadCall): Promise<T> {
  const release = await places.enter(owner);
  try {
    return (await callThread(idle.pop() ?? startThread(), { task, input }, deadlineMs)) as T;
  } finally {
    release();
  }
}

function callThread(thread: Worker, message: object, deadlineMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let isStarted = false;
    const stop = () => {
      clearTimeout(timer);
      thread.off("message", onMessage).off("error", fail).unref();
    };
    const fail = (error: Error) => {
      stop();
      void thread.terminate();
      reject(isStarted ? new ThreadFailure(error.message) : error);
    };
    const onTimeout = () => fail(new Error(`not done within ${isStarted ? deadlineMs : startMs} ms`));
    let timer = setTimeout(onTimeout, startMs);
    const onMessage = (answer: ThreadMessage) => {
      if (answer.type === "started") {
        isStarted = true;
        clearTimeout(timer);
        timer = setTimeout(onTimeout, deadlineMs);
        return;
      }
      if (answer.type === "broken") return fail(new Error(answer.message));
      stop();
      idle.push(thread);
      if (answer.type === "done") resolve(answer.value);
      else reject(new MemoirError(answer.error.code, answer.error.message, { details: answer.error.details }));
    };
    thread.on("message", onMessage).on("error", fail).ref();
    thread.postMessage(message);
  });
}

/** The program lies beside this file both in the source and in the build. */
const program = new URL(import.meta.url.endsWith(".ts") ? "./thread-main.ts" : "./thread-main.js", import.meta.url);

function startThread(): Worker {
  const thread = new Worker(program, { env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  return thread.on("error", () => {});
}

/**
 * Thrown by synchronous code, for example in a transaction, that needs a result from a thread; `find` computes and
 * caches the result, then the code runs again from the start.
 */
export class ThreadNeeded extends Error {
  readonly find: (owner: string) => Promise<void>;

  constructor(find: (owner: string) => Promise<void>) {
    super("a thread has to work this out first");
    this.find = find;
  }
}

/** More than the calls in one reply of a model can need. */
const maxRounds = 1_000;

/** Runs `work`, and again after each ThreadNeeded that it throws. */
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
