/**
 * The isolation: bubblewrap's arguments. A sandbox has a read-only system, scratch space in memory, its own process
 * table and loopback device; no files of the host, no network, and no capabilities.
 */
import { lstatSync, readlinkSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import type { Interpreter } from "../interpreters.ts";
import type { Extras } from "../launch.ts";
import type { SandboxLimits } from "../limits.ts";
import { packageFolders } from "../packages/installer.ts";
import type { SandboxLanguage } from "../sandbox.ts";

export interface BubblewrapSettings {
  readonly bubblewrap: string;
  readonly prlimit: string;
  readonly limits: SandboxLimits;
  /** Some containers forbid mounting `/proc`; programs then run without it. */
  readonly hasProc: boolean;
  readonly hasSeccomp: boolean;
  /** Folders below `/usr` that are empty inside. */
  readonly hidden: readonly string[];
}

/** User id of tools inside and, if the server is root, outside. */
export const nobody = 65_534;
export const scratch = "/tmp";
/** Path of the egress proxy's socket inside. */
export const proxySocket = "/run/memoir/out.sock";
export const relayPort = 3128;
/** Package directory of Python inside; Node finds its packages beside the source. */
export const packagePlaces: Readonly<Record<SandboxLanguage, string>> = {
  python: "/run/memoir/python",
  typescript: "/node_modules",
};
const nodePlace = "/run/memoir/node";

export function composeArguments(
  settings: BubblewrapSettings,
  interpreter: Interpreter,
  extras: Extras = {},
): string[] {
  const { socket, packages } = extras;
  const { limits, hasProc, hasSeccomp, hidden, prlimit } = settings;
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
    ...(socket === undefined ? [] : [...bindCertificates(), "--bind", socket, proxySocket]),
    ...(packages === undefined ? [] : bindPackages(interpreter, packages)),
    ...(hasProc ? ["--proc", "/proc", "--remount-ro", "/proc"] : ["--dir", "/proc"]),
    ...["--dev", "/dev", "--size", `${limits.scratchBytes}`, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--size", `${limits.scratchBytes}`, "--tmpfs", scratch, "--chdir", scratch],
    ...["/", ...hidden].flatMap((folder) => ["--remount-ro", folder]),
    ...(hasSeccomp ? ["--seccomp", "4"] : []),
    "--",
    prlimit,
    ...listLimits(limits, interpreter),
    "--",
    program,
    ...interpreter.args(scratch, true, packages && packagePlaces[interpreter.language]),
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
    // glibc otherwise reserves memory per thread, which counts towards the limit.
    ["MALLOC_ARENA_MAX", "1"],
    ...(socket === undefined ? [] : names.map((name): [string, string] => [name, proxy])),
  ];
}

/** On most systems `/lib` and the like are links into `/usr`, on others they are directories. */
function bindSystem(): string[] {
  const args = ["/bin", "/sbin", "/lib", "/lib32", "/lib64"].flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return [];
    return found.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
  });
  return [...args, ...bindIfThere("/etc/ld.so.cache"), ...bindIfThere("/etc/alternatives")];
}

function bindCertificates(): string[] {
  return ["/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/ca-certificates"].flatMap(bindIfThere);
}

function bindPackages({ language }: Interpreter, packages: string): string[] {
  return ["--ro-bind", join(packages, packageFolders[language]), packagePlaces[language]];
}

const bindIfThere = (path: string) => ["--ro-bind-try", path, path];

/** Address space that Node reserves at start and hardly uses. */
const reservedForCode = 640 * 2 ** 20;
const reservedAddresses = 8 * 2 ** 30;

/** Before Linux 5.14 the limit counts all processes of the user, so it must leave room for other sandboxes. */
const maxOfAll = 4_096;

/** Linux counts processes per user namespace since 5.14. */
export function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/**
 * Applied inside, where processes are counted per sandbox. Node reserves far more address space than it uses, so its
 * limit is on writable memory.
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
