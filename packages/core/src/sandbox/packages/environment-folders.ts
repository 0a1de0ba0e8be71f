/**
 * Environments on disk: one folder per set of packages. A set is built under a temporary name and renamed when
 * complete, so that a crash leaves no partial set.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { chmod, lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MemoirError } from "../../shared/errors.ts";
import type { Requirements } from "./requirements.ts";

export interface Manifest {
  readonly packages: readonly string[];
  readonly bytes: number;
  readonly builtAt: number;
}

export interface Stage {
  readonly folder: string;
  readonly scratch: string;
  /** The temporary folder, removed with all its contents. */
  readonly root: string;
}

const manifestName = "environment.json";
const stagePattern = /^building-(\d+)-/;
const setPattern = /^[0-9a-f]{32}$/;

/** Throws if the user that tools run as cannot enter the folder. */
export function openEnvironmentFolder(root: string): void {
  mkdirSync(root, { recursive: true });
  chmodSync(root, 0o755);
  const closed = findClosedFolder(root);
  if (closed === undefined) return;
  throw new MemoirError(
    "unavailable",
    `packages of tools cannot be kept in ${root}, because only root may enter ${closed}: choose another folder with MEMOIR_TOOL_ENVIRONMENTS`,
  );
}

/** Tools never run as root, so if the server does, every parent folder must be accessible to other users. */
export function findClosedFolder(path: string): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const parent = dirname(path);
  const above = parent === path ? undefined : findClosedFolder(parent);
  const isClosed = existsSync(path) && (statSync(path).mode & 0o001) === 0;
  return above ?? (isClosed ? path : undefined);
}

/** Removes stages of processes that have ended. */
export async function sweepStages(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = Number(name.match(stagePattern)?.[1] ?? 0);
    const path = join(root, name);
    const madeAt = statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
    // Pids are reused; in a container the server has the same pid after each start.
    const isOwn = pid === process.pid && madeAt >= performance.timeOrigin;
    const isStale = madeAt < Date.now() - dayMs || (!isOwn && (pid === process.pid || !isAlive(pid)));
    if (pid > 0 && isStale) rmSync(path, { recursive: true, force: true });
  }
}

const dayMs = 86_400_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Removes sets that were last used before `since` and returns their names. */
export async function removeUnused(root: string, since: Date): Promise<string[]> {
  const removed = (await readdir(root))
    .filter((name) => setPattern.test(name))
    .filter((name) => (statSync(join(root, name), { throwIfNoEntry: false })?.mtime ?? since) < since);
  for (const name of removed) {
    // Renamed first, so that a partly removed set is never found.
    const hidden = mkdtempSync(join(root, `building-${process.pid}-`));
    renameSync(join(root, name), join(hidden, "folder"));
    rmSync(hidden, { recursive: true, force: true });
  }
  return removed;
}

export function openStage(root: string): Stage {
  const stage = mkdtempSync(join(root, `building-${process.pid}-`));
  const [folder, scratch] = [join(stage, "folder"), join(stage, "scratch")];
  mkdirSync(folder);
  mkdirSync(scratch);
  return { root: stage, folder, scratch };
}

/** Renames a complete stage to `name`; if another process finished the set first, that one stays. */
export async function finishStage(
  root: string,
  name: string,
  stage: Stage,
  { packages }: Requirements,
): Promise<Manifest> {
  const manifest: Manifest = { packages, bytes: await measure(stage.folder), builtAt: Date.now() * 1000 };
  writeFileSync(join(stage.folder, manifestName), JSON.stringify(manifest));
  await openToAll(stage.folder);
  try {
    renameSync(stage.folder, join(root, name));
  } catch (error) {
    if (!findSet(root, name)) throw error;
  }
  return manifest;
}

export function dropStage({ root }: Stage): void {
  rmSync(root, { recursive: true, force: true });
}

export function findSet(root: string, name: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(root, name, manifestName), "utf8"));
  } catch {
    return undefined;
  }
}

const hourMs = 3_600_000;

/** Updates the time of last use, at most once in a while. */
export function noteUse(root: string, name: string): void {
  const path = join(root, name);
  const now = new Date();
  if (now.getTime() - statSync(path).mtimeMs > hourMs) utimesSync(path, now, now);
}

/** Total size of all files; files that vanish meanwhile are ignored. */
export async function measure(folder: string): Promise<number> {
  let bytes = 0;
  await walk(folder, async (_, size) => {
    bytes += size;
  });
  return bytes;
}

/** Tools may read everything; only the owner may write. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  await walk(folder, async (path, _, isFolder) =>
    chmod(path, isFolder ? 0o755 : 0o644 | (statSync(path).mode & 0o111)),
  );
}

async function walk(
  folder: string,
  visit: (path: string, size: number, isFolder: boolean) => Promise<void>,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (!found || found.isSymbolicLink()) continue;
    await visit(path, found.size, found.isDirectory());
    if (found.isDirectory()) await walk(path, visit);
  }
}
