/** What fills an environment with packages. Every kind of sandbox has its own, because each has its own interpreters. */
import type { SandboxLanguage } from "../language.ts";
import type { Requirements } from "./requirements.ts";

export interface InstallOrder {
  /** Of the set; the same for the same packages and interpreter. */
  readonly name: string;
  readonly requirements: Requirements;
  /** An empty folder to fill. */
  readonly folder: string;
  /** Another one, for what is needed meanwhile. */
  readonly scratch: string;
  readonly signal: AbortSignal;
  /** Told what is being done, line by line. */
  readonly onLine: (line: string) => void;
}

export interface Installer {
  /** Names what the result fits: interpreter, machine, index. Throws an `unavailable` error where there is none. */
  describe(language: SandboxLanguage): Promise<string>;
  /** Throws an InstallFault, or an `unavailable` error, with one sentence for whoever reads it. */
  install(order: InstallOrder): Promise<void>;
}

/** Where the packages of a language are within an environment. */
export const packageFolders: Readonly<Record<SandboxLanguage, string>> = {
  python: "python",
  typescript: "node_modules",
};
