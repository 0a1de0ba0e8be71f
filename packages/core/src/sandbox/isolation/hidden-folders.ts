/**
 * Sandboxes are shown the system's own folder, `/usr`. Some keep programs and data of theirs below it (images of Node put
 * them into `/usr/src/app`): those folders, and the server's own if they are there, are left empty inside.
 */
import { realpathSync, statSync } from "node:fs";

const usual = ["/usr/src", "/usr/local/src", "/usr/home"];
/** Without these nothing would start. */
const system = /^\/usr(\/local)?(\/(s?bin|lib\w*|share|include|etc))?$/;

/** `own`: folders of the server. */
export function listHiddenFolders(own: readonly string[]): string[] {
  const found = [...usual, ...own].flatMap((folder) => findFolder(folder) ?? []);
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
