/**
 * The walls: what bubblewrap is told. Inside there is a read-only system, scratch space in memory, a process table and a
 * loopback device of its own, and nothing else: no files of the host, no network, no capability, no way to gain one.
 */
import { lstatSync, readlinkSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import type { Interpreter } from "../interpreters.ts";
import type { Extras } from "../launch.ts";
import type { SandboxLimits } from "../limits.ts";
import { packageFolders } from "../packages/installer.ts";
import type { SandboxLanguage } from "../sandbox.ts";

export interface Walls {
  readonly bubblewrap: string;
  readonly prlimit: string;
  readonly limits: SandboxLimits;
  /** Some containers do not let a process table be mounted; programs then do without. */
  readonly hasProc: boolean;
  readonly hasRules: boolean;
  /** Folders below `/usr` that are empty inside. */
  readonly hidden: readonly string[];
}

/** Who tools are, inside and, when the server is root, outside. */
export const nobody = 65_534;
export const scratch = "/tmp";
/** Where the way out stands inside. */
export const wayOut = "/run/memoir/out.sock";
export const relayPort = 3128;
/** Where the packages of Python are inside; those of Node lie where it looks for them by itself. */
export const packagePlaces: Readonly<Record<SandboxLanguage, string>> = {
  python: "/run/memoir/python",
  typescript: "/node_modules",
};
const nodePlace = "/run/memoir/node";

export function composeWords(walls: Walls, interpreter: Interpreter, extras: Extras = {}): string[] {
  const { socket, packages } = extras;
  const { limits, hasProc, hasRules, hidden, prlimit } = walls;
  const isBelow = (folder: string) => `${interpreter.prefix}/`.startsWith(`${folder}/`);
  const isOutside = !isBelow("/usr") || hidden.some(isBelow);
  const isFile = interpreter.prefix === interpreter.program;
  const program = isOutside && isFile ? nodePlace : interpreter.program;
  return [
    ...["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--disable-userns", "--new-session", "--die-with-parent", "--cap-drop", "ALL", "--info-fd", "5"],
    ...["--uid", `${nobody}`, "--gid", `${nobody}`, "--hostname", "sandbox"],
    ...["--clearenv", ...listVariables(socket).flatMap(([name, value]) => ["--setenv", name, value])],
    ...["--ro-bind", "/usr", "/usr", ...bindSystem(), ...hidden.flatMap((folder) => ["--tmpfs", folder])],
    ...(isOutside ? ["--ro-bind", interpreter.prefix, isFile ? nodePlace : interpreter.prefix] : []),
    ...(socket === undefined ? [] : [...bindCertificates(), "--bind", socket, wayOut]),
    ...(packages === undefined ? [] : bindPackages(interpreter, packages)),
    ...(hasProc ? ["--proc", "/proc", "--remount-ro", "/proc"] : ["--dir", "/proc"]),
    ...["--dev", "/dev", "--size", `${limits.scratchBytes}`, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--size", `${limits.scratchBytes}`, "--tmpfs", scratch, "--chdir", scratch],
    ...["/", ...hidden].flatMap((folder) => ["--remount-ro", folder]),
    ...(hasRules ? ["--seccomp", "4"] : []),
    "--",
    prlimit,
    ...listLimits(limits, interpreter),
    "--",
    program,
    ...interpreter.words(scratch, true, packages && packagePlaces[interpreter.language]),
  ];
}

function listVariables(socket?: string): [string, string][] {
  const proxy = `http://127.0.0.1:${relayPort}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
  return [
    ["PATH", "/usr/local/bin:/usr/bin:/bin"],
    ["HOME", scratch],
    ["TMPDIR", scratch],
    ["USER", "tool"],
    ["LANG", "C.UTF-8"],
    ["NO_COLOR", "1"],
    ["TERM", "dumb"],
    ["PYTHONWARNINGS", "ignore"],
    // Else much memory is set apart for each thread, which counts without being used.
    ["MALLOC_ARENA_MAX", "1"],
    ...(socket === undefined ? [] : names.map((name): [string, string] => [name, proxy])),
  ];
}

/** `/lib` and its like are links into `/usr` on most systems and folders of their own on others. */
function bindSystem(): string[] {
  const words = ["/bin", "/sbin", "/lib", "/lib32", "/lib64"].flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return [];
    return found.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
  });
  return [...words, ...bindIfThere("/etc/ld.so.cache"), ...bindIfThere("/etc/alternatives")];
}

function bindCertificates(): string[] {
  return ["/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/ca-certificates"].flatMap(bindIfThere);
}

function bindPackages({ language }: Interpreter, packages: string): string[] {
  return ["--ro-bind", join(packages, packageFolders[language]), packagePlaces[language]];
}

const bindIfThere = (path: string) => ["--ro-bind-try", path, path];

/** What Node sets apart at its start and hardly uses. */
const reservedForCode = 640 * 2 ** 20;
const reservedAddresses = 8 * 2 ** 30;

/** Where all processes of a user count together, a sandbox would be refused its first one. */
const maxOfAll = 4_096;

/** Kernels count the processes of each namespace for itself from 5.14 on. */
export function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/**
 * Set inside, where the count of processes is this sandbox's own. Node reserves far more addresses than it uses, so its
 * memory is counted by what it may write to.
 */
function listLimits(limits: SandboxLimits, { language }: Interpreter): string[] {
  const memory =
    language === "python"
      ? [`--as=${limits.memoryBytes}`]
      : [`--data=${limits.memoryBytes + reservedForCode}`, `--as=${limits.memoryBytes + reservedAddresses}`];
  return [
    ...memory,
    `--nproc=${countsByNamespace(release()) ? limits.processes : maxOfAll}`,
    `--nofile=${limits.openFiles}`,
    `--fsize=${limits.scratchBytes}`,
    `--cpu=${limits.cpuSeconds}`,
    "--core=0",
    "--memlock=0",
    "--msgqueue=0",
  ];
}
