/** Requirements are installed once, from a local index, and found by the tools that need them. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type PackageIndex, startPackageIndex } from "../../testing/package-index.ts";
import { findPython } from "../interpreters.ts";
import { LocalSandbox } from "../local-sandbox.ts";
import type { SandboxLanguage } from "../sandbox.ts";
import {
  type EnvironmentOptions,
  type EnvironmentRequest,
  Environments,
  type EnvironmentView,
} from "./environments.ts";
import { createLocalInstaller, type LocalInstallerOptions } from "./local-installer.ts";
import { readRequirements } from "./requirements.ts";

const greeter = {
  name: "greeter",
  version: "1.2.0",
  files: { "greeter/__init__.py": "def greet(who): return 'Hello ' + who\n" },
};
const leftpad = {
  name: "padding",
  version: "2.0.0",
  files: {
    "index.js": "module.exports = (text, length) => text.padStart(length, '.');",
    "package.json": JSON.stringify({ scripts: { postinstall: "touch ran-a-script" } }),
  },
};

let index: PackageIndex;
let gate: Promise<void> | undefined;
const closing: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  index = await startPackageIndex({
    wheels: [greeter],
    tarballs: [leftpad],
    sources: ["sourced"],
    gate: async () => gate,
  });
});
afterAll(() => index.close());
afterEach(async () => {
  gate = undefined;
  for (const close of closing.splice(0)) await close();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memoir-environments-"));
  chmodSync(folder, 0o755);
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(options: EnvironmentOptions = {}): Environments {
  const environments = new Environments({ folder: makeFolder(), ...options });
  closing.unshift(() => environments.close());
  return environments;
}

function want(language: SandboxLanguage, packages: string[], options: LocalInstallerOptions = {}): EnvironmentRequest {
  const variables = { PIP_INDEX_URL: `${index.address}/simple/`, npm_config_registry: index.address };
  const installer = createLocalInstaller({ variables, ...options });
  return { orgId: "org-1", installer, requirements: readRequirements(language, packages) };
}

function getFolder({ folder, error }: EnvironmentView): string {
  if (folder === null) throw new Error(`not ready: ${error}`);
  return folder;
}

const waitTimeoutMs = 60_000;
const hasPip = findPython() !== undefined;

describe.skipIf(!hasPip)("Python", () => {
  test("a tool imports what it requires, and the folder cannot be written to", async () => {
    const folder = getFolder(await open().obtain(want("python", ["greeter==1.2.0"]), waitTimeoutMs));
    const sandbox = new LocalSandbox({ isUnsafeAllowed: true });
    closing.unshift(() => sandbox.close());
    const source = [
      "def hello(who: str):",
      "    import greeter, os",
      "    try:",
      "        open(os.path.join(os.path.dirname(greeter.__file__), 'new.py'), 'w')",
      "        return 'written'",
      "    except OSError:",
      "        return greeter.greet(who)",
    ].join("\n");
    const job = { orgId: "org-1", language: "python", name: "hello", environment: {}, timeoutMs: 20_000 } as const;
    const result = await sandbox.run({ ...job, source, args: { who: "Ada" }, packages: folder });
    const isIsolated = await sandbox.isIsolated();
    expect(result).toMatchObject({ status: "success", value: isIsolated ? "Hello Ada" : "written" });
    const without = await sandbox.run({ ...job, source, args: { who: "Ada" } });
    expect(without).toMatchObject({ status: "error", type: "ModuleNotFoundError" });
  });

  test("a set is built once, however many ask, and found again after a restart", async () => {
    const folder = makeFolder();
    const before = index.requests.filter((path) => path.endsWith(".whl")).length;
    const environments = open({ folder });
    const views = await Promise.all(
      [1, 2, 3].map(() => environments.obtain(want("python", ["greeter"]), waitTimeoutMs)),
    );
    expect(new Set(views.map(getFolder)).size).toBe(1);
    const later = await open({ folder }).view(want("python", ["greeter"]));
    expect(later).toMatchObject({ status: "ready", packages: ["greeter"], error: null });
    expect(later.bytes).toBeGreaterThan(0);
    expect(index.requests.filter((path) => path.endsWith(".whl")).length - before).toBe(1);
  });

  test("whoever asks meanwhile is told how far it is", async () => {
    let go = () => {};
    gate = new Promise((resolve) => {
      go = resolve;
    });
    const environments = open();
    const request = want("python", ["greeter"]);
    expect((await environments.view(request)).status).toBe("absent");
    await environments.begin(request);
    const waiting = await environments.obtain(request, 1);
    expect(["waiting", "building"]).toContain(waiting.status);
    expect(waiting.folder).toBeNull();
    go();
    expect((await environments.obtain(request, waitTimeoutMs)).status).toBe("ready");
  });

  test("a package that is not there is named, and the index is not", async () => {
    const view = await open().obtain(want("python", ["no-such-thing==9"]), waitTimeoutMs);
    expect(view.error).toBe(
      "no-such-thing==9 could not be installed, because the package index has no no-such-thing==9 that fits this Python and is ready to install: correct the name or version.",
    );
    expect(view.lines.join("\n")).toContain("No matching distribution");
    expect(JSON.stringify(view)).not.toContain(new URL(index.address).host);
  });

  test("a machine without a network gets one sentence, without the secrets of its settings", async () => {
    const variables = { PIP_INDEX_URL: "http://robot:s3cretword@127.0.0.1:9/simple/" };
    const view = await open().obtain(want("python", ["greeter"], { variables }), waitTimeoutMs);
    expect(view).toMatchObject({ status: "failed" });
    expect(view.error).toMatch(
      /^greeter could not be installed, because the package index cannot be reached from this machine/,
    );
    expect(JSON.stringify(view)).not.toMatch(/s3cretword|robot|127\.0\.0\.1/);
  });

  test("what takes too much room, or too long, is ended and leaves nothing", async () => {
    const folder = makeFolder();
    const large = await open({ folder, maxBytes: 10 }).obtain(want("python", ["greeter"]), waitTimeoutMs);
    expect(large.error).toMatch(/take more than 0 MiB/);
    gate = new Promise(() => {});
    const late = await open({ folder, timeoutMs: 50 }).obtain(want("python", ["greeter"]), waitTimeoutMs);
    expect(late.error).toMatch(/took longer than/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a failed set is left alone for a while, unless someone asks for another try", async () => {
    const environments = open();
    const request = want("python", ["no-such-thing"]);
    await environments.obtain(request, waitTimeoutMs);
    expect((await environments.begin(request)).status).toBe("failed");
    expect((await environments.begin(request, true)).status).toBe("waiting");
  });

  test("packages that have to be built are not even fetched, unless the operator allows it", async () => {
    const isFetched = () => index.requests.includes("/files/sourced-1.0.tar.gz");
    const view = await open().obtain(want("python", ["sourced"]), waitTimeoutMs);
    expect(view.error).toMatch(/has no sourced that fits this Python and is ready to install/);
    expect(isFetched()).toBe(false);
    await open().obtain(want("python", ["sourced"], { isBuildingAllowed: true }), waitTimeoutMs);
    expect(isFetched()).toBe(true);
  });
});

test("a TypeScript tool imports what it requires, and no install script has run", async () => {
  const folder = getFolder(await open().obtain(want("typescript", ["padding@2.0.0"]), waitTimeoutMs));
  expect(existsSync(join(folder, "node_modules/padding/ran-a-script"))).toBe(false);
  const sandbox = new LocalSandbox({ isUnsafeAllowed: true });
  closing.unshift(() => sandbox.close());
  const source =
    'import pad from "padding";\nexport function dots(text: string) { return pad(text, 5) + require("padding")("!", 2); }';
  const result = await sandbox.run({
    ...{ orgId: "org-1", language: "typescript", name: "dots", environment: {}, timeoutMs: 20_000 },
    ...{ source, args: { text: "abc" }, packages: folder },
  });
  expect(result).toMatchObject({ status: "success", value: "..abc.!" });
});

test("an npm package that is not there is named", async () => {
  const view = await open().obtain(want("typescript", ["nothing-here@1.0.0"]), waitTimeoutMs);
  expect(view.error).toBe(
    "nothing-here@1.0.0 could not be installed, because the package index has no nothing-here@1.0.0: correct the name or version.",
  );
});

test("half of a set, left by a process that died, is cleared away; sets that nobody uses go after a while", async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, "building-999999999-abc", "folder"), { recursive: true });
  const environments = open({ folder });
  const ready = getFolder(await environments.obtain(want("typescript", ["padding"]), waitTimeoutMs));
  expect(readdirSync(folder)).toHaveLength(1);
  expect(await environments.removeUnused(30)).toBe(0);
  const old = new Date(Date.now() - 40 * 86_400_000);
  utimesSync(ready, old, old);
  expect(await environments.removeUnused(30)).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});
