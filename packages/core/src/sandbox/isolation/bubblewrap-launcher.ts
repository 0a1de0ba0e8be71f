/** Starts interpreters behind walls: first the control group, then the rights, then bubblewrap, then the limits. */
import type { Launcher } from "../launch.ts";
import type { Interpreters } from "../machine.ts";
import { composeWords, nobody, type Walls } from "./bubblewrap.ts";
import type { ControlGroups } from "./control-groups.ts";
import { composeRules } from "./seccomp-filter.ts";

export interface Surroundings {
  readonly interpreters: Interpreters;
  readonly groups?: ControlGroups;
  /** Gives rights up, for processes that began as root to enter their group. */
  readonly setpriv?: string;
}

/**
 * Becomes the rest of its words, as what the kernel ends first should the machine run out of memory, and, if there is one,
 * in the group. Inside, where nothing in `/proc` can be written, the former cannot be taken back.
 */
const enter =
  '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; [ -z "$1" ] || echo 0 > "$1" || exit; shift; exec "$@"';

/** Root gives its rights up before bubblewrap starts: limits on processes do not hold for root. */
export function createWalledLauncher(walls: Walls, { interpreters, groups, setpriv }: Surroundings): Launcher {
  const rules = walls.hasRules ? composeRules(process.arch) : undefined;
  const isRoot = process.getuid?.() === 0;
  const dropRights =
    isRoot && setpriv !== undefined ? [setpriv, `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];
  return {
    launch(language, extras) {
      const words = composeWords(walls, interpreters[language] ?? interpreters.typescript, extras);
      const group = dropRights.length > 0 ? groups?.create() : undefined;
      return {
        program: "/bin/sh",
        words: ["-c", enter, "sh", group?.entrance ?? "", ...dropRights, walls.bubblewrap, ...words],
        tellsInner: true,
        ...(isRoot && dropRights.length === 0 ? { uid: nobody } : {}),
        ...(group ? { clean: () => group.remove() } : {}),
        ...(rules ? { rules } : {}),
      };
    },
  };
}
