/**
 * Finds the interpreters of this machine. Shims of version managers are skipped, because they point to places that do
 * not exist in a sandbox.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  linkSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SandboxLanguage } from "./language.ts";
import { nodeRunner } from "./programs/node-runner.ts";
import { pythonRunner } from "./programs/python-runner.ts";

export interface Interpreter {
  readonly language: SandboxLanguage;
  readonly program: string;
  /** The interpreter's installation directory. */
  readonly prefix: string;
  /**
   * Builds the interpreter's arguments: `folder` is for scratch files, `isIsolated` also turns on Node's permission
   * model, `packages` is Python's package directory.
   */
  args(folder: string, isIsolated: boolean, packages?: string): string[];
}

const pythonPlaces = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"];

/** Undefined if the machine has none. */
export function findPython(chosen?: string): Interpreter | undefined {
  const program = (chosen === undefined ? pythonPlaces : [chosen])
    .map(findProgram)
    .find((found) => found !== undefined);
  if (program === undefined) return undefined;
  return { language: "python", program, prefix: dirname(dirname(program)), args: composePythonArguments };
}

/** The Node that runs this process; `hide` receives a folder to remove at close. */
export function findNode(hide: (folder: string) => void): Interpreter {
  const program = makeReachable(realpathSync(process.execPath), hide);
  return { language: "typescript", program, prefix: program, args: composeNodeArguments };
}

export const composePythonArguments: Interpreter["args"] = (_folder, _isIsolated, packages) => [
  ...["-I", "-u", "-c", pythonRunner],
  ...(packages === undefined ? [] : [packages]),
];

export function composeNodeArguments(folder: string, isIsolated: boolean): string[] {
  return [
    "--no-warnings",
    "--max-old-space-size=384",
    "--disable-proto=delete",
    "--use-env-proxy",
    // Second layer: no child processes, threads, native code or files outside the scratch folder.
    ...(isIsolated ? ["--permission", "--allow-fs-read=*", `--allow-fs-write=${folder}/*`] : []),
    "-e",
    nodeRunner,
    folder,
  ];
}

/**
 * An unprivileged user cannot enter directories that only root may enter, so a program inside one is linked or copied
 * to a public place.
 */
function makeReachable(program: string, hide: (folder: string) => void): string {
  if (process.getuid?.() !== 0 || listParents(program).every((folder) => (statSync(folder).mode & 0o001) !== 0)) {
    return program;
  }
  const folder = mkdtempSync(join(tmpdir(), "memoir-node-"));
  hide(folder);
  chmodSync(folder, 0o755);
  const copy = join(folder, "node");
  try {
    linkSync(program, copy);
  } catch {
    copyFileSync(program, copy);
  }
  return copy;
}

function listParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...listParents(parent)];
}

/** Resolves links; undefined for scripts and missing files. */
function findProgram(place: string): string | undefined {
  try {
    const program = realpathSync(place);
    return isScript(program) ? undefined : program;
  } catch (error) {
    // A shortage of descriptors or memory does not mean that the file is missing.
    if (["EMFILE", "ENFILE", "ENOMEM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return undefined;
  }
}

function isScript(path: string): boolean {
  const head = Buffer.alloc(2);
  const file = openSync(path, "r");
  try {
    readSync(file, head, 0, 2, 0);
  } finally {
    closeSync(file);
  }
  return head.toString("latin1") === "#!";
}
