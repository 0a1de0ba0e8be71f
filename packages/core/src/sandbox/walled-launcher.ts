/** Starts interpreters behind walls: first the control group, then the rights, then bubblewrap, then the limits. */
import { composeWords, nobody, type Walls } from "./bubblewrap.ts";
import type { ControlGroups } from "./control-groups.ts";
import { composeRules } from "./kernel-rules.ts";
import type { Launcher } from "./launch.ts";
import type { Interpreters } from "./machine.ts";

export interface Surroundings {
  readonly interpreters: Interpreters;
  readonly groups?: ControlGroups;
  /** Gives rights up, for processes that began as root to enter their group. */
  readonly setpriv?: string;
}

/** Enters the group and becomes the rest of its words. */
const enterGroup = 'echo 0 > "$1" && shift && exec "$@"';

/** Root gives its rights up before bubblewrap starts: limits on processes do not hold for root. */
export function createWalledLauncher(walls: Walls, { interpreters, groups, setpriv }: Surroundings): Launcher {
  const rules = walls.hasRules ? composeRules(process.arch) : undefined;
  const isRoot = process.getuid?.() === 0;
  return {
    launch(language, extras) {
      const words = composeWords(walls, interpreters[language] ?? interpreters.typescript, extras);
      const common = { tellsInner: true, ...(rules ? { rules } : {}) };
      const group = isRoot && setpriv !== undefined ? groups?.create() : undefined;
      if (!group) return { program: walls.bubblewrap, words, ...(isRoot ? { uid: nobody } : {}), ...common };
      const dropRights = [setpriv ?? "", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
      return {
        program: "/bin/sh",
        words: ["-c", enterGroup, "sh", group.entrance, ...dropRights, walls.bubblewrap, ...words],
        clean: () => group.remove(),
        ...common,
      };
    },
  };
}
