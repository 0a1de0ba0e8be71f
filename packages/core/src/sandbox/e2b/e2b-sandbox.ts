/**
 * Runs each job in a new E2B machine, which is removed afterwards. E2B only offers commands and files, so the private
 * channel and the output are files, of which a bounded part is fetched.
 */
import { randomBytes } from "node:crypto";
import { MemoirError } from "../../shared/errors.ts";
import { BoundedText } from "../bounded-text.ts";
import { composeChannel, readChannel } from "../channel-file.ts";
import type { Ending } from "../interpreter-process.ts";
import { scratch } from "../isolation/bubblewrap.ts";
import { defaultLimits, type SandboxLimits } from "../limits.ts";
import type { Installer } from "../packages/installer.ts";
import type { InstallSettings } from "../packages/local-installer.ts";
import { nodeRunner } from "../programs/node-runner.ts";
import { pythonRunner } from "../programs/python-runner.ts";
import { failToRead, readRequest, toResult } from "../request.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "../sandbox.ts";
import { connect, defaultTemplate, describeE2bError, type E2bAccess, openE2b } from "./e2b-access.ts";
import { createE2bInstaller, quote, readTemplate, remotePackages } from "./e2b-installer.ts";
import type { E2bMachine } from "./e2b-package.ts";

export interface E2bSandboxOptions extends E2bAccess {
  /** Template of the machines; E2B's default if absent. */
  readonly template?: string;
  /** Upper limit for the timeout of a job. */
  readonly maxMs?: number;
  readonly limits?: Partial<SandboxLimits>;
  readonly installs?: InstallSettings;
}

const folder = `${scratch}/.memoir`;
const paths = { channel: `${folder}/channel`, runner: `${folder}/runner`, out: `${folder}/out`, err: `${folder}/err` };
/** Extra time for creating the machine and fetching results. */
const marginMs = 60_000;
const killed = 137;

export class E2bSandbox implements Sandbox {
  readonly kind = "e2b";
  readonly installer: Installer;
  readonly #options: E2bSandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #ending = new AbortController();

  constructor(options: E2bSandboxOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.installer = createE2bInstaller(options, options.template, options.installs);
  }

  async findFault(): Promise<string | undefined> {
    try {
      await openE2b(this.#options);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async run(input: SandboxJob): Promise<SandboxResult> {
    const job = { ...input, timeoutMs: Math.min(input.timeoutMs, this.#options.maxMs ?? input.timeoutMs) };
    // The session is not reachable from E2B.
    const request = await readRequest({ ...job, session: undefined });
    if (typeof request === "string") return failToRead(request);
    const signal = AbortSignal.any([this.#ending.signal, ...(job.signal ? [job.signal] : [])]);
    try {
      return toResult(job, await this.#runAway(job, request, signal));
    } catch (error) {
      signal.throwIfAborted();
      throw describeE2bError(error, this.#options);
    }
  }

  async close(): Promise<void> {
    this.#ending.abort(new MemoirError("unavailable", "the server is stopping"));
  }

  async #runAway(job: SandboxJob, request: object, signal: AbortSignal): Promise<Ending> {
    const { Sandbox: Machines } = await openE2b(this.#options);
    const template =
      job.packages === undefined ? (this.#options.template ?? defaultTemplate) : readTemplate(job.packages);
    const machine = await Machines.create(template, {
      ...connect(this.#options, signal),
      timeoutMs: job.timeoutMs + marginMs,
      metadata: { memoir: "tool" },
      ...composeNetwork(job.hosts ?? []),
    });
    try {
      return await this.#converse(machine, job, request, signal);
    } finally {
      // The machine also expires by itself.
      await machine.kill().catch(() => {});
    }
  }

  async #converse(machine: E2bMachine, job: SandboxJob, request: object, signal: AbortSignal): Promise<Ending> {
    const token = randomBytes(16).toString("hex");
    const channel = composeChannel(token, request);
    const runner = job.language === "python" ? pythonRunner : nodeRunner;
    const files = [
      { path: paths.channel, data: channel },
      { path: paths.runner, data: runner },
    ];
    await machine.files.write(files, { signal });
    const ask = async (command: string, timeoutMs = marginMs) =>
      (await machine.commands.run(command, { cwd: scratch, timeoutMs, signal })).stdout;
    const begun = performance.now();
    const code = Number(await ask(composeCommand(job), job.timeoutMs + marginMs));
    const isLate = code === killed && performance.now() - begun >= job.timeoutMs;
    const { printedBytes, resultBytes } = this.#limits;
    const [out, err, rest] = await Promise.all([
      ask(`head -c ${printedBytes + 1} ${paths.out}`),
      ask(`head -c ${printedBytes + 1} ${paths.err}`),
      ask(`tail -c +${Buffer.byteLength(channel) + 1} ${paths.channel} | head -c ${resultBytes + 1}`),
    ]);
    const printed = { stdout: keep(out, printedBytes), stderr: keep(err, printedBytes) };
    if (isLate) return { kind: "late", ...printed };
    if (Buffer.byteLength(rest) > resultBytes) return { kind: "flood", ...printed };
    const text = readChannel(token, rest);
    return text === undefined
      ? { kind: "silence", exit: `exit code ${code}`, ...printed }
      : { kind: "answer", text, ...printed };
  }
}

/** Prints the exit status of the function's process; all other output goes to files. */
function composeCommand({ language, packages, timeoutMs }: SandboxJob): string {
  const isPython = language === "python";
  const args = isPython
    ? ["python3", "-I", "-u", paths.runner, ...(packages === undefined ? [] : [remotePackages.python])].map(quote)
    : ["node", "--no-warnings", "--disable-proto=delete", "-e", `"$(cat ${paths.runner})"`, scratch];
  const link =
    isPython || packages === undefined ? "" : `ln -sfn ${remotePackages.typescript} ${scratch}/node_modules; `;
  const run = ["timeout", "-s", "KILL", `${timeoutMs / 1000}`, ...args].join(" ");
  return `${link}${run} 3<>${paths.channel} </dev/null >${paths.out} 2>${paths.err}; echo $?`;
}

/** No network, or the listed hosts only; E2B cannot filter by port. */
function composeNetwork(hosts: readonly string[]) {
  if (hosts.length === 0) return { allowInternetAccess: false };
  if (hosts.includes("*")) return { allowInternetAccess: true };
  return { network: { allowOut: hosts.map((host) => host.replace(/:\d+$/, "")), denyOut: ["0.0.0.0/0"] } };
}

function keep(text: string, most: number): string[] {
  const bounded = new BoundedText(most);
  if (text !== "") bounded.add(Buffer.from(text));
  return bounded.lines;
}
