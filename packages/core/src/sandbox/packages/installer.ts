/**
 * Installs packages into an environment; each kind of sandbox has its own installer, because each has its own
 * interpreters.
 */
import type { SandboxLanguage } from "../language.ts";
import type { Requirements } from "./requirements.ts";

export interface InstallOrder {
  /** Name of the set; equal for equal packages and interpreter. */
  readonly name: string;
  readonly requirements: Requirements;
  /** Empty folder to install into. */
  readonly folder: string;
  /** Temporary folder. */
  readonly scratch: string;
  readonly signal: AbortSignal;
  /** Receives the installer's output line by line. */
  readonly onLine: (line: string) => void;
}

export interface Installer {
  /**
   * Identifies what the result depends on: interpreter, machine, index. Throws an `unavailable` error if there is no
   * interpreter.
   */
  describe(language: SandboxLanguage): Promise<string>;
  /** Throws an InstallFault, or an `unavailable` error, with a message for the client. */
  install(order: InstallOrder): Promise<void>;
}

/** Package folder of each language within an environment. */
export const packageFolders: Readonly<Record<SandboxLanguage, string>> = {
  python: "python",
  typescript: "node_modules",
};
