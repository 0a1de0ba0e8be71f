/**
 * Checkpoints SQLite's WAL on a worker thread: on the writing thread it would block for 10 to 100 ms about once in
 * fifty commits. The thread starts under load; until then SQLite checkpoints automatically.
 */
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";

const commitsBeforeStart = 100;

/** A string and not a file, so that it works from source and from a bundle. */
const program = `
const { DatabaseSync } = require("node:sqlite");
const { statSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");
const { path, everyMs, passiveBytes, restartBytes } = workerData;
const database = new DatabaseSync(path, { timeout: 100 });
const timer = setInterval(() => {
  let size = 0;
  try { size = statSync(path + "-wal").size; } catch {}
  if (size < passiveBytes) return;
  try { database.exec("pragma wal_checkpoint(" + (size < restartBytes ? "passive" : "truncate") + ")"); } catch {}
}, everyMs);
parentPort.on("message", () => { clearInterval(timer); database.close(); parentPort.close(); });
parentPort.postMessage("ready");
`;

export class Checkpointer {
  readonly #path: string;
  readonly #writer: DatabaseSync;
  #commits = 0;
  #worker: Worker | undefined;

  constructor(path: string, writer: DatabaseSync) {
    this.#path = path;
    this.#writer = writer;
  }

  noteCommit(): void {
    if (++this.#commits === commitsBeforeStart) this.#start();
  }

  #start(): void {
    const sizes = { everyMs: 100, passiveBytes: 4 * 1024 ** 2, restartBytes: 64 * 1024 ** 2 };
    const worker = new Worker(program, { eval: true, execArgv: [], workerData: { path: this.#path, ...sizes } });
    this.#worker = worker;
    worker.unref();
    worker.once("message", () => this.#letWorkerCheckpoint(true));
    // Falls back to SQLite's automatic checkpoints.
    worker.once("error", () => this.#letWorkerCheckpoint(false));
  }

  #letWorkerCheckpoint(isWorkersTask: boolean): void {
    if (this.#writer.isOpen) this.#writer.exec(`pragma wal_autocheckpoint = ${isWorkersTask ? 0 : 1000}`);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.ref();
    worker.postMessage("stop");
    await ended;
  }
}
