/**
 * Control groups count what all processes of a call take together. They are used where this process may make some: as
 * root, or where an administrator delegated a part of the tree to it. A second net under the limits of each process.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxLimits } from "../limits.ts";

export interface ControlGroup {
  /** A process that writes 0 here is in it, with all that it starts. */
  readonly entrance: string;
  remove(): void;
}

export interface ControlGroups {
  create(): ControlGroup;
  /** Resolves when they are removed, or cannot be. */
  close(): Promise<void>;
}

const mount = "/sys/fs/cgroup";
const prefix = "memoir-";

/** Undefined where none can be made. */
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
      writeFileSync(join(group, "pids.max"), `${limits.processes + bystanders}`);
      if (place.isUnified) writeFileSync(join(group, "memory.max"), `${limits.memoryBytes}`);
      const remove = () => {
        const left = removeSoon(group).finally(() => leaving.delete(left));
        leaving.add(left);
      };
      return { entrance: join(group, "cgroup.procs"), remove };
    },
    async close() {
      await Promise.all(leaving);
      await removeSoon(folder);
    },
  };
}

/** Bubblewrap itself, outside and inside. */
const bystanders = 4;

/** Below our own group, so that what holds for us holds for tools too. */
function findPlace(): { folder: string; isUnified: boolean } | undefined {
  try {
    const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
    const path = (name: string) => lines.map((line) => line.split(":")).find(([, names]) => names === name)?.[2];
    const [unified, pids] = [path(""), path("pids")];
    if (pids !== undefined) return { folder: join(mount, "pids", pids), isUnified: false };
    if (unified !== undefined) return { folder: join(mount, unified), isUnified: true };
  } catch {
    // No such file system here.
  }
  return undefined;
}

/** What processes left behind that are gone. */
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

/** A group can be removed when the kernel has forgotten its last process, which takes it a moment. */
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
