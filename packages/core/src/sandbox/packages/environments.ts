/**
 * Builds environments, each set of packages once, in the background: what calls a tool never waits for an index. Sets are
 * shared between tools and organizations, because they hold nothing but public packages under exact names.
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
  /** Where sets are kept; a folder that is removed at the end unless given. */
  readonly folder?: string;
  /** How long one may take to build (ten minutes), and how large it may be (1 GiB). */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** How long a call waits for a set that is being built (ten seconds): small ones are there by then. */
  readonly waitTimeoutMs?: number;
  /** Sets that no call has used for so many days are removed, at the start and every day (30). */
  readonly unusedDays?: number;
  readonly log?: Log;
}

export type EnvironmentStatus = "absent" | "waiting" | "building" | "ready" | "failed";

/** How far a set is. */
export interface EnvironmentView {
  readonly status: EnvironmentStatus;
  readonly packages: readonly string[];
  /** While it is being built: what the installer said last. */
  readonly progress: string | null;
  /** Of a failed one: why, in one sentence, and the last lines of the installer. */
  readonly error: string | null;
  readonly lines: readonly string[];
  readonly bytes: number | null;
  /** In microseconds. */
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Where it is, once it is ready. */
  readonly folder: string | null;
}

interface Build {
  view: EnvironmentView;
  readonly done: Promise<void>;
}

/** What is wanted: by whom, for which sandbox, and which packages. */
export interface Wanted {
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

  /** How far it is. Starts nothing. */
  async view(wanted: Wanted): Promise<EnvironmentView> {
    const { name, root } = await this.#locate(wanted);
    return this.#look(root, name, wanted.requirements);
  }

  /** Begins to build what is neither there nor under way. What failed within a minute is left alone, unless `isAgain`. */
  async begin(wanted: Wanted, isAgain = false): Promise<EnvironmentView> {
    const { name, root } = await this.#locate(wanted);
    const view = this.#look(root, name, wanted.requirements);
    const isFresh = (view.finishedAt ?? 0) / 1000 > Date.now() - minuteMs;
    if (view.status === "absent" || (view.status === "failed" && (isAgain || !isFresh)))
      this.#start(root, name, wanted);
    return this.#look(root, name, wanted.requirements);
  }

  /** Builds it if need be, and waits a moment. Whether it is ready then, the view says. */
  async obtain(
    wanted: Wanted,
    waitTimeoutMs = this.#options.waitTimeoutMs ?? defaultWaitTimeoutMs,
  ): Promise<EnvironmentView> {
    const { name, root } = await this.#locate(wanted);
    const { status } = await this.begin(wanted);
    const build = this.#builds.get(name);
    if (build && (status === "waiting" || status === "building")) await waitFor(build.done, waitTimeoutMs);
    const view = this.#look(root, name, wanted.requirements);
    if (view.folder !== null) noteUse(root, name);
    return view;
  }

  /** Removes sets that no call has used for so many days. */
  async removeUnused(days: number): Promise<number> {
    return (await removeUnused(await this.#open(), new Date(Date.now() - days * dayMs))).length;
  }

  async close(): Promise<void> {
    this.#ending.abort(new MemoirError("unavailable", "the server is stopping"));
    clearInterval(this.#daily);
    await Promise.all([...this.#builds.values()].map(({ done }) => done));
    if (this.#ownFolder !== undefined) rmSync(this.#ownFolder, { recursive: true, force: true });
  }

  async #locate({ installer, requirements }: Wanted): Promise<{ name: string; root: string }> {
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

  #start(root: string, name: string, wanted: Wanted): void {
    const { packages } = wanted.requirements;
    const build: { view: EnvironmentView; done?: Promise<void> } = {
      view: { ...absent, packages, status: "waiting", startedAt: Date.now() * 1000 },
    };
    const change = (part: Partial<EnvironmentView>) => {
      build.view = { ...build.view, ...part };
    };
    const log = this.#options.log ?? silentLog;
    const done = this.#build(root, name, wanted, change).then(
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

  /** Only failures stay here for long. */
  #forgetOldest(): void {
    if (this.#builds.size < maxRemembered) return;
    const oldest = [...this.#builds].find(([, { view }]) => view.status === "failed");
    if (oldest) this.#builds.delete(oldest[0]);
  }

  async #build(
    root: string,
    name: string,
    { orgId, installer, requirements }: Wanted,
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

  /** Ends what takes too long or too much. */
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

/** A set of which nothing is there. */
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
