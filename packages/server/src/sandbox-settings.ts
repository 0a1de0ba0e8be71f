/** What sandboxes need, from the settings and from variables people already have set. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { SandboxSettings } from "@memoir/core";
import type { Environment, ServerConfig } from "./config/settings.ts";

/** By which pip and npm find indexes, proxies and certificates. */
const installVariables = [
  ...["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_TRUSTED_HOST", "PIP_CERT"],
  ...["PIP_CLIENT_CERT", "PIP_PROXY", "PIP_DEFAULT_TIMEOUT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["NPM_CONFIG_REGISTRY", "npm_config_registry", "NPM_CONFIG_CAFILE", "npm_config_cafile", "NODE_EXTRA_CA_CERTS"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"],
];

/** By which the commands of Docker and Podman find their engine. */
const engineVariables = [
  ...["DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "CONTAINER_HOST"],
  ...["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
];

type Chosen = Pick<
  ServerConfig,
  "sandbox" | "pythonImage" | "nodeImage" | "toolEnvironments" | "toolBuilds" | "database"
>;

export function readSandboxSettings(config: Chosen, environment: Environment, home = homedir()): SandboxSettings {
  const { pythonImage, nodeImage } = config;
  const folder = config.toolEnvironments ?? (isFile(config) ? undefined : join(home, ".memoir", "tool-environments"));
  return {
    defaultSandbox: config.sandbox,
    containers: {
      images: pick({ python: pythonImage, typescript: nodeImage }),
      environment: takeFrom(environment, engineVariables),
    },
    e2b: pick({
      apiKey: environment.E2B_API_KEY?.trim(),
      template: environment.E2B_SANDBOX_TEMPLATE_ID?.trim(),
      domain: environment.E2B_DOMAIN?.trim(),
    }),
    installs: {
      variables: takeFrom(environment, installVariables),
      isBuildingAllowed: config.toolBuilds,
    },
    environments: folder === undefined ? {} : { folder },
  };
}

function isFile({ database }: Pick<ServerConfig, "database">): boolean {
  return !/^postgres(ql)?:/.test(database);
}

function takeFrom(environment: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

/** What is set and not empty. */
function pick<K extends string>(fields: Readonly<Record<K, string | undefined>>): Partial<Record<K, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value)) as Partial<Record<K, string>>;
}
