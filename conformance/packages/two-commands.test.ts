/**
 * The first of the two commands a newcomer types, from a clone with nothing installed, on the machine's own Node and npm.
 * The second, `npm test`, is what runs this.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { ROOT } from "../../scripts/install.cjs";
import { findFreePort } from "../support/guarded.ts";
import { makeEmptyFolder, runOutside, startOutside } from "../support/outside.ts";

const isOffline = Boolean(process.env.MEMOIR_TEST_OFFLINE);
const hasGit = existsSync(join(ROOT, ".git"));
const clone = makeEmptyFolder("clone");
const database = join(makeEmptyFolder("clone-data"), "memoir.db");
const start = (port: number) => ["start", "--", "--port", String(port), "--database", database];

beforeAll(() => {
  if (!hasGit) return;
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", words, { cwd: ROOT, encoding: "utf8" }).split("\0").filter(Boolean);
  // A file that was deleted but is not committed yet is still listed.
  for (const path of paths.filter((each) => existsSync(join(ROOT, each)))) cpSync(join(ROOT, path), join(clone, path));
});

beforeEach((context) => {
  context.skip(isOffline, "MEMOIR_TEST_OFFLINE is set, and a fresh clone asks the registry");
  context.skip(!hasGit, "this is not a git checkout, so nobody can say what a clone would hold");
});

test("npm start on a fresh clone installs, builds, says where it runs, and answers there", async () => {
  const port = await findFreePort();
  const server = await startOutside("npm", start(port), { cwd: clone });
  expect(server.output()).toContain("Installing");
  expect(server.output()).toContain("Building");
  expect(new URL(server.address).port).toBe(String(port));
  const page = await fetch(server.address);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
  expect((await fetch(`${server.address}/v1/health/`)).status).toBe(200);
  await server.stop();
  await expect.poll(() => isAnswering(server.address)).toBe(false);
});

test("a second start neither installs nor builds; a third, on its port, says so in a sentence", async () => {
  const port = await findFreePort();
  const server = await startOutside("npm", start(port), { cwd: clone });
  expect(server.output()).not.toMatch(/Installing|Building/);
  const { status, stderr } = await runOutside("npm", ["--silent", ...start(port)], { cwd: clone });
  expect(status).not.toBe(0);
  expect(stderr).toContain(String(port));
  expect(stderr.trim().split("\n")).toHaveLength(1);
  await server.stop();
  await expect.poll(() => isAnswering(server.address)).toBe(false);
});

async function isAnswering(address: string): Promise<boolean> {
  return fetch(`${address}/v1/health/`).then(
    (answer) => answer.ok,
    () => false,
  );
}
