/** The isolation of a container, as command-line arguments that Docker and Podman share. */
import { join } from "node:path";
import { composeNodeArguments, composePythonArguments } from "../interpreters.ts";
import { nobody, packagePlaces, proxySocket, relayPort, scratch } from "../isolation/bubblewrap.ts";
import type { SandboxLanguage } from "../language.ts";
import type { Extras } from "../launch.ts";
import type { SandboxLimits } from "../limits.ts";
import { packageFolders } from "../packages/installer.ts";

export interface ContainerCall extends Extras {
  readonly name: string;
  readonly image: string;
  readonly language: SandboxLanguage;
  readonly limits: SandboxLimits;
  /** Lifetime of the container, in case this process dies before it removes the container. */
  readonly seconds: number;
}

/**
 * Reads a mark and the channel from stdin, runs its arguments with the channel as descriptor 3, then prints the mark,
 * the exit status and what was added to the channel.
 */
const relay = [
  "read -r mark && read -r size && cat > /tmp/.channel || exit 125",
  '"$@" 3<>/tmp/.channel </dev/null',
  'printf "%s%s\\n" "$mark" $? && tail -c "+$((size + 1))" /tmp/.channel',
].join("\n");

export function composeContainerArguments(call: ContainerCall): string[] {
  const { language, packages } = call;
  const place = packages === undefined ? undefined : packagePlaces[language];
  const args =
    language === "python"
      ? ["python3", ...composePythonArguments(scratch, true, place)]
      : ["node", ...composeNodeArguments(scratch, true)];
  const deadline = ["timeout", "-s", "KILL", `${call.seconds}`];
  return [
    ...["run", "--rm", "--interactive", "--name", call.name, "--label", "memoir=tool", "--pull", "never"],
    ...composeWalls(call.limits),
    ...listVariables(call).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...(packages && place ? bind(join(packages, packageFolders[language]), place) : []),
    ...(call.socket === undefined ? [] : ["--mount", `type=bind,source=${call.socket},target=${proxySocket}`]),
    ...["--entrypoint", "sh", call.image, "-c", relay, "sh", ...deadline, ...args],
  ];
}

function composeWalls(limits: SandboxLimits): string[] {
  return [
    ...["--network", "none", "--ipc", "none", "--read-only", "--cap-drop", "ALL"],
    ...["--security-opt", "no-new-privileges", "--user", `${nobody}:${nobody}`, "--hostname", "sandbox"],
    ...["--tmpfs", `${scratch}:rw,noexec,nosuid,nodev,size=${limits.scratchBytes},mode=1777`, "--workdir", scratch],
    ...["--pids-limit", `${limits.processes}`, "--cpus", "1"],
    ...["--memory", `${limits.memoryBytes}`, "--memory-swap", `${limits.memoryBytes}`],
    ...["--ulimit", `nofile=${limits.openFiles}:${limits.openFiles}`, "--ulimit", "core=0:0"],
    ...["--ulimit", `cpu=${limits.cpuSeconds}:${limits.cpuSeconds}`, "--log-driver", "none"],
  ];
}

function listVariables({ socket }: ContainerCall): [string, string][] {
  const proxy = `http://127.0.0.1:${relayPort}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
  return [
    ["HOME", scratch],
    ["TMPDIR", scratch],
    ["LANG", "C.UTF-8"],
    ["NO_COLOR", "1"],
    ["TERM", "dumb"],
    ["PYTHONWARNINGS", "ignore"],
    ...(socket === undefined ? [] : names.map((name): [string, string] => [name, proxy])),
  ];
}

function bind(source: string, target: string): string[] {
  return ["--mount", `type=bind,source=${source},target=${target},readonly`];
}
