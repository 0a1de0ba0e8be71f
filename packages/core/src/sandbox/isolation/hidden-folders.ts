/**
 * Sandboxes see the host's `/usr`. Some images keep programs and data below it (Node images use `/usr/src/app`); those
 * folders, and the server's own, are hidden.
 */
import { realpathSync, statSync } from "node:fs";

const hiddenByDefault = ["/usr/src", "/usr/local/src", "/usr/home"];
/** Needed to start any program. */
const system = /^\/usr(\/local)?(\/(s?bin|lib\w*|share|include|etc))?$/;

/** `own`: folders of the server. */
export function listHiddenFolders(own: readonly string[]): string[] {
  const found = [...hiddenByDefault, ...own].flatMap((folder) => findFolder(folder) ?? []);
  const hidden = [...new Set(found)].filter((folder) => folder.startsWith("/usr/") && !system.test(folder));
  return hidden.filter((folder) => !hidden.some((other) => folder.startsWith(`${other}/`)));
}

function findFolder(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
