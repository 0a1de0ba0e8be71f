/**
 * Hides descriptors that the server inherited (from a supervisor, a lock, a shell's `exec 200<folder`) from its child
 * processes: bubblewrap passes on every open descriptor, and one of a folder defeats the isolation. Node opens its own
 * descriptors close-on-exec and marks inherited ones only up to the first gap above 15.
 */
import { openSync, readdirSync, readFileSync } from "node:fs";

type Stdio = "ignore" | "pipe";

const closesOnExec = 0o2000000;

let inherited: readonly number[] | undefined;
let nothing: number | undefined;

/** Returns `streams` for `spawn`, extended by the null device for each inherited descriptor. */
export function coverInherited(streams: readonly Stdio[]): (Stdio | number)[] {
  inherited ??= listInherited();
  const covered: (Stdio | number)[] = [...streams];
  for (const descriptor of inherited) {
    // `spawn` does not touch a descriptor above 2 that is set to "ignore".
    while (covered.length < descriptor) covered.push("ignore");
    covered[descriptor] ??= nothing ??= openSync("/dev/null", "r+");
  }
  return covered;
}

/** Empty without `/proc`; Node closes inherited descriptors itself on those systems. */
function listInherited(): number[] {
  return listOpen()
    .filter((descriptor) => descriptor > 2 && !isClosedOnExec(descriptor))
    .sort((left, right) => left - right);
}

function listOpen(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

/** Also true for a descriptor that was closed meanwhile, such as that of the directory listing. */
function isClosedOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1] ?? "";
    return (Number.parseInt(flags, 8) & closesOnExec) !== 0;
  } catch {
    return true;
  }
}
