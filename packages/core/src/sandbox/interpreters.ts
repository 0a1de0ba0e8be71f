/**
 * The interpreters of this machine. Only real programs count: the shims that version managers put into home directories
 * are scripts that point at places a sandbox does not have.
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
  /** Where its own files are. */
  readonly prefix: string;
  /**
   * With `folder` for scratch files; `isWalled` where nothing else has to keep it from starting programs; `packages` is
   * where Python finds what the source requires.
   */
  words(folder: string, isWalled: boolean, packages?: string): string[];
}

const pythonPlaces = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"];

/** Undefined when the machine has none. */
export function findPython(chosen?: string): Interpreter | undefined {
  const program = (chosen === undefined ? pythonPlaces : [chosen])
    .map(findProgram)
    .find((found) => found !== undefined);
  if (program === undefined) return undefined;
  return { language: "python", program, prefix: dirname(dirname(program)), words: composePythonWords };
}

/** The one this program runs on; `hide` is told a folder to remove when it is not needed any more. */
export function findNode(hide: (folder: string) => void): Interpreter {
  const program = makeReachable(realpathSync(process.execPath), hide);
  return { language: "typescript", program, prefix: program, words: composeNodeWords };
}

export const composePythonWords: Interpreter["words"] = (_folder, _isWalled, packages) => [
  ...["-I", "-u", "-c", pythonRunner],
  ...(packages === undefined ? [] : [packages]),
];

export function composeNodeWords(folder: string, isWalled: boolean): string[] {
  return [
    "--no-warnings",
    "--max-old-space-size=384",
    "--disable-proto=delete",
    "--use-env-proxy",
    // A second wall: no other programs, no threads, no native code, no files but scratch ones.
    ...(isWalled ? ["--permission", "--allow-fs-read=*", `--allow-fs-write=${folder}/*`] : []),
    "-e",
    nodeRunner,
    folder,
  ];
}

/**
 * Whoever drops the rights of root cannot pass folders that only root may enter: a program in one of them is linked, or
 * copied, to a place that all may enter.
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

/** The file behind all links, if it is a program of this machine and no script. */
function findProgram(place: string): string | undefined {
  try {
    const program = realpathSync(place);
    return isScript(program) ? undefined : program;
  } catch (error) {
    // That it cannot be looked at for the moment does not mean that there is none.
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
