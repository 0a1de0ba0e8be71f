/** Tools that require packages, and tools that say where they run: from saving them to their calls. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, type TestContext, test } from "vitest";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { dialects } from "../../testing/databases.ts";
import { makeFakeDocker } from "../../testing/fake-docker.ts";
import { type PackageIndex, startPackageIndex } from "../../testing/package-index.ts";
import { needSandbox } from "../../testing/sandboxes.ts";
import { openNeighbour, openWorld, type World } from "../../testing/worlds.ts";
import type { SandboxSettings } from "./open-sandboxes.ts";

const greet = `
def greet(who: str):
    """
    Greets.

    Args:
        who (str): Whom.
    """
    import greeter
    return greeter.greet(who)
`;

let index: PackageIndex;
let gate: Promise<void> | undefined;

beforeAll(async () => {
  const wheel = (name: string) => ({
    name,
    version: "1.0",
    files: { [`${name}/__init__.py`]: "def greet(who): return 'Hello ' + who\n" },
  });
  index = await startPackageIndex({ wheels: [wheel("greeter"), wheel("other")], gate: async () => gate });
});
afterAll(() => index.close());

function makeSettings(more: SandboxSettings = {}): SandboxSettings {
  const folder = mkdtempSync(join(tmpdir(), "memoir-environments-"));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    installs: { variables: { PIP_INDEX_URL: `${index.address}/simple/` } },
    environments: { folder, waitTimeoutMs: 30_000, ...more.environments },
    ...more,
  };
}

async function attach({ memoir, actor, createAgent }: World, toolId: string): Promise<string> {
  const { agent } = await createAgent();
  await memoir.agentTools.attach(actor, agent.id, toolId);
  return agent.id;
}

const open = (context: TestContext, settings: SandboxSettings) => openWorld("sqlite", context, { sandboxes: settings });

describe.each(dialects)("on %s", (dialect) => {
  test("what a tool requires is installed when it is saved, and its calls find it", async (context) => {
    await needSandbox(context);
    const world = await openWorld(dialect, context, { sandboxes: makeSettings() });
    const { memoir, actor } = world;
    const tool = await memoir.tools.save(actor, {
      source: greet,
      pipRequirements: [{ name: "greeter", version: "1.0" }],
    });
    const plain = await memoir.tools.save(actor, { source: greet.replaceAll("greet(who: str)", "plain(who: str)") });
    const agentId = await attach(world, tool.id);
    const result = await memoir.agentTools.run(actor, agentId, "greet", { who: "Ada" });
    expect(result).toMatchObject({ status: "success", output: "Hello Ada" });
    const environment = await memoir.toolEnvironments.get(actor, tool.id);
    expect(environment).toMatchObject({ sandbox: "local", status: "ready", packages: ["greeter==1.0"], error: null });
    expect(await memoir.toolEnvironments.list(actor)).toEqual([environment]);
    expect(await memoir.toolEnvironments.get(actor, plain.id)).toMatchObject({ status: "none", packages: [] });
    const neighbour = await openNeighbour(world);
    expect(await neighbour.memoir.toolEnvironments.list(neighbour.actor)).toEqual([]);
    await expect(neighbour.memoir.toolEnvironments.get(neighbour.actor, tool.id)).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

test("a call that comes too early, and one whose packages are not there, are told so", async (context) => {
  await needSandbox(context);
  const world = await open(context, makeSettings({ environments: { waitTimeoutMs: 1 } }));
  const { memoir, actor } = world;
  gate = new Promise(() => {});
  onTestFinished(() => {
    gate = undefined;
  });
  const call = { source: greet, args: { who: "Ada" } };
  const early = await memoir.tools.run(actor, { ...call, pipRequirements: [{ name: "greeter" }] });
  expect(early).toMatchObject({
    status: "error",
    error: /^Error executing function greet: greeter are still being installed/,
  });
});

test("a failing installation is told by the call, and can be tried again", async (context) => {
  await needSandbox(context);
  const { memoir, actor } = await open(context, makeSettings());
  const tool = await memoir.tools.save(actor, { source: greet, pipRequirements: [{ name: "nothing-here" }] });
  const run = await memoir.tools.run(actor, {
    source: greet,
    args: { who: "A" },
    pipRequirements: [{ name: "nothing-here" }],
  });
  expect(run).toMatchObject({ status: "error", error: /the package index has no nothing-here that fits this Python/ });
  expect(await memoir.toolEnvironments.get(actor, tool.id)).toMatchObject({ status: "failed", error: /nothing-here/ });
  expect(await memoir.toolEnvironments.build(actor, tool.id)).toMatchObject({ status: "waiting", error: null });
});

test("an organization's requirements hold for all its tools, under those of the tool", async (context) => {
  await needSandbox(context);
  const { memoir, actor } = await open(context, makeSettings());
  await memoir.sandboxConfigs.put(actor, "local", {
    pip_requirements: [{ name: "greeter", version: "9" }, { name: "other" }],
  });
  const tool = await memoir.tools.save(actor, {
    source: greet,
    pipRequirements: [{ name: "greeter", version: "1.0" }],
  });
  expect(await memoir.toolEnvironments.get(actor, tool.id)).toMatchObject({ packages: ["greeter==1.0", "other"] });
  const result = await memoir.tools.run(actor, {
    ...{ source: greet.replace("import greeter", "import greeter, other"), args: { who: "Ada" } },
    pipRequirements: [{ name: "greeter", version: "1.0" }],
  });
  expect(result).toMatchObject({ status: "success", output: "Hello Ada" });
});

test("what is no name of a package is refused before anything is stored", async (context) => {
  const { memoir, actor } = await open(context, makeSettings());
  const odd = [{ name: "--index-url=http://elsewhere" }];
  const refusal = { code: "invalid-argument", details: { field: "pip_requirements" } };
  await expect(memoir.tools.save(actor, { source: greet, pipRequirements: odd })).rejects.toMatchObject(refusal);
  const tool = await memoir.tools.save(actor, { source: greet });
  await expect(memoir.tools.update(actor, tool.id, { pipRequirements: odd })).rejects.toMatchObject(refusal);
  const put = memoir.sandboxConfigs.put(actor, "local", { pip_requirements: odd });
  await expect(put).rejects.toMatchObject(refusal);
  expect((await memoir.tools.get(actor, tool.id)).pipRequirements).toBeNull();
});

describe("where a tool runs", () => {
  const where = greet.replace(/ {4}import greeter\n.*\n/, "    return who\n");
  const sandbox = (kind: string): Sandbox => ({
    kind,
    findFault: async () => undefined,
    run: async () => ({ status: "success", value: kind, changes: [], stdout: [], stderr: [] }),
    close: async () => {},
  });

  async function openChoice(context: TestContext, settings: SandboxSettings = {}) {
    const docker = makeFakeDocker(["python:3.13-slim"]);
    onTestFinished(() => docker.remove());
    const sandboxes = { containers: { program: docker.program }, ...settings };
    const world = await openWorld("sqlite", context, { sandbox: sandbox("local"), sandboxes });
    const tool = await world.memoir.tools.save(world.actor, { source: where });
    const agentId = await attach(world, tool.id);
    const run = () => world.memoir.agentTools.run(world.actor, agentId, "greet", { who: "container" });
    const choose = (name: string) => world.memoir.tools.update(world.actor, tool.id, { metadata: { sandbox: name } });
    return { ...world, run, choose, docker };
  }

  test("as the tool says, else as its organization says, else as the server says", async (context) => {
    const { memoir, actor, run, choose } = await openChoice(context);
    expect(await run()).toMatchObject({ output: "local" });
    await memoir.sandboxConfigs.put(actor, "local", { sandbox: "docker" });
    expect(await run()).toMatchObject({ output: "container" });
    await choose("local");
    expect(await run()).toMatchObject({ output: "local" });
    await memoir.tools.save(actor, { source: where });
    expect(await run()).toMatchObject({ output: "local" });
    const { run: runUsual } = await openChoice(context, { defaultSandbox: "docker" });
    expect(await runUsual()).toMatchObject({ output: "container" });
  });

  test("a sandbox that is not there is a reason, not a reason to run elsewhere", async (context) => {
    const { memoir, actor, run, choose } = await openChoice(context, { containers: { program: "/nowhere/docker" } });
    await choose("docker");
    await expect(run()).rejects.toMatchObject({ code: "forbidden", message: /^Docker does not answer/ });
    const { id } = await choose("docker");
    await memoir.tools.update(actor, id, { pipRequirements: [{ name: "greeter" }] });
    const told = { sandbox: "docker", status: "failed", packages: ["greeter"], error: /^Docker does not answer/ };
    expect(await memoir.toolEnvironments.get(actor, id)).toMatchObject(told);
    await choose("e2b");
    await expect(run()).rejects.toMatchObject({ code: "forbidden", message: /^E2B is not set up: set E2B_API_KEY/ });
    await expect(choose("moon")).rejects.toMatchObject({
      code: "invalid-argument",
      message: /use local, docker, podman, e2b/,
    });
  });
});
