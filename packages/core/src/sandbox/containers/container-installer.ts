/** Installs packages with the pip and npm of an image, in a container with network access and nothing of the host. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInstaller } from "../packages/install-program.ts";
import { type Installer, type InstallOrder, packageFolders } from "../packages/installer.ts";
import { composeNpm, composePip, digestSettings, type InstallSettings } from "../packages/local-installer.ts";
import type { ContainerEngine } from "./container-engine.ts";

export function createContainerInstaller(engine: ContainerEngine, settings: InstallSettings): Installer {
  const { variables = {} } = settings;
  return {
    describe: async (language) => `${engine.kind} ${await engine.getImageId(language)} ${digestSettings(settings)}`,
    async install(order) {
      await engine.getImageId(order.requirements.language);
      const name = `memoir-install-${randomBytes(8).toString("hex")}`;
      writeFileSync(join(order.folder, "package.json"), '{"private":true}');
      const command = composeInstall(engine, name, order, settings);
      const input = { title: command.title, program: engine.program, args: command.args, folder: order.scratch };
      try {
        await runInstaller({ ...input, environment: engine.environment, settings: variables }, order);
      } finally {
        await engine.remove(name);
      }
    },
  };
}

function composeInstall(
  engine: ContainerEngine,
  name: string,
  order: InstallOrder,
  settings: InstallSettings,
): { title: string; args: string[] } {
  const { language } = order.requirements;
  const isPython = language === "python";
  const command = isPython
    ? ["python3", "-I", "-m", ...composePip(`/packages/${packageFolders.python}`, order, settings)]
    : ["npm", ...composeNpm(order)];
  const [program = "", ...rest] = command;
  const args = [
    ...["run", "--rm", "--name", name, "--label", "memoir=install", "--pull", "never", "--log-driver", "none"],
    ...["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", ownerOf(engine)],
    ...[
      "--tmpfs",
      "/tmp",
      "--env",
      "HOME=/scratch",
      "--env",
      "TMPDIR=/scratch",
      "--env",
      "npm_config_cache=/scratch/npm",
    ],
    // Passed by name only, so that the values do not appear in the process list.
    ...Object.keys(settings.variables ?? {}).flatMap((variable) => ["--env", variable]),
    ...["--mount", `type=bind,source=${order.folder},target=/packages`],
    ...["--mount", `type=bind,source=${order.scratch},target=/scratch`, "--workdir", "/packages"],
    ...["--entrypoint", program, engine.getImage(language), ...rest],
  ];
  return { title: isPython ? "pip" : "npm", args };
}

/** Installed files belong to the user of this process; rootless Podman maps that user to root inside. */
function ownerOf({ kind }: ContainerEngine): string {
  return kind === "podman" ? "0:0" : `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
}
