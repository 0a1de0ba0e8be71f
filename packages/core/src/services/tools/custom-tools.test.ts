/** Tools with a source, from the call of a model or a person to what is recorded. */
import { spawnSync } from "node:child_process";
import { describe, expect, type TestContext, test } from "vitest";
import type { Memoir, MemoirOptions } from "../../memoir.ts";
import type { Model } from "../../model/model.ts";
import { callTool, say, scripted } from "../../model/scripted.ts";
import { LocalSandbox } from "../../sandbox/local-sandbox.ts";
import type { JsonObject } from "../../shared/json.ts";
import { dialects } from "../../testing/databases.ts";
import { needSandbox } from "../../testing/sandboxes.ts";
import { openWorld, type World } from "../../testing/worlds.ts";

const only = (model: Model) => ({ get: () => model });

const remember = `
def remember(fact: str, label: str, agent_state: "AgentState"):
    """
    Keeps a fact.

    Args:
        fact (str): What to keep.
        label (str): Where.
    """
    block = agent_state.memory.get_block(label)
    block.value = block.value + "\\n" + fact
    return "kept"
`;

const environment = `
def environment(names: list[str]):
    """
    Shows variables.

    Args:
        names (list[str]): Which.
    """
    import os
    print("looking")
    return {name: os.environ.get(name) for name in names}
`;

const broken = `
def broken(x: int):
    """
    Always fails.

    Args:
        x (int): Anything.
    """
    raise ValueError(f"bad {x}")
`;

async function openAgent(world: World, source: string, input: JsonObject = {}): Promise<string> {
  const { memoir, actor } = world;
  const tool = await memoir.tools.save(actor, { source, ...input });
  const { agent } = await memoir.agents.create(actor, {
    model: "openai/gpt-4o-mini",
    blocks: [
      { label: "human", value: "Ada" },
      { label: "rules", value: "none", readOnly: true },
    ],
    secrets: { SHARED: "agent", OWN: "agent" },
    toolIds: [tool.id],
  });
  return agent.id;
}

async function tell(memoir: Memoir, agentId: string) {
  const { defaultActor: actor } = memoir;
  const input = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }] };
  const { messages } = await memoir.messages.complete(actor, (await memoir.messages.send(actor, agentId, input)).id);
  return messages.flatMap(({ toolReturns }) => toolReturns ?? []);
}

describe.for(dialects)("%s", (dialect) => {
  const open = async (context: TestContext, options: Partial<MemoirOptions> = {}) => {
    await needSandbox(context);
    return await openWorld(dialect, context, options);
  };

  test("a model calls one, and sees what it returned and printed", async (context) => {
    const model = scripted([callTool("environment", { names: '["OWN"]' }), say("Done.")]);
    const world = await open(context, { models: only(model) });
    expect(await tell(world.memoir, await openAgent(world, environment))).toMatchObject([
      { status: "success", output: '{"OWN":"agent"}', stdout: ["looking\n"], stderr: [] },
    ]);
  });

  test("one that fails tells the model so, and the run goes on", async (context) => {
    const model = scripted([callTool("broken", { x: 1 }), say("Sorry.")]);
    const world = await open(context, { models: only(model) });
    expect(await tell(world.memoir, await openAgent(world, broken))).toMatchObject([
      {
        status: "error",
        output: "Error executing function broken: ValueError: bad 1",
        stderr: [expect.stringContaining('File "tool.py", line 9, in broken')],
      },
    ]);
  });

  test("a value it assigns to a block is kept, with the call as its cause", async (context) => {
    const model = scripted([
      callTool("remember", { fact: "likes tea", label: "human" }, { id: "call_a" }),
      say("Done."),
    ]);
    const world = await open(context, { models: only(model) });
    const agentId = await openAgent(world, remember);
    expect(await tell(world.memoir, agentId)).toMatchObject([{ status: "success", output: "kept" }]);
    const block = await world.memoir.blocks.getOfAgent(world.actor, agentId, "human");
    expect(block.value).toBe("Ada\nlikes tea");
    const [version] = await world.scope
      .select("block_version")
      .selectAll("block_version")
      .where("block_id", "=", block.id)
      .orderBy("version", "desc")
      .limit(1)
      .execute();
    expect(version).toMatchObject({ cause: "tool", agent_id: agentId, tool_call_id: "call_a" });
  });

  test("a block that is read-only, or was changed meanwhile, keeps its value", async (context) => {
    let meanwhile = async () => {};
    const fetchCredentials = async () => {
      await meanwhile();
      return {};
    };
    const world = await open(context, { customTools: { fetchCredentials } });
    const { memoir, actor } = world;
    const agentId = await openAgent(world, remember);
    const run = (label: string) => memoir.agentTools.run(actor, agentId, "remember", { fact: "x", label });
    expect(await run("rules")).toMatchObject({ status: "error", error: expect.stringContaining("read-only") });
    meanwhile = async () => {
      await memoir.blocks.updateOfAgent(actor, agentId, "human", { value: "Grace" });
    };
    expect(await run("human")).toMatchObject({ status: "error", error: expect.stringContaining("someone else") });
    expect((await memoir.blocks.getOfAgent(actor, agentId, "human")).value).toBe("Grace");
  });

  test("it finds variables of its organization, of its agent, and names of its own, later ones winning", async (context) => {
    const customTools = {
      nameTool: ({ agentId }: { agentId: string | undefined }) => ({ WHO: agentId ?? "nobody" }),
      fetchCredentials: async () => ({ FETCHED: "yes", SHARED: "got", ORG: "got" }),
    };
    const world = await open(context, { customTools });
    const { memoir, actor } = world;
    const { id } = await memoir.sandboxConfigs.ensure(actor, "local", {});
    for (const name of ["ORG", "SHARED", "FETCHED", "WHO"]) {
      await memoir.sandboxConfigs.addVariable(actor, id, { name, value: "org", description: null });
    }
    const agentId = await openAgent(world, environment);
    const names = ["ORG", "SHARED", "OWN", "FETCHED", "WHO", "MEMOIR_TEST_POSTGRES"];
    expect(await memoir.agentTools.run(actor, agentId, "environment", { names })).toMatchObject({
      output: {
        ORG: "got",
        SHARED: "agent",
        OWN: "agent",
        FETCHED: "yes",
        WHO: agentId,
        MEMOIR_TEST_POSTGRES: null,
      },
      sandbox: expect.stringMatching(/^\d{60,}$/),
    });
    const call = { source: environment, args: { names }, variables: { OWN: "call" } };
    expect(await memoir.tools.run(actor, call)).toMatchObject({
      output: { OWN: "call", SHARED: "got", WHO: "nobody" },
    });
  });

  test("by hand: what does not fit is refused, what is too long is cut", async (context) => {
    const world = await open(context);
    const { memoir, actor } = world;
    const agentId = await openAgent(world, environment, { returnCharLimit: 20 });
    const run = (args: JsonObject) => memoir.agentTools.run(actor, agentId, "environment", args);
    expect(await run({ names: 5 })).toMatchObject({
      status: "error",
      error: expect.stringContaining("names must be array"),
    });
    const cut = await run({ names: ["A_VERY_LONG_NAME_OF_A_VARIABLE"] });
    expect(cut).toMatchObject({
      output: expect.stringMatching(/^.{20}\.\.\. \[NOTE: function output was truncated: .*limit 20\]$/),
    });
  });

  test("without a sandbox it is refused with the reason, to people and to models", async (context) => {
    const sandbox = new LocalSandbox({ hasIsolation: false });
    const model = scripted([callTool("broken", { x: 1 }), say("Sorry.")]);
    const world = await openWorld(dialect, context, { sandbox, models: only(model) });
    const { memoir, actor } = world;
    const agentId = await openAgent(world, broken);
    await expect(memoir.tools.run(actor, { source: broken, args: { x: 1 } })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("--unsafe-tools"),
    });
    expect(await tell(memoir, agentId)).toMatchObject([
      { status: "error", output: expect.stringContaining("do not run on this machine") },
    ]);
  });
});

test("cancelling the run ends the tool and all it started", async (context) => {
  await needSandbox(context);
  const source = `
def wait():
    """Waits."""
    import subprocess
    subprocess.run(["/bin/sleep", "4444"])
`;
  const world = await openWorld("sqlite", context, { models: only(scripted([callTool("wait", {}), say("Done.")])) });
  const { memoir, actor } = world;
  const agentId = await openAgent(world, source);
  const input = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }] };
  const run = await memoir.messages.send(actor, agentId, input);
  const isRunning = () => spawnSync("ps", ["-eo", "args"]).stdout.toString().includes("sleep 4444");
  await expect.poll(isRunning).toBe(true);
  await memoir.runs.cancel(actor, run.id);
  await expect.poll(isRunning).toBe(false);
});

test("a call takes so long and no longer, and the error says so", async (context) => {
  await needSandbox(context);
  const world = await openWorld("sqlite", context, { customTools: { timeoutMs: 300 } });
  const source = 'def slow():\n    """Waits."""\n    import time\n    time.sleep(60)\n';
  expect(await world.memoir.tools.run(world.actor, { source, args: {} })).toMatchObject({
    status: "error",
    error: "Error executing function slow: TimeoutError: it took longer than 0.3 seconds and was ended",
  });
});
