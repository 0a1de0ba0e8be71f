/**
 * Builds what is published: the page, the two libraries (their dependencies stay outside) and the program `memoir`,
 * which carries everything in one file because that halves its start. Type checking is check.ts's work.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, isAbsolute, join, relative } from "node:path";
import { promisify } from "node:util";
import { build, type OutputChunk } from "rolldown";
import { readSourceState, STATE_FILE } from "./build-state.cjs";
import { npmCommand, ROOT, withOurPrograms } from "./install.cjs";
import { writeLicenses } from "./licenses.ts";

type Library = { name: string; entries: string[] };

const LIBRARIES: Library[] = [
  { name: "core", entries: ["index", "threads/thread-main"] },
  { name: "server", entries: ["index", "wire"] },
];
const run = promisify(execFile);
const inPackage = (name: string, ...rest: string[]) => join(ROOT, "packages", name, ...rest);

const begun = performance.now();
// Read before anything is built: a file saved meanwhile must lead to another build.
const state = readSourceState();
for (const name of ["core", "server", "cli"]) rmSync(inPackage(name, "dist"), { recursive: true, force: true });
await Promise.all([buildPage(), bundleProgram(), ...LIBRARIES.map(bundleLibrary)]);
await writeTypes();
cpSync(inPackage("web", "dist"), inPackage("cli", "dist", "web"), { recursive: true });
// Looked for beside the file that reads them, which the bundler has moved.
const grammars = inPackage("core", "src", "tools", "source", "grammars");
for (const name of ["core", "cli"]) cpSync(grammars, inPackage(name, "dist", "grammars"), { recursive: true });
// Every published package carries the licence; the tree keeps one copy.
for (const name of ["core", "server", "web", "cli"]) cpSync(join(ROOT, "LICENSE"), inPackage(name, "LICENSE"));
writeFileSync(STATE_FILE, state);
console.log(`Built in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);

async function buildPage(): Promise<void> {
  const { command, words, shell } = npmCommand(["run", "build", "--silent", "-w", "@memoir/web"]);
  await show(run(command, words, { cwd: ROOT, env: withOurPrograms(process.env), shell }));
}

/**
 * Lazily imported parts become files of their own beside memoir.js; names and line breaks stay, for readable traces. What
 * runs on threads is bundled apart, so that memoir.js stays in one piece.
 */
async function bundleProgram(): Promise<void> {
  const main = await bundleEntry({ memoir: inPackage("cli", "src", "main.ts") });
  const threads = await bundleEntry({ "thread-main": inPackage("core", "src", "threads", "thread-main.ts") });
  writeLicenses(inPackage("cli", "dist", "licenses.md"), [...chunksOf(main), ...chunksOf(threads)]);
}

async function bundleEntry(input: Record<string, string>) {
  const { output } = await build({
    cwd: ROOT,
    input,
    platform: "node",
    resolve: { conditionNames: ["memoir-source", "node"] },
    // Whoever wants them installs them.
    external: ["e2b", "@composio/core"],
    // web-tree-sitter evaluates what grammars bring along; ours bring nothing.
    checks: { eval: false },
    output: {
      dir: inPackage("cli", "dist"),
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
    },
  });
  return output;
}

async function bundleLibrary({ name, entries }: Library): Promise<void> {
  const { output } = await build({
    cwd: ROOT,
    input: Object.fromEntries(entries.map((entry) => [basename(entry), inPackage(name, "src", `${entry}.ts`)])),
    platform: "node",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    output: {
      dir: inPackage(name, "dist"),
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
    },
  });
  checkImports(name, chunksOf(output));
}

/** Inside the workspace any installed package can be imported; whoever installs a library gets only what it names. */
function checkImports(name: string, chunks: OutputChunk[]): void {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(
    readFileSync(inPackage(name, "package.json"), "utf8"),
  );
  const files = new Set(chunks.map((chunk) => chunk.fileName));
  for (const id of chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports])) {
    const owner = id.split("/", id.startsWith("@") ? 2 : 1).join("/");
    if (files.has(id) || isBuiltin(id) || owner in dependencies || owner in peerDependencies) continue;
    throw new Error(`packages/${name} imports "${id}", but its package.json does not name ${owner} as a dependency`);
  }
}

/** One run of the compiler for all libraries, from their entries; then each library's share moves into its dist. */
async function writeTypes(): Promise<void> {
  const folder = mkdtempSync(inPackage("core", "dist", ".types-"));
  const config = {
    extends: relative(folder, join(ROOT, "tsconfig.json")),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: inPackage(""),
      outDir: folder,
    },
    include: [],
    files: LIBRARIES.flatMap(({ name, entries }) => entries.map((entry) => inPackage(name, "src", `${entry}.ts`))),
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  await show(run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]));
  for (const { name } of LIBRARIES) moveTypes(join(folder, name, "src"), inPackage(name, "dist"));
  rmSync(folder, { recursive: true });
}

/** The compiler leaves our `./x.ts` as it is; published, there is only x.js with x.d.ts beside it. */
function moveTypes(from: string, to: string): void {
  for (const path of readdirSync(from, { recursive: true, encoding: "utf8" }).filter((each) =>
    each.endsWith(".d.ts"),
  )) {
    const text = readFileSync(join(from, path), "utf8");
    if (/["'][^"']*\/(core|server)\/src\//.test(text)) {
      throw new Error(`${path} speaks of a type that its package does not export: name it in that package's index.ts`);
    }
    cpSync(join(from, path), join(to, path), { recursive: true });
    writeFileSync(join(to, path), text.replace(/((?:from|import|import\()\s*["']\.[^"']*)\.ts(["'])/g, "$1.js$2"));
  }
}

function chunksOf(output: { type: string }[]): OutputChunk[] {
  return output.filter((part) => part.type === "chunk") as OutputChunk[];
}

/** A tool's own words are only of interest when it fails; then they are all there is to say. */
async function show(running: Promise<unknown>): Promise<void> {
  await running.catch((error: Error & { stdout?: string; stderr?: string }) => {
    console.error(`${error.stdout ?? ""}${error.stderr ?? ""}`.trim() || error.message);
    process.exit(1);
  });
}
