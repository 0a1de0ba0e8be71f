/**
 * Keeps descriptors that the server inherited (of a supervisor, a lock, a shell's `exec 200<folder`) from the processes it
 * starts: bubblewrap passes on every descriptor it gets, and one of a folder is a way around all walls. Node opens its own
 * descriptors close-on-exec and marks inherited ones only up to the first gap above 15.
 */
import { openSync, readdirSync, readFileSync } from "node:fs";

type Stdio = "ignore" | "pipe";

const closesOnExec = 0o2000000;

let inherited: readonly number[] | undefined;
let nothing: number | undefined;

/** For `spawn`: these streams, and the null device in place of each inherited descriptor. */
export function coverInherited(streams: readonly Stdio[]): (Stdio | number)[] {
  inherited ??= listInherited();
  const covered: (Stdio | number)[] = [...streams];
  for (const descriptor of inherited) {
    // `spawn` leaves a descriptor above 2 alone where it says "ignore".
    while (covered.length < descriptor) covered.push("ignore");
    covered[descriptor] ??= nothing ??= openSync("/dev/null", "r+");
  }
  return covered;
}

/** None where there is no `/proc`: systems without it close descriptors of their own accord when Node starts a process. */
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

/** Also true for one that is closed by now, such as that of the listing itself. */
function isClosedOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1] ?? "";
    return (Number.parseInt(flags, 8) & closesOnExec) !== 0;
  } catch {
    return true;
  }
}
