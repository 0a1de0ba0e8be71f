/** The sandboxes and environments of a Memoir, from its options. */
import { dirname, join } from "node:path";
import type { ContainerSandboxOptions } from "../../sandbox/containers/container-sandbox.ts";
import type { E2bSandboxOptions } from "../../sandbox/e2b/e2b-sandbox.ts";
import { LocalSandbox } from "../../sandbox/local-sandbox.ts";
import { findClosedFolder } from "../../sandbox/packages/environment-folders.ts";
import { type EnvironmentOptions, Environments } from "../../sandbox/packages/environments.ts";
import type { InstallSettings } from "../../sandbox/packages/local-installer.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { Sandboxes, type SandboxName } from "../../sandbox/sandboxes.ts";
import type { Log } from "../../shared/log.ts";
import { isPostgresUrl } from "../../store/engine/database-address.ts";

/** Where tools with a source may run, and how what they require is installed. */
export interface SandboxSettings {
  /** Where tools run that neither they nor their organization say anything about (local). */
  readonly defaultSandbox?: SandboxName;
  /** Docker and Podman: images, and the variables by which their command finds the engine. */
  readonly containers?: Pick<ContainerSandboxOptions, "program" | "images" | "environment">;
  readonly e2b?: Omit<E2bSandboxOptions, "installs">;
  readonly installs?: InstallSettings;
  /** Where installed packages are kept, and their limits; beside a SQLite file unless given. */
  readonly environments?: Omit<EnvironmentOptions, "log">;
}

export interface OpenSandboxOptions {
  readonly database: string;
  readonly sandbox?: Sandbox;
  readonly sandboxes?: SandboxSettings;
  readonly unsafeTools?: boolean;
  readonly privateHosts?: readonly string[];
}

export function openSandboxes(options: OpenSandboxOptions): Sandboxes {
  const { unsafeTools: isUnsafeAllowed = false, sandboxes: settings = {} } = options;
  const privateHosts = (options.privateHosts ?? []).map((host) => host.toLowerCase());
  const { installs = {}, defaultSandbox } = settings;
  return new Sandboxes({
    local:
      options.sandbox ??
      new LocalSandbox({ isUnsafeAllowed, privateHosts, installs, ownFolders: [dirname(options.database)] }),
    containers: { ...settings.containers, installs, privateHosts },
    e2b: { ...settings.e2b, installs },
    ...(defaultSandbox ? { defaultSandbox } : {}),
  });
}

export function openEnvironments({ database, sandboxes = {} }: OpenSandboxOptions, log: Log): Environments {
  const folder = sandboxes.environments?.folder ?? chooseFolder(database);
  return new Environments({ ...sandboxes.environments, ...(folder === undefined ? {} : { folder }), log });
}

const folderName = "tool-environments";

/** Tools of a server that is root run as somebody else, who cannot enter root's own folders. */
function chooseFolder(database: string): string | undefined {
  if (database === ":memory:" || isPostgresUrl(database)) return undefined;
  const beside = join(dirname(database), folderName);
  return findClosedFolder(dirname(beside)) === undefined ? beside : `/var/cache/memoir/${folderName}`;
}
