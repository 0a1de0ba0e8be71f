/** How a process is to be started, whoever decides on its walls. */
import type { SandboxLanguage } from "./sandbox.ts";

export interface Launch {
  readonly program: string;
  readonly words: readonly string[];
  /** Who it runs as, before anything else happens; unchanged where it is left out. */
  readonly uid?: number;
  /** Bytes it can read from descriptor 4. */
  readonly rules?: Uint8Array;
  /** Whether it writes `{"child-pid": …}` to descriptor 5: the process inside that all others end with. */
  readonly tellsInner?: boolean;
  /** Once, when all its processes are gone. */
  clean?(): void;
}

/** What one call needs and others do not. */
export interface Extras {
  /** A way out of the sandbox, for calls that may reach some hosts. */
  readonly socket?: string;
  /** A folder with what the source requires. */
  readonly packages?: string;
}

/** Something that can start interpreters. */
export interface Launcher {
  launch(language: SandboxLanguage, extras?: Extras): Launch;
}
