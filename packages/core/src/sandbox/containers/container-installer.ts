/** Installs with the pip and npm of an image, in a container that has a network but nothing of this machine. */
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
      const words = composeInstall(engine, name, order, settings);
      const input = { title: words.title, program: engine.program, words: words.words, folder: order.scratch };
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
): { title: string; words: string[] } {
  const { language } = order.requirements;
  const isPython = language === "python";
  const command = isPython
    ? ["python3", "-I", "-m", ...composePip(`/packages/${packageFolders.python}`, order, settings)]
    : ["npm", ...composeNpm(order)];
  const [program = "", ...rest] = command;
  const words = [
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
    // By name alone: their values reach the container through the command's environment, not through its words.
    ...Object.keys(settings.variables ?? {}).flatMap((variable) => ["--env", variable]),
    ...["--mount", `type=bind,source=${order.folder},target=/packages`],
    ...["--mount", `type=bind,source=${order.scratch},target=/scratch`, "--workdir", "/packages"],
    ...["--entrypoint", program, engine.getImage(language), ...rest],
  ];
  return { title: isPython ? "pip" : "npm", words };
}

/** Files belong to whom this program runs as; Podman calls that root inside, unless this program is root itself. */
function ownerOf({ kind }: ContainerEngine): string {
  return kind === "podman" ? "0:0" : `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
}
