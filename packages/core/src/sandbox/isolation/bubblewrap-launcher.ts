/**
 * Starts isolated interpreters: enters the control group, drops privileges, runs bubblewrap, then applies the limits.
 */
import type { Launcher } from "../launch.ts";
import type { Interpreters } from "../machine.ts";
import { type BubblewrapSettings, composeArguments, nobody } from "./bubblewrap.ts";
import type { ControlGroups } from "./control-groups.ts";
import { composeSeccompFilter } from "./seccomp-filter.ts";

export interface Surroundings {
  readonly interpreters: Interpreters;
  readonly groups?: ControlGroups;
  /** Drops privileges after a process that started as root has entered its group. */
  readonly setpriv?: string;
}

/**
 * Joins the control group, if any, makes itself the preferred victim of the OOM killer, and executes its arguments;
 * inside the sandbox `/proc` is read-only, so the latter cannot be undone.
 */
const enter =
  '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; [ -z "$1" ] || echo 0 > "$1" || exit; shift; exec "$@"';

/** Root drops its privileges before bubblewrap starts, because process limits do not apply to root. */
export function createBubblewrapLauncher(
  settings: BubblewrapSettings,
  { interpreters, groups, setpriv }: Surroundings,
): Launcher {
  const seccompFilter = settings.hasSeccomp ? composeSeccompFilter(process.arch) : undefined;
  const isRoot = process.getuid?.() === 0;
  const dropRights =
    isRoot && setpriv !== undefined ? [setpriv, `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];
  return {
    launch(language, extras) {
      const args = composeArguments(settings, interpreters[language] ?? interpreters.typescript, extras);
      const group = dropRights.length > 0 ? groups?.create() : undefined;
      return {
        program: "/bin/sh",
        args: ["-c", enter, "sh", group?.procsFile ?? "", ...dropRights, settings.bubblewrap, ...args],
        reportsChildPid: true,
        ...(isRoot && dropRights.length === 0 ? { uid: nobody } : {}),
        ...(group ? { clean: () => group.remove() } : {}),
        ...(seccompFilter ? { seccompFilter } : {}),
      };
    },
  };
}
