/** Tools in containers: the arguments of Docker and the results. A script replaces Docker and isolates nothing. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type FakeDocker, makeFakeDocker } from "../../testing/fake-docker.ts";
import { startPackageIndex } from "../../testing/package-index.ts";
import { Environments } from "../packages/environments.ts";
import { readRequirements } from "../packages/requirements.ts";
import type { SandboxJob } from "../sandbox.ts";
import { ContainerSandbox, type ContainerSandboxOptions } from "./container-sandbox.ts";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const images = ["python:3.13-slim", "node:24-slim"];

function open(held = images, options: Partial<ContainerSandboxOptions> = {}): [ContainerSandbox, FakeDocker] {
  const docker = makeFakeDocker(held);
  const sandbox = new ContainerSandbox({ kind: "docker", program: docker.program, ...options });
  closing.unshift(() => sandbox.close());
  closing.push(() => docker.remove());
  return [sandbox, docker];
}

const job = { orgId: "org-1", language: "python", environment: {}, timeoutMs: 20_000, args: {} } as const;
const add =
  "def add(a: int, b: int):\n    import os\n    print('adding', os.environ['SECRET'][:2])\n    return a + b\n";

test("a Python function runs, with its arguments, its environment and what it prints", async () => {
  const [sandbox] = open();
  const call: SandboxJob = {
    ...job,
    source: add,
    name: "add",
    args: { a: 2, b: 3 },
    environment: { SECRET: "s3cret" },
  };
  expect(await sandbox.run(call)).toEqual({
    status: "success",
    value: 5,
    changes: [],
    stdout: ["adding s3\n"],
    stderr: [],
  });
});

test("a TypeScript function runs, and its error comes back", async () => {
  const [sandbox] = open();
  const source =
    'export function shout(text: string) { if (text === "") throw new RangeError("nothing to say"); return text + "!"; }';
  const call: SandboxJob = { ...job, language: "typescript", source, name: "shout", order: ["text"] };
  expect(await sandbox.run({ ...call, args: { text: "hi" } })).toMatchObject({ status: "success", value: "hi!" });
  const failed = await sandbox.run({ ...call, args: { text: "" } });
  expect(failed).toMatchObject({ status: "error", type: "RangeError", message: "nothing to say" });
});

test("the container has no network, no rights, nothing to write to, and limits; secrets are not among the words", async () => {
  const [sandbox, docker] = open();
  await sandbox.run({ ...job, source: add, name: "add", args: { a: 1, b: 1 }, environment: { SECRET: "s3cret" } });
  const args =
    docker
      .listUses()
      .find(([verb]) => verb === "run")
      ?.join(" ") ?? "";
  for (const wall of [
    ...["--network none", "--read-only", "--cap-drop ALL", "--security-opt no-new-privileges", "--user 65534:65534"],
    ...[
      "--pids-limit 48",
      "--memory 536870912",
      "--memory-swap 536870912",
      "--cpus 1",
      "--ipc none",
      "--pull never",
      "--rm",
    ],
  ]) {
    expect(args).toContain(wall);
  }
  expect(args).not.toContain("s3cret");
  expect(args).not.toContain("--mount");
});

test("hosts are reached through the one way out, and only if the tool may reach any", async () => {
  const [sandbox, docker] = open();
  await sandbox.run({ ...job, source: "def f(): return 1", name: "f", hosts: ["example.org"] });
  const args =
    docker
      .listUses()
      .find(([verb]) => verb === "run")
      ?.join(" ") ?? "";
  expect(args).toMatch(/--mount type=bind,source=\S+out\.sock,target=\/run\/memoir\/out\.sock/);
  expect(args).toContain("--network none");
});

test("what takes too long is ended and its container removed", async () => {
  const [sandbox, docker] = open();
  const source = "def wait():\n    import time\n    time.sleep(60)\n";
  const result = await sandbox.run({ ...job, source, name: "wait", timeoutMs: 1_500 });
  expect(result).toMatchObject({ status: "error", type: "TimeoutError" });
  const [, , name] = docker.listUses().find(([verb]) => verb === "rm") ?? [];
  expect(docker.listUses().find(([verb]) => verb === "run")).toContain(name);
});

test("a tool that ends itself, prints marks or floods its result harms only its own result", async () => {
  const [sandbox] = open(images, { limits: { resultBytes: 5_000, printedBytes: 100 } });
  const run = (body: string) => sandbox.run({ ...job, source: `def f():\n    import os\n    ${body}\n`, name: "f" });
  expect(await run("os._exit(7)")).toMatchObject({
    status: "error",
    message: "it ended without a result (exit code 7)",
  });
  expect(await run("return 'x' * 10_000")).toMatchObject({ status: "error", type: "ValueError" });
  const { stdout } = await run("print('y' * 1_000)");
  expect(stdout[0]).toMatch(/^y{100}… \[NOTE: /);
});

test("without an engine, or without the image, the reason says what to do", async () => {
  const [silent] = open([]);
  expect(await silent.findFault()).toMatch(/^Docker does not answer: start it \(Cannot connect to the Docker daemon/);
  const [bare] = open(["other:1"]);
  expect(await bare.findFault()).toBeUndefined();
  await expect(bare.run({ ...job, source: add, name: "add" })).rejects.toThrow(
    "the image python:3.13-slim is not on this machine: fetch it with docker pull python:3.13-slim",
  );
  const missing = new ContainerSandbox({ kind: "podman", program: "/nowhere/podman" });
  expect(await missing.findFault()).toMatch(/^Podman does not answer/);
});

test("requirements are installed with the image's own pip, in a container that sees nothing but the new folder", async () => {
  const files = { "greeter/__init__.py": "def greet(who): return 'Hello ' + who\n" };
  const index = await startPackageIndex({ wheels: [{ name: "greeter", version: "1.0", files }] });
  closing.push(() => index.close());
  const folder = mkdtempSync(join(tmpdir(), "memoir-environments-"));
  chmodSync(folder, 0o755);
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const environments = new Environments({ folder });
  const [sandbox, docker] = open(images, { installs: { variables: { PIP_INDEX_URL: `${index.address}/simple/` } } });
  const requirements = readRequirements("python", ["greeter"]);
  const view = await environments.obtain({ orgId: "org-1", installer: sandbox.installer, requirements }, 60_000);
  expect(view).toMatchObject({ status: "ready", error: null });
  const args =
    docker
      .listUses()
      .find(([verb]) => verb === "run")
      ?.join(" ") ?? "";
  expect(args).toContain("--env PIP_INDEX_URL ");
  expect(args).not.toContain(index.address);
  expect(args).toContain("--only-binary=:all: --target /packages/python -- greeter");
  const source = "def hello():\n    import greeter\n    return greeter.greet('Ada')\n";
  const result = await sandbox.run({ ...job, source, name: "hello", packages: view.folder ?? "" });
  expect(result).toMatchObject({ status: "success", value: "Hello Ada" });
  expect(docker.listUses().at(-1)?.join(" ")).toMatch(
    /--mount type=bind,source=\S+,target=\/run\/memoir\/python,readonly/,
  );
});
