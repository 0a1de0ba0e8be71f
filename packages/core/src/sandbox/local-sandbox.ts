/**
 * The sandbox on this machine: pooled interpreters in bubblewrap or, only if the operator allows it, without isolation.
 * What the machine supports is probed at the first call.
 */
import { rmSync } from "node:fs";
import { MemoirError } from "../shared/errors.ts";
import { FairQueue, type FairQueueOptions } from "../shared/fair-queue.ts";
import type { InterpreterProcess } from "./interpreter-process.ts";
import type { BubblewrapSettings } from "./isolation/bubblewrap.ts";
import { createBubblewrapLauncher } from "./isolation/bubblewrap-launcher.ts";
import { type ControlGroups, openControlGroups } from "./isolation/control-groups.ts";
import { type EgressProxy, openEgressProxy } from "./isolation/egress-proxy.ts";
import { listHiddenFolders } from "./isolation/hidden-folders.ts";
import { composeSeccompFilter } from "./isolation/seccomp-filter.ts";
import type { Launcher } from "./launch.ts";
import { defaultLimits, type SandboxLimits } from "./limits.ts";
import { chooseIsolation, findInterpreters, findPrograms, findSystemProgram, type Interpreters } from "./machine.ts";
import type { Installer } from "./packages/installer.ts";
import { createLocalInstaller, type InstallSettings } from "./packages/local-installer.ts";
import { createPlainLauncher } from "./plain-processes.ts";
import { Pool } from "./pool.ts";
import { failToRead, readRequest, toResult } from "./request.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "./sandbox.ts";

export interface LocalSandboxOptions {
  /** Run without isolation if the machine has none. */
  readonly isUnsafeAllowed?: boolean;
  /** False: no isolation even if the machine supports it. */
  readonly hasIsolation?: boolean;
  /** Path of the Python to use. */
  readonly python?: string;
  readonly limits?: Partial<SandboxLimits>;
  /** Number of idle interpreters per language. */
  readonly poolSize?: number;
  readonly places?: Partial<FairQueueOptions>;
  /** Settings of pip and npm for requirements. */
  readonly installs?: InstallSettings;
  /** Private hosts that tools may reach if their job allows the host. */
  readonly privateHosts?: readonly string[];
  /** Folders of the server, which are hidden from tools. */
  readonly ownFolders?: readonly string[];
}

const defaultPlaces: FairQueueOptions = { places: 16, maxPlacesPerOwner: 12 };
const idleMs = 10 * 60_000;

export class LocalSandbox implements Sandbox {
  readonly kind = "local";
  readonly installer: Installer;
  readonly #options: LocalSandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #queue: FairQueue;
  readonly #folders: string[] = [];
  readonly #ending = new AbortController();
  #opened: Promise<Opened> | undefined;
  #interpreters: Interpreters | undefined;
  #groups: ControlGroups | undefined;

  constructor(options: LocalSandboxOptions = {}) {
    this.#options = options;
    this.installer = createLocalInstaller({
      ...options.installs,
      ...(options.python ? { python: options.python } : {}),
    });
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#queue = new FairQueue({ ...defaultPlaces, ...options.places });
  }

  async findFault(): Promise<string | undefined> {
    const opened = await this.#open();
    return "fault" in opened ? opened.fault : undefined;
  }

  /** Whether jobs are isolated from the rest of the machine. */
  async isIsolated(): Promise<boolean> {
    const opened = await this.#open();
    return "pool" in opened && opened.isIsolated;
  }

  async run(job: SandboxJob): Promise<SandboxResult> {
    const opened = await this.#open();
    if ("fault" in opened) throw refuse(opened.fault);
    if (job.language === "python" && !opened.interpreters.python) {
      throw refuse("there is no Python 3 on this machine: install it as /usr/bin/python3");
    }
    const signal = AbortSignal.any([this.#ending.signal, ...(job.signal ? [job.signal] : [])]);
    // The session is served by the egress proxy, which needs isolation.
    const request = await readRequest(opened.isIsolated ? job : { ...job, session: undefined });
    if (typeof request === "string") return failToRead(request);
    const leave = await this.#queue.enter(job.orgId, signal);
    const shot = await this.#take(job, opened, leave);
    return toResult(job, await shot.run(request, { timeoutMs: job.timeoutMs, signal }));
  }

  /** Calls `leave` when all processes of the call have ended, which is later than its answer. */
  async #take(job: SandboxJob, opened: Ready, leave: () => void): Promise<InterpreterProcess> {
    let proxy: EgressProxy | undefined;
    const clear = () => {
      proxy?.close();
      leave();
    };
    try {
      proxy = await this.#openEgressProxy(job, opened);
      const shot = opened.pool.take(job.language, {
        ...(proxy ? { socket: proxy.path } : {}),
        ...(job.packages === undefined ? {} : { packages: job.packages }),
      });
      shot.gone.then(() => {
        clear();
        opened.pool.fill(job.language);
      });
      return shot;
    } catch (error) {
      clear();
      throw error;
    }
  }

  async #openEgressProxy({ hosts = [], session }: SandboxJob, { isIsolated }: Ready): Promise<EgressProxy | undefined> {
    if (!isIsolated || (hosts.length === 0 && !session)) return undefined;
    return await openEgressProxy({
      hosts,
      privateHosts: this.#options.privateHosts ?? [],
      ...(session ? { session } : {}),
    });
  }

  /** A failed probe is repeated at the next call, because the cause may be temporary, such as a lack of descriptors. */
  async #open(): Promise<Opened> {
    this.#opened ??= this.#lookAround();
    const opening = this.#opened;
    const forget = () => {
      if (this.#opened === opening) this.#opened = undefined;
    };
    const opened = await opening.catch((error: unknown) => {
      forget();
      throw error;
    });
    if ("fault" in opened) forget();
    return opened;
  }

  async #lookAround(): Promise<Opened> {
    this.#interpreters ??= findInterpreters(this.#options.python, (folder) => this.#folders.push(folder));
    const interpreters = this.#interpreters;
    const { hasIsolation = true } = this.#options;
    const built = hasIsolation ? await this.#createIsolatedLauncher(interpreters) : "isolation is switched off";
    if (typeof built !== "string") return this.#start(interpreters, built, true);
    if (this.#options.isUnsafeAllowed) return this.#start(interpreters, createPlainLauncher(interpreters), false);
    return {
      fault: `custom tools do not run on this machine, because ${built}; put that right, or start with --unsafe-tools to run them without a sandbox`,
    };
  }

  #start(interpreters: Interpreters, launcher: Launcher, isIsolated: boolean): Opened {
    const pool = new Pool(launcher, { limits: this.#limits, size: this.#options.poolSize ?? 2, idleMs });
    return { interpreters, pool, isIsolated };
  }

  async #createIsolatedLauncher(interpreters: Interpreters): Promise<Launcher | string> {
    const programs = await findPrograms();
    if (typeof programs === "string") return programs;
    const hasSeccomp = composeSeccompFilter(process.arch) !== undefined;
    const hidden = listHiddenFolders([process.cwd(), ...(this.#options.ownFolders ?? [])]);
    const candidates = [true, false].map(
      (hasProc): BubblewrapSettings => ({ ...programs, limits: this.#limits, hasProc, hasSeccomp, hidden }),
    );
    const setpriv = findSystemProgram("setpriv");
    this.#groups ??= openControlGroups(this.#limits);
    const groups = this.#groups;
    const surroundings = { interpreters, ...(groups ? { groups } : {}), ...(setpriv === undefined ? {} : { setpriv }) };
    const toLauncher = (settings: BubblewrapSettings) => createBubblewrapLauncher(settings, surroundings);
    const settings = await chooseIsolation(candidates, toLauncher, interpreters.python ? "python" : "typescript");
    return typeof settings === "string" ? `bubblewrap could not build a sandbox (${settings})` : toLauncher(settings);
  }

  async close(): Promise<void> {
    this.#ending.abort(new MemoirError("unavailable", "the server is stopping"));
    const opened = await this.#opened?.catch(() => undefined);
    if (opened && "pool" in opened) await opened.pool.close();
    await this.#groups?.close();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}

interface Ready {
  readonly interpreters: Interpreters;
  readonly pool: Pool;
  readonly isIsolated: boolean;
}

type Opened = Ready | { readonly fault: string };

function refuse(message: string): MemoirError {
  return new MemoirError("forbidden", message);
}
