/**
 * The program carries its dependencies inside it, so it must carry their licences too. Written from what the bundler
 * really took in, never from a list kept by hand.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputChunk } from "rolldown";

export function writeLicenses(file: string, chunks: OutputChunk[]): void {
  const folders = new Set(chunks.flatMap((chunk) => chunk.moduleIds).flatMap(findPackageFolder));
  const sections = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `## ${name} ${version} (${license ?? "see text"})\n\n${readLicense(folder)}`;
  });
  writeFileSync(file, `# Licences of the packages inside memoir.js\n\n${sections.join("\n\n")}\n`);
}

/** The installed package a module belongs to; nothing for our own sources and the bundler's inventions. */
function findPackageFolder(moduleId: string): string[] {
  const found = /^[^\0]*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(moduleId);
  return found && existsSync(join(found[0], "package.json")) ? [found[0]] : [];
}

function readLicense(folder: string): string {
  const name = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  return name ? readFileSync(join(folder, name), "utf8").trim() : "(the package carries no licence file)";
}
