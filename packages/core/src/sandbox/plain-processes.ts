/**
 * Interpreters without isolation, if the operator allows it. They get an empty environment and their own folder and are
 * killed with their process group, but have all privileges of the server's user.
 */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Launcher } from "./launch.ts";
import type { Interpreters } from "./machine.ts";
import { packageFolders } from "./packages/installer.ts";

export function createPlainLauncher(interpreters: Interpreters): Launcher {
  return {
    launch(language, { packages } = {}) {
      const { program, args } = interpreters[language] ?? interpreters.typescript;
      const folder = mkdtempSync(join(tmpdir(), "memoir-tool-"));
      const installed = packages && join(packages, packageFolders[language]);
      // Node resolves packages beside the source.
      if (installed && language === "typescript") symlinkSync(installed, join(folder, packageFolders.typescript));
      return {
        program,
        args: args(folder, false, installed),
        clean: () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  };
}
