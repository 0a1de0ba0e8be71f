/**
 * Builds environments in the background, each set of packages once, so that a tool call does not wait for a package
 * index. Sets are shared between organizations, because they only hold public packages.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoirError } from "../../shared/errors.ts";
import { FairQueue } from "../../shared/fair-queue.ts";
import { type Log, silentLog } from "../../shared/log.ts";
import {
  dropStage,
  findSet,
  finishStage,
  measure,
  noteUse,
  openEnvironmentFolder,
  openStage,
  removeUnused,
  type Stage,
  sweepStages,
} from "./environment-folders.ts";
import { InstallFault, introduce } from "./install-fault.ts";
import type { Installer } from "./installer.ts";
import { nameSet, type Requirements } from "./requirements.ts";

export interface EnvironmentOptions {
  /** Where sets are stored; defaults to a temporary folder, removed at close. */
  readonly folder?: string;
  /** Maximum build time (ten minutes) and size (1 GiB). */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** How long a call waits for a set that is being built (ten seconds), enough for small sets. */
  readonly waitTimeoutMs?: number;
  /** Sets that were not used for this many days (30) are removed at start and daily. */
  readonly unusedDays?: number;
  readonly log?: Log;
}

export type EnvironmentStatus = "absent" | "waiting" | "building" | "ready" | "failed";

/** State of a set. */
export interface EnvironmentView {
  readonly status: EnvironmentStatus;
  readonly packages: readonly string[];
  /** Last output line of the installer during a build. */
  readonly progress: string | null;
  /** Of a failed build: the reason, and the last lines of the installer. */
  readonly error: string | null;
  readonly lines: readonly string[];
  readonly bytes: number | null;
  /** In microseconds. */
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** The folder of a ready set. */
  readonly folder: string | null;
}

interface Build {
  view: EnvironmentView;
  readonly done: Promise<void>;
}

/** Which packages are needed, by which organization, for which sandbox. */
export interface EnvironmentRequest {
  readonly orgId: string;
  readonly installer: Installer;
  readonly requirements: Requirements;
}

const defaultWaitTimeoutMs = 10_000;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const measureMs = 500;
const maxRemembered = 500;
const gibibyte = 2 ** 30;

export class Environments {
  readonly #options: EnvironmentOptions;
  readonly #builds = new Map<string, Build>();
  readonly #queue = new FairQueue({ places: 2, maxPlacesPerOwner: 1 });
  readonly #ending = new AbortController();
  #root: Promise<string> | undefined;
  #ownFolder: string | undefined;
  #daily: NodeJS.Timeout | undefined;

  constructor(options: EnvironmentOptions = {}) {
    this.#options = options;
  }

  /** Returns the state without starting a build. */
  async view(request: EnvironmentRequest): Promise<EnvironmentView> {
    const { name, root } = await this.#locate(request);
    return this.#look(root, name, request.requirements);
  }

  /**
   * Starts a build unless the set exists or is being built; a failure of the last minute is not retried unless
   * `isAgain`.
   */
  async begin(request: EnvironmentRequest, isAgain = false): Promise<EnvironmentView> {
    const { name, root } = await this.#locate(request);
    const view = this.#look(root, name, request.requirements);
    const isFresh = (view.finishedAt ?? 0) / 1000 > Date.now() - minuteMs;
    if (view.status === "absent" || (view.status === "failed" && (isAgain || !isFresh)))
      this.#start(root, name, request);
    return this.#look(root, name, request.requirements);
  }

  /** Starts a build if necessary and waits up to `waitTimeoutMs`; the returned state says whether the set is ready. */
  async obtain(
    request: EnvironmentRequest,
    waitTimeoutMs = this.#options.waitTimeoutMs ?? defaultWaitTimeoutMs,
  ): Promise<EnvironmentView> {
    const { name, root } = await this.#locate(request);
    const { status } = await this.begin(request);
    const build = this.#builds.get(name);
    if (build && (status === "waiting" || status === "building")) await waitFor(build.done, waitTimeoutMs);
    const view = this.#look(root, name, request.requirements);
    if (view.folder !== null) noteUse(root, name);
    return view;
  }

  /** Removes sets that were not used for `days`. */
  async removeUnused(days: number): Promise<number> {
    return (await removeUnused(await this.#open(), new Date(Date.now() - days * dayMs))).length;
  }

  async close(): Promise<void> {
    this.#ending.abort(new MemoirError("unavailable", "the server is stopping"));
    clearInterval(this.#daily);
    await Promise.all([...this.#builds.values()].map(({ done }) => done));
    if (this.#ownFolder !== undefined) rmSync(this.#ownFolder, { recursive: true, force: true });
  }

  async #locate({ installer, requirements }: EnvironmentRequest): Promise<{ name: string; root: string }> {
    return { name: nameSet(requirements, await installer.describe(requirements.language)), root: await this.#open() };
  }

  #open(): Promise<string> {
    this.#root ??= this.#openFolder();
    return this.#root;
  }

  async #openFolder(): Promise<string> {
    const { folder, unusedDays = 30 } = this.#options;
    if (folder === undefined) this.#ownFolder = mkdtempSync(join(tmpdir(), "memoir-packages-"));
    const root = folder ?? this.#ownFolder ?? "";
    openEnvironmentFolder(root);
    await sweepStages(root);
    await removeUnused(root, new Date(Date.now() - unusedDays * dayMs));
    this.#daily = setInterval(() => void this.removeUnused(unusedDays), dayMs).unref();
    return root;
  }

  #look(root: string, name: string, { packages }: Requirements): EnvironmentView {
    const build = this.#builds.get(name);
    const manifest = findSet(root, name);
    if (!manifest) return build?.view ?? { ...absent, packages };
    const times = { startedAt: build?.view.startedAt ?? null, finishedAt: manifest.builtAt };
    return { ...absent, ...times, packages, status: "ready", bytes: manifest.bytes, folder: join(root, name) };
  }

  #start(root: string, name: string, request: EnvironmentRequest): void {
    const { packages } = request.requirements;
    const build: { view: EnvironmentView; done?: Promise<void> } = {
      view: { ...absent, packages, status: "waiting", startedAt: Date.now() * 1000 },
    };
    const change = (part: Partial<EnvironmentView>) => {
      build.view = { ...build.view, ...part };
    };
    const log = this.#options.log ?? silentLog;
    const done = this.#build(root, name, request, change).then(
      () => this.#builds.delete(name),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        const lines = error instanceof InstallFault ? error.lines : [];
        change({ status: "failed", progress: null, error: message, lines, finishedAt: Date.now() * 1000 });
        log.warn({ packages, error: message }, "packages of a tool could not be installed");
      },
    );
    this.#forgetOldest();
    this.#builds.set(name, Object.assign(build, { done: done.then(() => {}) }));
  }

  /** Drops the oldest entries; only failures stay in the map for long. */
  #forgetOldest(): void {
    if (this.#builds.size < maxRemembered) return;
    const oldest = [...this.#builds].find(([, { view }]) => view.status === "failed");
    if (oldest) this.#builds.delete(oldest[0]);
  }

  async #build(
    root: string,
    name: string,
    { orgId, installer, requirements }: EnvironmentRequest,
    change: (part: Partial<EnvironmentView>) => void,
  ): Promise<void> {
    const leave = await this.#queue.enter(orgId, this.#ending.signal);
    const stage = openStage(root);
    try {
      change({ status: "building" });
      const onLine = (line: string) => change({ progress: line.trim().slice(0, 200) });
      await this.#guard(stage, requirements, (signal) =>
        installer.install({ name, requirements, folder: stage.folder, scratch: stage.scratch, signal, onLine }),
      );
      await finishStage(root, name, stage, requirements);
    } finally {
      dropStage(stage);
      leave();
    }
  }

  /** Aborts a build that exceeds its time or size limit. */
  async #guard(stage: Stage, { packages }: Requirements, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { timeoutMs = 10 * minuteMs, maxBytes = gibibyte } = this.#options;
    const limit = new AbortController();
    const end = (reason: string) => limit.abort(new InstallFault(`${introduce(packages)}, because ${reason}.`));
    const tooLarge = `they take more than ${Math.round(maxBytes / 2 ** 20)} MiB`;
    const check = async () => {
      if ((await measure(stage.root)) > maxBytes) end(tooLarge);
    };
    const timer = setTimeout(() => end(`it took longer than ${Math.round(timeoutMs / 1000)} seconds`), timeoutMs);
    const scale = setInterval(() => void check(), measureMs);
    try {
      await work(AbortSignal.any([limit.signal, this.#ending.signal]));
      await check();
      limit.signal.throwIfAborted();
    } finally {
      clearTimeout(timer);
      clearInterval(scale);
    }
  }
}

/** State of a set that does not exist. */
export const absent: EnvironmentView = {
  status: "absent",
  packages: [],
  progress: null,
  error: null,
  lines: [],
  bytes: null,
  startedAt: null,
  finishedAt: null,
  folder: null,
};

async function waitFor(done: Promise<void>, waitTimeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitTimeoutMs);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
