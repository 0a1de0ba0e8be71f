/**
 * Interpreters without walls, for machines that have none, when the operator says so. They get an empty environment and
 * a folder of their own, and are ended with their process group; whatever the server's user may do, they may do.
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
      const { program, words } = interpreters[language] ?? interpreters.typescript;
      const folder = mkdtempSync(join(tmpdir(), "memoir-tool-"));
      const installed = packages && join(packages, packageFolders[language]);
      // Node looks for packages beside the source.
      if (installed && language === "typescript") symlinkSync(installed, join(folder, packageFolders.typescript));
      return {
        program,
        words: words(folder, false, installed),
        clean: () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  };
}
