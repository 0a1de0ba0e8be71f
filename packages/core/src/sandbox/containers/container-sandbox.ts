/**
 * Runs each job in its own container with Docker or Podman. Slower than bubblewrap because no container is started in
 * advance, but it only needs an engine and brings its own interpreters.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { MemoirError } from "../../shared/errors.ts";
import { FairQueue, type FairQueueOptions } from "../../shared/fair-queue.ts";
import { BoundedText } from "../bounded-text.ts";
import { composeChannel, readChannel } from "../channel-file.ts";
import { coverInherited } from "../inherited-descriptors.ts";
import type { Ending } from "../interpreter-process.ts";
import { type EgressProxy, openEgressProxy } from "../isolation/egress-proxy.ts";
import { defaultLimits, type SandboxLimits } from "../limits.ts";
import { MarkedOutput } from "../marked-output.ts";
import type { Installer } from "../packages/installer.ts";
import type { InstallSettings } from "../packages/local-installer.ts";
import { failToRead, readRequest, toResult } from "../request.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "../sandbox.ts";
import { composeContainerArguments } from "./container-arguments.ts";
import { ContainerEngine, type EngineOptions, unavailable } from "./container-engine.ts";
import { createContainerInstaller } from "./container-installer.ts";

export interface ContainerSandboxOptions extends EngineOptions {
  readonly limits?: Partial<SandboxLimits>;
  readonly places?: Partial<FairQueueOptions>;
  readonly installs?: InstallSettings;
  /** Private hosts that tools may reach if their job allows the host. */
  readonly privateHosts?: readonly string[];
}

/** Added to the container's lifetime, after which it ends even if this process is gone. */
const graceSeconds = 10;

export class ContainerSandbox implements Sandbox {
  readonly kind: string;
  readonly installer: Installer;
  readonly #engine: ContainerEngine;
  readonly #options: ContainerSandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #queue: FairQueue;
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: ContainerSandboxOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#engine = new ContainerEngine(options);
    this.installer = createContainerInstaller(this.#engine, options.installs ?? {});
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#queue = new FairQueue({ places: 8, maxPlacesPerOwner: 6, ...options.places });
  }

  findFault(): Promise<string | undefined> {
    return this.#engine.findFault();
  }

  async run(job: SandboxJob): Promise<SandboxResult> {
    const request = await readRequest(job);
    if (typeof request === "string") return failToRead(request);
    await this.#engine.getImageId(job.language);
    const signal = AbortSignal.any([this.#ending.signal, ...(job.signal ? [job.signal] : [])]);
    const leave = await this.#queue.enter(job.orgId, signal);
    const running = this.#runContainer(job, request, signal).finally(leave);
    this.#running.add(running);
    const forget = () => this.#running.delete(running);
    running.then(forget, forget);
    return toResult(job, await running);
  }

  async close(): Promise<void> {
    this.#ending.abort(new MemoirError("unavailable", "the server is stopping"));
    await Promise.allSettled(this.#running);
  }

  async #runContainer(job: SandboxJob, request: object, signal: AbortSignal): Promise<Ending> {
    const proxy = await this.#openEgressProxy(job);
    const name = `memoir-tool-${randomBytes(8).toString("hex")}`;
    const args = composeContainerArguments({
      name,
      image: this.#engine.getImage(job.language),
      language: job.language,
      limits: this.#limits,
      seconds: Math.ceil(job.timeoutMs / 1000) + graceSeconds,
      ...(proxy ? { socket: proxy.path } : {}),
      ...(job.packages === undefined ? {} : { packages: job.packages }),
    });
    const child = spawn(this.#engine.program, args, {
      env: { ...this.#engine.environment },
      stdio: coverInherited(["pipe", "pipe", "pipe"]),
    }) as ChildProcessWithoutNullStreams;
    // A process that failed to spawn has no pipes, and an unhandled error event would end the server.
    child.on("error", () => {});
    try {
      return await this.#converse(child, request, job.timeoutMs, signal);
    } finally {
      if (child.exitCode === null) {
        child.kill("SIGKILL");
        await this.#engine.remove(name);
      }
      proxy?.close();
    }
  }

  async #openEgressProxy({ hosts = [], session }: SandboxJob): Promise<EgressProxy | undefined> {
    if (hosts.length === 0 && !session) return undefined;
    return await openEgressProxy({
      hosts,
      privateHosts: this.#options.privateHosts ?? [],
      ...(session ? { session } : {}),
    });
  }

  async #converse(
    child: ChildProcessWithoutNullStreams,
    request: object,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Ending> {
    const [token, mark] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
    const stdout = new MarkedOutput(mark, this.#limits);
    const stderr = new BoundedText(this.#limits.printedBytes);
    child.stdout.on("data", (part: Buffer) => stdout.add(part));
    child.stderr.on("data", (part: Buffer) => stderr.add(part));
    child.stdin.on("error", () => {});
    const channel = composeChannel(token, request);
    child.stdin.end(`${mark}\n${Buffer.byteLength(channel)}\n${channel}`);
    const outcome = await waitForEnd(child, timeoutMs, signal);
    stdout.end();
    const printed = { stdout: stdout.lines, stderr: stderr.lines };
    if (outcome === "late") return { kind: "late", ...printed };
    if (stdout.isFlooded) return { kind: "flood", ...printed };
    if (stdout.answer === undefined)
      throw unavailable(`${this.#engine.title} did not run it: ${stderr.text.trim().slice(0, 300)}`);
    const [code = "", ...lines] = stdout.answer.split("\n");
    const text = readChannel(token, lines.join("\n"));
    return text === undefined
      ? { kind: "silence", exit: `exit code ${code}`, ...printed }
      : { kind: "answer", text, ...printed };
  }
}

/** Rejects with the signal's reason on abort, and if the command cannot be started. */
function waitForEnd(
  child: ChildProcessWithoutNullStreams,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<"ended" | "late"> {
  return new Promise((resolve, reject) => {
    const abort = () => finish(() => reject(signal.reason));
    const timer = setTimeout(() => finish(() => resolve("late")), timeoutMs);
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      settle();
    };
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    child.on("error", (error) => finish(() => reject(unavailable(error.message))));
    child.on("close", () => finish(() => resolve("ended")));
  });
}
