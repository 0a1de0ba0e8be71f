/**
 * Whether the database can do its work: it answers, it can be written to, and its file is sound. Readiness is asked for by
 * load balancers every few seconds, so a write is tried rarely, and a SQLite file is read through on a thread of its own.
 */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { MemoirError } from "../shared/errors.ts";
import { describeFault, findDatabaseFault } from "./engine/database-faults.ts";
import type { Store } from "./engine/store.ts";
import { ping, touchDefaults } from "./system.ts";

export interface ReadinessOptions {
  /** A write is tried at most so often. */
  readonly writeEveryMs?: number;
  /** A SQLite file is checked at most so often, the first time when readiness is first asked for. */
  readonly checkEveryMs?: number;
}

const defaults: Required<ReadinessOptions> = { writeEveryMs: 5_000, checkEveryMs: 3_600_000 };

/** Less than this is no room for the commits of one turn. */
const leastFreeBytes = 2 ** 20;

export class Readiness {
  readonly #store: Store;
  readonly #options: Required<ReadinessOptions>;
  #written: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isDamaged = false;
  #worker: Worker | undefined;

  constructor(store: Store, options: ReadinessOptions = {}) {
    this.#store = store;
    this.#options = { ...defaults, ...options };
  }

  /** Throws with a sentence on what is wrong. */
  async check(): Promise<void> {
    this.#checkFile();
    if (this.#isDamaged) throw new MemoirError("unavailable", describeFault("damaged"));
    if (await this.#isDiskFull()) throw new MemoirError("unavailable", describeFault("full"));
    try {
      await ping(this.#store);
      await this.#tryWrite();
    } catch (error) {
      const fault = findDatabaseFault(error) ?? "unreachable";
      throw new MemoirError("unavailable", describeFault(fault), { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** A small write may still find room in the WAL when there is none for a message. */
  async #isDiskFull(): Promise<boolean> {
    if (!this.#isFile) return false;
    const { bavail, bsize } = await statfs(dirname(this.#store.location));
    return bavail * bsize < leastFreeBytes;
  }

  get #isFile(): boolean {
    return this.#store.flavor.name === "sqlite" && this.#store.location !== ":memory:";
  }

  #tryWrite(): Promise<void> {
    if (performance.now() - this.#writtenAt < this.#options.writeEveryMs) return this.#written;
    this.#writtenAt = performance.now();
    this.#written = touchDefaults(this.#store);
    return this.#written;
  }

  #checkFile(): void {
    const { location } = this.#store;
    if (!this.#isFile || this.#worker) return;
    if (performance.now() - this.#checkedAt < this.#options.checkEveryMs) return;
    this.#checkedAt = performance.now();
    const worker = new Worker(program, { eval: true, execArgv: [], workerData: location });
    worker.unref();
    this.#worker = worker;
    worker.once("message", (isSound: boolean) => {
      this.#isDamaged = !isSound;
    });
    // Without an answer nothing is known, and the last answer stands.
    worker.once("error", () => {});
    worker.once("exit", () => {
      this.#worker = undefined;
    });
  }
}

/** Plain text and not a file, so that it works from source and from one bundle alike. */
const program = `
const { DatabaseSync } = require("node:sqlite");
const { parentPort, workerData } = require("node:worker_threads");
const damaged = [11, 26];
let isSound = true;
try {
  const database = new DatabaseSync(workerData, { readOnly: true, timeout: 5000 });
  isSound = database.prepare("pragma quick_check(1)").get().quick_check === "ok";
  database.close();
} catch (error) {
  if (!damaged.includes(error.errcode & 0xff)) throw error;
  isSound = false;
}
parentPort.postMessage(isSound);
`;
