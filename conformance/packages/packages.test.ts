/**
 * What we publish, as a stranger gets it: the four tarballs, installed together in an empty folder, and nothing else of
 * this repository within reach.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { isBuilt } from "../../scripts/build-state.cjs";
import { ROOT } from "../../scripts/install.cjs";
import { findFreePort } from "../support/guarded.ts";
import { makeEmptyFolder, type Running, runOutside, startOutside } from "../support/outside.ts";

const isOffline = Boolean(process.env.MEMOIR_TEST_OFFLINE);
const folder = makeEmptyFolder("packages");
const program = join(folder, "node_modules", ".bin", "memoir");

beforeAll(async () => {
  if (isOffline) return;
  if (!isBuilt()) await succeed("node", ["scripts/node24.cjs", "scripts/build.ts"], ROOT);
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs);
  for (const name of ["core", "server", "web", "cli"]) {
    await succeed("npm", ["pack", "--silent", "--pack-destination", tarballs], join(ROOT, "packages", name));
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline", "--ignore-scripts"];
  await succeed("npm", ["install", ...quiet, ...readdirSync(tarballs).map((each) => join(tarballs, each))], folder);
});

beforeEach((context) =>
  context.skip(isOffline, "MEMOIR_TEST_OFFLINE is set, and a stranger's install asks the registry"),
);

test("npx memoir --help names the commands", async () => {
  expect(await succeed("npx", ["--no-install", "memoir", "--help"], folder)).toContain("serve");
});

test("the command runs on the machine's own Node, whichever that is", async () => {
  expect(await succeed("node", [program, "--help"], folder)).toContain("serve");
});

test("memoir serve answers with its page and its health, and SIGTERM ends it with 0", async () => {
  const port = await findFreePort();
  const words = ["serve", "--port", String(port), "--database", join(folder, "flags.db")];
  await expectServer(await startOutside(program, words, { cwd: folder }), port);
});

test("memoir serve takes port and database from the environment", async () => {
  const port = await findFreePort();
  const env = { MEMOIR_PORT: String(port), MEMOIR_DATABASE: join(folder, "environment.db") };
  await expectServer(await startOutside(program, ["serve"], { cwd: folder, env }), port);
});

test("the libraries can be imported", async () => {
  const script = `
    const names = async (id) => Object.keys(await import(id));
    console.log(JSON.stringify([await names("@memoir/core"), await names("@memoir/server"), await names("@memoir/server/wire")]));
  `;
  writeFileSync(join(folder, "import.js"), script);
  const [core, server, wire] = JSON.parse(await succeed("npx", ["--no-install", "node", "import.js"], folder));
  expect(core).toContain("Memoir");
  expect(server).not.toHaveLength(0);
  expect(wire).not.toHaveLength(0);
});

test("the library reads the source of tools", async () => {
  const script = `
    import { Memoir } from "@memoir/core";
    const memoir = new Memoir({ database: ":memory:" });
    await memoir.start();
    const source = { source: "def roll():\\n    'Rolls.'", sourceKind: "python" };
    console.log((await memoir.tools.describe(memoir.defaultActor, source)).name);
    await memoir.close();
  `;
  writeFileSync(join(folder, "describe.js"), script);
  expect(await succeed("npx", ["--no-install", "node", "describe.js"], folder)).toContain("roll");
});

/** Library checks stay on, as some programs have them: neither our types nor those that ours name may have a fault. */
test("the libraries bring types that resolve", async () => {
  const lines = ["@memoir/core", "@memoir/server", "@memoir/server/wire"].map(
    (id, at) => `export * as n${at} from "${id}";`,
  );
  writeFileSync(join(folder, "consumer.ts"), lines.join("\n"));
  const options = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: ["node"] };
  const compilerOptions = { ...options, typeRoots: [join(ROOT, "node_modules", "@types")] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await runOutside("node", [tsc, "-p", folder, "--pretty", "false"], { cwd: folder });
  expect(stdout.split("\n").filter((line) => line.includes("error TS"))).toEqual([]);
});

async function expectServer(server: Running, port: number): Promise<void> {
  expect(new URL(server.address).port).toBe(String(port));
  expect((await fetch(`${server.address}/v1/health/`)).status).toBe(200);
  const page = await fetch(server.address);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
  const source = { code: "export const roll = (sides: number) => sides;", source_type: "typescript" };
  const described = await fetch(`${server.address}/v1/tools/generate-schema`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(source),
  });
  expect(await described.json()).toMatchObject({ name: "roll", parameters: { required: ["sides"] } });
  expect(await server.stop()).toBe(0);
}

async function succeed(command: string, words: string[], cwd: string): Promise<string> {
  const { status, stdout, stderr } = await runOutside(command, words, { cwd });
  expect(status, `${command} ${words.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}
