/**
 * Control groups limit all processes of a call together, in addition to the limits per process; used if this process
 * may create some, as root or in a delegated subtree.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxLimits } from "../limits.ts";

export interface ControlGroup {
  /** Writing 0 here moves the writing process and its children into the group. */
  readonly procsFile: string;
  remove(): void;
}

export interface ControlGroups {
  create(): ControlGroup;
  /** Resolves when the groups are removed, or cannot be. */
  close(): Promise<void>;
}

const mount = "/sys/fs/cgroup";
const prefix = "memoir-";

/** Undefined if none can be created. */
export function openControlGroups(limits: SandboxLimits): ControlGroups | undefined {
  const place = findPlace();
  if (!place) return undefined;
  const folder = join(place.folder, `${prefix}${process.pid}-${randomBytes(4).toString("hex")}`);
  try {
    sweep(place.folder);
    mkdirSync(folder, { recursive: true });
    if (place.isUnified) writeFileSync(join(folder, "cgroup.subtree_control"), "+pids +memory");
  } catch {
    tryRemove(folder);
    return undefined;
  }
  const leaving = new Set<Promise<void>>();
  let count = 0;
  return {
    create() {
      count += 1;
      const group = join(folder, `call-${count}`);
      mkdirSync(group);
      writeFileSync(join(group, "pids.max"), `${limits.processes + bubblewrapProcesses}`);
      if (place.isUnified) writeFileSync(join(group, "memory.max"), `${limits.memoryBytes}`);
      const remove = () => {
        const left = removeSoon(group).finally(() => leaving.delete(left));
        leaving.add(left);
      };
      return { procsFile: join(group, "cgroup.procs"), remove };
    },
    async close() {
      await Promise.all(leaving);
      await removeSoon(folder);
    },
  };
}

/** bubblewrap's own processes, outside and inside. */
const bubblewrapProcesses = 4;

/** Below the server's own group, so that its limits include the tools. */
function findPlace(): { folder: string; isUnified: boolean } | undefined {
  try {
    const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
    const path = (name: string) => lines.map((line) => line.split(":")).find(([, names]) => names === name)?.[2];
    const [unified, pids] = [path(""), path("pids")];
    if (pids !== undefined) return { folder: join(mount, "pids", pids), isUnified: false };
    if (unified !== undefined) return { folder: join(mount, unified), isUnified: true };
  } catch {
    // No such file system.
  }
  return undefined;
}

/** Removes groups of processes that have ended. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder).filter((item) => item.startsWith(prefix))) {
    if (existsSync(`/proc/${name.slice(prefix.length).split("-")[0]}`)) continue;
    const left = join(folder, name);
    for (const call of readdirSync(left).filter((item) => item.startsWith("call-"))) tryRemove(join(left, call));
    tryRemove(left);
  }
}

const pauseMs = 20;
const maxAttempts = 50;

/** The kernel needs a moment after the last process has ended before a group can be removed. */
async function removeSoon(group: string): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts && !tryRemove(group); attempt++) await sleep(pauseMs);
}

function tryRemove(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return !existsSync(group);
  }
}
