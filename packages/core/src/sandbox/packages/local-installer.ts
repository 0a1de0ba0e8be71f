/**
 * Installs with the pip and npm of this machine, without running code of packages: npm skips install scripts and pip
 * only accepts wheels, unless the operator allows builds.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { MemoirError } from "../../shared/errors.ts";
import { findPython } from "../interpreters.ts";
import type { SandboxLanguage } from "../language.ts";
import { runInstaller } from "./install-program.ts";
import { type Installer, type InstallOrder, packageFolders } from "./installer.ts";

const execute = promisify(execFile);

export interface InstallSettings {
  /** The operator's environment for pip and npm: indexes, proxies, certificates. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Lets pip build source packages, which runs their code with the server's privileges. */
  readonly isBuildingAllowed?: boolean;
}

export interface LocalInstallerOptions extends InstallSettings {
  /** The configured Python of the sandbox. */
  readonly python?: string;
}

const path = "/usr/local/bin:/usr/bin:/bin";
const askPython =
  "import sys, sysconfig; print(sys.implementation.cache_tag, sys.version.split()[0], sysconfig.get_platform())";

export function createLocalInstaller(options: LocalInstallerOptions = {}): Installer {
  const settings = options.variables ?? {};
  const known = new Map<SandboxLanguage, Promise<string>>();
  const ask: Readonly<Record<SandboxLanguage, () => Promise<string>>> = {
    python: async () => (await execute(getPython(options), ["-I", "-c", askPython], { env: {} })).stdout.trim(),
    typescript: async () => `node ${process.version} ${process.platform}-${process.arch}`,
  };
  return {
    async describe(language) {
      const told = known.get(language) ?? ask[language]();
      known.set(language, told);
      told.catch(() => known.delete(language));
      return `local ${await told} ${digestSettings(options)}`;
    },
    async install(order) {
      const { folder, scratch, requirements } = order;
      const environment = {
        PATH: path,
        HOME: scratch,
        TMPDIR: scratch,
        LANG: "C.UTF-8",
        PIP_ROOT_USER_ACTION: "ignore",
      };
      if (requirements.language === "python") {
        const args = ["-I", "-m", ...composePip(join(folder, packageFolders.python), order, options)];
        const program = getPython(options);
        await runInstaller({ title: "pip", program, args, environment, settings, folder: scratch }, order);
        return;
      }
      writeFileSync(join(folder, "package.json"), '{"private":true}');
      const npm = { npm_config_cache: join(scratch, "npm"), npm_config_userconfig: join(scratch, "npmrc") };
      const own = { ...environment, ...npm, PATH: `${dirname(process.execPath)}:${path}` };
      const input = { title: "npm", program: getNpm(), args: composeNpm(order), environment: own, settings, folder };
      await runInstaller(input, order);
    },
  };
}

/** Arguments for pip, starting with the program. */
export function composePip(
  target: string,
  { requirements }: Pick<InstallOrder, "requirements">,
  { isBuildingAllowed }: InstallSettings,
): string[] {
  return [
    ...["pip", "install", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--progress-bar", "off"],
    ...["--no-warn-script-location", "--retries", "2", ...(isBuildingAllowed ? [] : ["--only-binary=:all:"])],
    ...["--target", target, "--", ...requirements.packages],
  ];
}

export function composeNpm({ requirements }: Pick<InstallOrder, "requirements">): string[] {
  return [
    ...["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--no-package-lock"],
    ...["--no-save", "--no-bin-links", "--omit=dev", "--fetch-retries=2", "--loglevel=http"],
    ...["--", ...requirements.packages],
  ];
}

/** Included in the name of a set, because other settings may yield other packages under the same names. */
export function digestSettings({ variables = {}, isBuildingAllowed = false }: InstallSettings): string {
  const said = JSON.stringify([Object.entries(variables).sort(), isBuildingAllowed]);
  return createHash("sha256").update(said).digest("hex").slice(0, 16);
}

function getPython({ python }: LocalInstallerOptions): string {
  const found = findPython(python);
  if (found) return found.program;
  throw new MemoirError("unavailable", "there is no Python 3 on this machine: install it as /usr/bin/python3");
}

function getNpm(): string {
  const places = [dirname(process.execPath), ...path.split(":"), "/opt/homebrew/bin"];
  const found = places.map((folder) => join(folder, "npm")).find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new MemoirError("unavailable", "npm is not installed on this machine, and the packages of tools need it");
}
