/** What of the environment reaches sandboxes and installers. */
import { expect, test } from "vitest";
import { readSandboxSettings } from "./sandbox-settings.ts";

const config = {
  sandbox: "local",
  pythonImage: undefined,
  nodeImage: "node:25",
  toolEnvironments: undefined,
  toolBuilds: false,
  database: "postgres://db/memoir",
} as const;

test("installers get indexes and proxies, engines their address, and nobody anything else", () => {
  const environment = {
    PIP_INDEX_URL: "https://index.example/simple",
    HTTPS_PROXY: "http://proxy:3128",
    NO_PROXY: "",
    DOCKER_HOST: "tcp://engine:2376",
    E2B_API_KEY: " e2b_key ",
    E2B_SANDBOX_TEMPLATE_ID: "mine",
    OPENAI_API_KEY: "sk-secret",
    MEMOIR_PASSWORD: "secret",
  };
  expect(readSandboxSettings(config, environment, "/home/ada")).toEqual({
    defaultSandbox: "local",
    containers: { images: { typescript: "node:25" }, environment: { DOCKER_HOST: "tcp://engine:2376" } },
    e2b: { apiKey: "e2b_key", template: "mine" },
    installs: {
      variables: { PIP_INDEX_URL: "https://index.example/simple", HTTPS_PROXY: "http://proxy:3128" },
      isBuildingAllowed: false,
    },
    environments: { folder: "/home/ada/.memoir/tool-environments" },
  });
});

test("packages lie beside a SQLite file, or where the operator says", () => {
  expect(readSandboxSettings({ ...config, database: "/data/memoir.db" }, {}).environments).toEqual({});
  const chosen = { ...config, toolEnvironments: "/var/lib/packages" };
  expect(readSandboxSettings(chosen, {}).environments).toEqual({ folder: "/var/lib/packages" });
});
