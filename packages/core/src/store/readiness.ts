/**
 * Checks that the database responds, is writable, and that its file is intact. Load balancers poll readiness every few
 * seconds, so a write is tried rarely and a SQLite file is checked on a worker thread.
 */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { MemoirError } from "../shared/errors.ts";
import { describeFault, findDatabaseFault } from "./engine/database-faults.ts";
import type { Store } from "./engine/store.ts";
import { ping, touchDefaults } from "./system.ts";

export interface ReadinessOptions {
  /** Minimum interval between test writes. */
  readonly writeEveryMs?: number;
  /** Minimum interval between integrity checks of a SQLite file; the first runs at the first readiness request. */
  readonly checkEveryMs?: number;
}

const defaults: Required<ReadinessOptions> = { writeEveryMs: 5_000, checkEveryMs: 3_600_000 };

/** Less free space does not suffice for the commits of one turn. */
const minFreeBytes = 2 ** 20;

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

  /** Throws with a sentence about the failure. */
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

  /** A small write may still fit into the WAL when a message does not. */
  async #isDiskFull(): Promise<boolean> {
    if (!this.#isFile) return false;
    const { bavail, bsize } = await statfs(dirname(this.#store.location));
    return bavail * bsize < minFreeBytes;
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
    // Without a result the previous one stays valid.
    worker.once("error", () => {});
    worker.once("exit", () => {
      this.#worker = undefined;
    });
  }
}

/** A string and not a file, so that it works from source and from a bundle. */
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
