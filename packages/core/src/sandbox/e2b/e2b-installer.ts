/**
 * Installs requirements at E2B by building one template per set of packages; the local folder of the set only holds the
 * template's name.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxLanguage } from "../language.ts";
import { describeFault, InstallFault, introduce } from "../packages/install-fault.ts";
import { type Installer, type InstallOrder, packageFolders } from "../packages/installer.ts";
import { composeNpm, composePip, type InstallSettings } from "../packages/local-installer.ts";
import { connect, defaultTemplate, describeE2bError, type E2bAccess, openE2b } from "./e2b-access.ts";

/** Where the templates keep packages. */
const place = "/opt/memoir";
export const remotePackages: Readonly<Record<SandboxLanguage, string>> = {
  python: `${place}/${packageFolders.python}`,
  typescript: `${place}/${packageFolders.typescript}`,
};

const fileName = "template";

/** The operator's pip and npm settings concern the local network and are not sent to E2B. */
export function createE2bInstaller(
  access: E2bAccess,
  base: string = defaultTemplate,
  { isBuildingAllowed = false }: InstallSettings = {},
): Installer {
  return {
    describe: async () => `e2b ${base} ${isBuildingAllowed}`,
    async install(order) {
      const { Template } = await openE2b(access);
      const name = `memoir-${order.name}`;
      const lines: string[] = [];
      const take = ({ message }: { readonly message: string }) => {
        lines.push(message);
        order.onLine(message);
      };
      const connection = connect(access, order.signal);
      try {
        if (!(await Template.exists(name, connection))) {
          const template = Template()
            .fromTemplate(base)
            .runCmd(composeCommand(order, { isBuildingAllowed }), { user: "root" });
          await Template.build(template, name, { ...connection, onBuildLogs: take });
        }
      } catch (error) {
        order.signal.throwIfAborted();
        if (lines.length > 0) throw describeFault("E2B", order.requirements, lines);
        throw new InstallFault(`${introduce(order.requirements.packages)}. ${describeE2bError(error, access).message}`);
      }
      writeFileSync(join(order.folder, fileName), name);
    },
  };
}

export function readTemplate(folder: string): string {
  return readFileSync(join(folder, fileName), "utf8");
}

function composeCommand(order: InstallOrder, settings: InstallSettings): string {
  const args =
    order.requirements.language === "python"
      ? ["python3", "-m", ...composePip(remotePackages.python, order, settings)]
      : ["npm", ...composeNpm(order)];
  return `mkdir -p ${place} && cd ${place} && ${args.map(quote).join(" ")}`;
}

export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
