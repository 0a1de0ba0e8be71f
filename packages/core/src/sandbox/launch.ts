/** How to start a process, independent of the kind of isolation. */
import type { SandboxLanguage } from "./sandbox.ts";

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** User id of the process; unchanged if absent. */
  readonly uid?: number;
  /** Seccomp filter, readable from descriptor 4. */
  readonly seccompFilter?: Uint8Array;
  /** Whether the process writes `{"child-pid": …}` to descriptor 5, the pid of the first process inside. */
  readonly reportsChildPid?: boolean;
  /** Called once, after all processes have ended. */
  clean?(): void;
}

/** Per-call additions, which rule out a pooled interpreter. */
export interface Extras {
  /** Socket of the egress proxy, for calls with allowed hosts. */
  readonly socket?: string;
  /** Folder with the packages that the source requires. */
  readonly packages?: string;
}

export interface Launcher {
  launch(language: SandboxLanguage, extras?: Extras): Launch;
}
