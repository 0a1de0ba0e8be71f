/** Tools at E2B: the package of its makers against a script that speaks its format. No machine of E2B takes part. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, type TestContext, test } from "vitest";
import type { E2bPackage } from "../../packages/core/src/sandbox/e2b/e2b-package.ts";
import { E2bSandbox, type E2bSandboxOptions } from "../../packages/core/src/sandbox/e2b/e2b-sandbox.ts";
import { Environments } from "../../packages/core/src/sandbox/packages/environments.ts";
import { readRequirements } from "../../packages/core/src/sandbox/packages/requirements.ts";
import type { SandboxJob } from "../../packages/core/src/sandbox/sandbox.ts";
import { type ScriptedE2bOptions, startScriptedE2b } from "../../packages/core/src/testing/scripted-e2b.ts";
import { loadForeign } from "../support/foreign-modules.ts";

const key = "e2b_0123456789abcdef0123456789abcdef01234567";
const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(context: TestContext, script: Partial<ScriptedE2bOptions> = {}, options: E2bSandboxOptions = {}) {
  const load = () => loadForeign<E2bPackage>(context, "e2b", "dist", "index.mjs");
  const e2b = await startScriptedE2b({ key, ...script });
  const access = { apiKey: key, apiUrl: e2b.address, sandboxUrl: e2b.address, load };
  const sandbox = new E2bSandbox({ ...access, ...options });
  closing.push(
    () => sandbox.close(),
    () => e2b.close(),
  );
  return { e2b, sandbox };
}

const job = { orgId: "org-1", language: "python", environment: {}, timeoutMs: 20_000, args: {} } as const;
const find = (requests: readonly { line: string; body: unknown }[], line: string) =>
  requests.find((request) => request.line === line)?.body;

test("a Python function runs in a machine of its own, which is ended afterwards", async (context) => {
  const { e2b, sandbox } = await open(context);
  const source =
    "def add(a: int, b: int):\n    import os\n    print('adding', os.environ['SECRET'][:2])\n    return a + b\n";
  const call: SandboxJob = { ...job, source, name: "add", args: { a: 2, b: 3 }, environment: { SECRET: "s3cret" } };
  expect(await sandbox.run(call)).toEqual({
    status: "success",
    value: 5,
    changes: [],
    stdout: ["adding s3\n"],
    stderr: [],
  });
  expect(e2b.machines.size).toBe(0);
  expect(find(e2b.requests, "POST /v2/sandboxes")).toMatchObject({ templateID: "base", allow_internet_access: false });
});

test("a TypeScript function runs, with the hosts it may reach and the template of its organization", async (context) => {
  const { e2b, sandbox } = await open(context, {}, { template: "mine" });
  e2b.templates.add("mine");
  const source = 'export function shout(text: string) { return text + "!"; }';
  const call: SandboxJob = {
    ...job,
    language: "typescript",
    source,
    name: "shout",
    order: ["text"],
    args: { text: "hi" },
  };
  expect(await sandbox.run({ ...call, hosts: ["api.example.org:443"] })).toMatchObject({
    status: "success",
    value: "hi!",
  });
  expect(find(e2b.requests, "POST /v2/sandboxes")).toMatchObject({
    templateID: "mine",
    network: { allowOut: ["api.example.org"], denyOut: ["0.0.0.0/0"] },
  });
});

test("errors, endings without a result, floods and slow calls are results", async (context) => {
  const { e2b, sandbox } = await open(context, {}, { limits: { resultBytes: 5_000, printedBytes: 100 } });
  const run = (body: string, timeoutMs = 20_000) =>
    sandbox.run({ ...job, source: `def f():\n    import os, time\n    ${body}\n`, name: "f", timeoutMs });
  expect(await run("raise ValueError('no')")).toMatchObject({ status: "error", type: "ValueError", message: "no" });
  expect(await run("os._exit(7)")).toMatchObject({ message: "it ended without a result (exit code 7)" });
  expect(await run("return 'x' * 10_000")).toMatchObject({ status: "error", message: /more than fits/ });
  expect((await run("print('y' * 1_000)")).stdout[0]).toMatch(/^y{100}… \[NOTE/);
  expect(await run("time.sleep(30)", 1_000)).toMatchObject({ status: "error", type: "TimeoutError" });
  expect(e2b.machines.size).toBe(0);
});

test("a key that is refused, or missing, and a package that is missing give one sentence", async (context) => {
  const { sandbox } = await open(context, { key: "e2b_other" });
  const refused = await sandbox
    .run({ ...job, source: "def f(): return 1", name: "f" })
    .catch((error: Error) => error.message);
  expect(refused).toMatch(/^E2B did not run it: .*Invalid API key/);
  expect(refused).not.toContain(key);
  expect(await new E2bSandbox({}).findFault()).toBe("E2B is not set up: set E2B_API_KEY to a key of an E2B account");
  expect(await askWithoutPackage()).toMatch(/install it beside, with npm install e2b@2$/);
});

/** As Node sees it: what transforms sources for tests knows packages that are not there. */
async function askWithoutPackage(): Promise<string> {
  const file = join(import.meta.dirname, "../../packages/core/src/sandbox/e2b/e2b-sandbox.ts");
  const code = `import { E2bSandbox } from ${JSON.stringify(file)};
    process.stdout.write(await new E2bSandbox({ apiKey: "key" }).findFault());`;
  return (await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code])).stdout;
}

test("requirements become a template, once", async (context) => {
  const { e2b, sandbox } = await open(context, { build: { lines: ["Collecting greeter"] } });
  const wanted = {
    orgId: "org-1",
    installer: sandbox.installer,
    requirements: readRequirements("python", ["greeter>=1"]),
  };
  const environments = [openEnvironments(), openEnvironments()];
  const views = [];
  for (const each of environments) views.push(await each.obtain(wanted, 30_000));
  expect(views.map(({ status, error }) => [status, error])).toEqual([
    ["ready", null],
    ["ready", null],
  ]);
  const build = e2b.requests.filter(({ line }) => line === "POST /v2/templates/template-1/builds/build-1");
  expect(build).toHaveLength(1);
  expect(JSON.stringify(build[0]?.body)).toContain("--target /opt/memoir/python -- 'greeter>=1'");
  const source =
    "def where():\n    import sys\n    return [path for path in sys.path if path.endswith('/opt/memoir/python')]\n";
  const result = await sandbox.run({ ...job, source, name: "where", packages: views[0]?.folder ?? "" });
  expect(result).toMatchObject({ status: "success", value: [expect.stringContaining("/opt/memoir/python")] });
  expect(find(e2b.requests, "POST /v2/sandboxes")).toMatchObject({
    templateID: expect.stringMatching(/^memoir-[0-9a-f]{32}$/),
  });
});

test("a template that cannot be built says why", async (context) => {
  const lines = ["ERROR: No matching distribution found for nothing-here"];
  const { sandbox } = await open(context, { build: { lines, isFailing: true } });
  const wanted = {
    orgId: "org-1",
    installer: sandbox.installer,
    requirements: readRequirements("python", ["nothing-here"]),
  };
  const view = await openEnvironments().obtain(wanted, 30_000);
  expect(view.error).toMatch(/^nothing-here could not be installed, because the package index has no nothing-here/);
});

function openEnvironments(): Environments {
  const folder = mkdtempSync(join(tmpdir(), "memoir-environments-"));
  const environments = new Environments({ folder });
  closing.unshift(() => environments.close());
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  return environments;
}
