/**
 * The sandbox of this machine: bubblewrap around pre-started interpreters, or, where the operator asked for it in so many
 * words, interpreters without walls. What the machine can do is found out at the first call, by doing it.
 */
import { rmSync } from "node:fs";
import { MemoirError } from "../shared/errors.ts";
import { FairQueue, type FairQueueOptions } from "../shared/fair-queue.ts";
import type { OneShot } from "./interpreter-process.ts";
import type { Walls } from "./isolation/bubblewrap.ts";
import { createWalledLauncher } from "./isolation/bubblewrap-launcher.ts";
import { type ControlGroups, openControlGroups } from "./isolation/control-groups.ts";
import { type Outlet, openEgressProxy } from "./isolation/egress-proxy.ts";
import { listHiddenFolders } from "./isolation/hidden-folders.ts";
import { composeRules } from "./isolation/seccomp-filter.ts";
import type { Launcher } from "./launch.ts";
import { defaultLimits, type SandboxLimits } from "./limits.ts";
import { chooseWalls, findInterpreters, findPrograms, findSystemProgram, type Interpreters } from "./machine.ts";
import type { Installer } from "./packages/installer.ts";
import { createLocalInstaller, type InstallSettings } from "./packages/local-installer.ts";
import { createPlainLauncher } from "./plain-processes.ts";
import { Pool } from "./pool.ts";
import { failToRead, readRequest, toResult } from "./request.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "./sandbox.ts";

export interface LocalSandboxOptions {
  /** Run without walls where the machine has none. */
  readonly isUnsafeAllowed?: boolean;
  /** Off: the walls are left out even where they could be built. */
  readonly hasWalls?: boolean;
  /** A Python of one's own choice. */
  readonly python?: string;
  readonly limits?: Partial<SandboxLimits>;
  /** How many interpreters of a language wait for a call. */
  readonly poolSize?: number;
  readonly places?: Partial<FairQueueOptions>;
  /** For the pip and npm that install what tools require. */
  readonly installs?: InstallSettings;
  /** Hosts inside the own network that tools may reach where they are allowed to. */
  readonly privateHosts?: readonly string[];
  /** Folders of the server, which tools are not shown wherever they are. */
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

  /** Whether what runs is kept from the rest of the machine. */
  async isWalled(): Promise<boolean> {
    const opened = await this.#open();
    return "pool" in opened && opened.isWalled;
  }

  async run(job: SandboxJob): Promise<SandboxResult> {
    const opened = await this.#open();
    if ("fault" in opened) throw refuse(opened.fault);
    if (job.language === "python" && !opened.interpreters.python) {
      throw refuse("there is no Python 3 on this machine: install it as /usr/bin/python3");
    }
    const signal = AbortSignal.any([this.#ending.signal, ...(job.signal ? [job.signal] : [])]);
    // Without walls there is no proxy for it to stand behind.
    const request = await readRequest(opened.isWalled ? job : { ...job, door: undefined });
    if (typeof request === "string") return failToRead(request);
    const leave = await this.#queue.enter(job.orgId, signal);
    const shot = await this.#take(job, opened, leave);
    return toResult(job, await shot.run(request, { timeoutMs: job.timeoutMs, signal }));
  }

  /** Calls `leave` when nothing is left of the call, which is later than its answer. */
  async #take(job: SandboxJob, opened: Ready, leave: () => void): Promise<OneShot> {
    let outlet: Outlet | undefined;
    const clear = () => {
      outlet?.close();
      leave();
    };
    try {
      outlet = await this.#openEgressProxy(job, opened);
      const shot = opened.pool.take(job.language, {
        ...(outlet ? { socket: outlet.path } : {}),
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

  async #openEgressProxy({ hosts = [], door }: SandboxJob, { isWalled }: Ready): Promise<Outlet | undefined> {
    if (!isWalled || (hosts.length === 0 && !door)) return undefined;
    return await openEgressProxy({ hosts, privateHosts: this.#options.privateHosts ?? [], ...(door ? { door } : {}) });
  }

  /** What stood in the way once is looked for again by the next call: it may have been a machine short of files. */
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
    const { hasWalls = true } = this.#options;
    const built = hasWalls ? await this.#buildWalls(interpreters) : "walls are switched off";
    if (typeof built !== "string") return this.#start(interpreters, built, true);
    if (this.#options.isUnsafeAllowed) return this.#start(interpreters, createPlainLauncher(interpreters), false);
    return {
      fault: `custom tools do not run on this machine, because ${built}; put that right, or start with --unsafe-tools to run them without a sandbox`,
    };
  }

  #start(interpreters: Interpreters, launcher: Launcher, isWalled: boolean): Opened {
    const pool = new Pool(launcher, { limits: this.#limits, size: this.#options.poolSize ?? 2, idleMs });
    return { interpreters, pool, isWalled };
  }

  async #buildWalls(interpreters: Interpreters): Promise<Launcher | string> {
    const programs = await findPrograms();
    if (typeof programs === "string") return programs;
    const hasRules = composeRules(process.arch) !== undefined;
    const hidden = listHiddenFolders([process.cwd(), ...(this.#options.ownFolders ?? [])]);
    const candidates = [true, false].map(
      (hasProc): Walls => ({ ...programs, limits: this.#limits, hasProc, hasRules, hidden }),
    );
    const setpriv = findSystemProgram("setpriv");
    this.#groups ??= openControlGroups(this.#limits);
    const groups = this.#groups;
    const surroundings = { interpreters, ...(groups ? { groups } : {}), ...(setpriv === undefined ? {} : { setpriv }) };
    const toLauncher = (walls: Walls) => createWalledLauncher(walls, surroundings);
    const walls = await chooseWalls(candidates, toLauncher, interpreters.python ? "python" : "typescript");
    return typeof walls === "string" ? `bubblewrap could not build a sandbox (${walls})` : toLauncher(walls);
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
  readonly isWalled: boolean;
}

type Opened = Ready | { readonly fault: string };

function refuse(message: string): MemoirError {
  return new MemoirError("forbidden", message);
}
