/** Where tools with a source run, and what they may install. */
import { defaultOptions, sandboxNames } from "@memoir/core";
import { oneOf, parsePath, parseSeconds, parseText } from "./parsers.ts";
import { defineSetting, defineSwitch } from "./setting.ts";

const { defaultSandbox, containers } = defaultOptions.sandboxes;

export const toolSettings = {
  unsafeTools: defineSwitch({
    variables: ["MEMOIR_UNSAFE_TOOLS"],
    help: "run the source of tools without a sandbox where there is none",
    toMemoir: (unsafeTools) => ({ unsafeTools }),
  }),
  toolTimeout: defineSetting({
    variables: ["MEMOIR_TOOL_TIMEOUT", "TOOL_SANDBOX_TIMEOUT"],
    help: "seconds that a tool with a source may run",
    libraryDefault: defaultOptions.customTools.timeoutMs / 1_000,
    parse: parseSeconds,
  }),
  sandbox: defineSetting({
    variables: ["MEMOIR_SANDBOX"],
    help: "where tools with a source run: local, docker, podman or e2b",
    libraryDefault: defaultSandbox,
    parse: oneOf(...sandboxNames),
  }),
  pythonImage: defineSetting({
    variables: ["MEMOIR_PYTHON_IMAGE"],
    help: "image for Python tools in containers",
    libraryDefault: containers.images.python,
    parse: parseText,
  }),
  nodeImage: defineSetting({
    variables: ["MEMOIR_NODE_IMAGE"],
    help: "image for TypeScript tools in containers",
    libraryDefault: containers.images.typescript,
    parse: parseText,
  }),
  toolEnvironments: defineSetting({
    variables: ["MEMOIR_TOOL_ENVIRONMENTS"],
    help: "folder for packages that tools require",
    defaultText: "beside the SQLite file, or ~/.memoir/tool-environments",
    parse: parsePath,
  }),
  toolBuilds: defineSwitch({
    variables: ["MEMOIR_TOOL_BUILDS"],
    help: "build packages of tools that are not ready to install, which runs their code",
  }),
};
