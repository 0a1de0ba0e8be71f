import { describe, expect, test } from "vitest";
import { callTool, say, scripted } from "../../model/scripted.ts";
import type { JsonObject } from "../../shared/json.ts";
import { dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld, type World } from "../../testing/worlds.ts";

const unknown = (prefix: string) => `${prefix}-00000000-0000-4000-8000-00000000abcd`;
const newest = { limit: 50, order: "desc" } as const;

const source = (name: string, text = "Roll a dice.") =>
  `def ${name}(sides: int, label: str = "d") -> str:\n    """\n    ${text}\n\n    Args:\n        sides (int): Number of sides.\n        label (str): Label to print.\n    """\n    return "4"\n`;

const schema = (name: string, description = "By hand."): JsonObject => ({
  name,
  description,
  parameters: { type: "object", properties: {}, required: [] },
});

async function builtin({ memoir, actor }: World, name: string) {
  const [tool] = await memoir.tools.list(actor, { name }, newest);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool;
}

describe.each(dialects)("%s", (dialect) => {
  test("a tool is described by its source, and reads back as it was answered", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const tool = await memoir.tools.save(actor, { source: source("roll"), tags: ["game", "game"] });
    expect(tool).toMatchObject({
      name: "roll",
      kind: "custom",
      description: "Roll a dice.",
      sourceKind: "json",
      argsSchema: {},
      tags: ["game"],
      returnCharLimit: 50_000,
      needsApproval: null,
      isParallel: false,
      createdBy: actor.userId,
    });
    expect(tool.jsonSchema).toMatchObject({ name: "roll", parameters: { required: ["sides"] } });
    expect(await memoir.tools.get(actor, tool.id)).toEqual(tool);
    await expect(memoir.tools.get(actor, unknown("tool"))).rejects.toMatchObject({ code: "not-found" });
  });

  test("saving the same name keeps the tool and its tags, and puts everything else to what is given", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const first = await memoir.tools.save(actor, {
      source: source("roll"),
      tags: ["game"],
      returnCharLimit: 7,
      needsApproval: true,
      pipRequirements: [{ name: "numpy", version: null }],
    });
    const again = await memoir.tools.save(actor, { source: source("roll", "Roll one dice."), sourceKind: "python" });
    expect(again).toMatchObject({ id: first.id, createdAt: first.createdAt, tags: ["game"] });
    expect(again).toMatchObject({ description: "Roll one dice.", returnCharLimit: 50_000, needsApproval: null });
    expect(again.pipRequirements).toBeNull();
    expect(again.metadata).not.toEqual(first.metadata);
    const made = await Promise.all(
      Array.from({ length: 5 }, () => memoir.tools.save(actor, { source: source("once"), tags: ["a"] })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });

  test("nobody takes the name of a tool that comes with the server or its program, nor one that models refuse", async (context) => {
    const host = {
      name: "find_order",
      description: "d",
      parameters: { type: "object" },
      effect: "read",
      run: () => 1,
    } as const;
    const world = await openWorld(dialect, context, { tools: [host] });
    const { memoir, actor } = world;
    const save = (name: string) => memoir.tools.save(actor, { source: "", jsonSchema: schema(name) });
    for (const name of ["send_message", "memory_str_replace", "find_order"]) {
      await expect(save(name), name).rejects.toMatchObject({ code: "conflict", details: { field: "name" } });
    }
    for (const name of ["", "a b", "ü", "x".repeat(65)]) {
      await expect(save(name), name).rejects.toMatchObject({ code: "invalid-argument" });
    }
    const mine = await save("mine");
    await expect(memoir.tools.update(actor, mine.id, { jsonSchema: schema("find_order") })).rejects.toMatchObject({
      code: "conflict",
    });
    const [hosted] = await memoir.tools.list(actor, { name: "find_order" }, { limit: 1, order: "asc" });
    await expect(memoir.tools.delete(actor, hosted?.id ?? "")).rejects.toMatchObject({ code: "invalid-argument" });
    const found = await builtin(world, "send_message");
    await expect(memoir.tools.update(actor, found.id, { description: "x" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    const limited = await memoir.tools.update(actor, found.id, { returnCharLimit: 10, needsApproval: true });
    expect(limited).toEqual({
      ...found,
      returnCharLimit: 10,
      needsApproval: true,
      updatedAt: limited.updatedAt,
      updatedBy: actor.userId,
    });
  });

  test("a tool that comes with the server can be deleted, and is back with the next list, agent, import or start", async (context) => {
    const { memoir, actor, createAgent, openAnother } = await openWorld(dialect, context);
    const find = async (of = memoir) =>
      await of.tools.list(actor, { name: "memory_insert" }, { limit: 9, order: "asc" });
    const [first] = await find();
    expect(first).toMatchObject({ createdBy: actor.userId, updatedBy: actor.userId });
    const { agent } = await createAgent();
    const held = async () => (await memoir.agents.get(actor, agent.id)).tools.map(({ name }) => name);
    expect(await held()).toContain("memory_insert");
    await memoir.tools.delete(actor, first?.id ?? "");
    expect(await held()).not.toContain("memory_insert");
    const [second, ...others] = await find();
    expect(others).toEqual([]);
    expect(second).toMatchObject({ name: "memory_insert", kind: "sleeptime", createdBy: actor.userId });
    expect(second?.id).not.toBe(first?.id);
    await memoir.tools.delete(actor, second?.id ?? "");
    expect((await createAgent()).tools).toContainEqual(expect.objectContaining({ name: "memory_insert" }));
    const [third] = await find();
    await memoir.tools.delete(actor, third?.id ?? "");
    const started = await openAnother();
    expect(await started.tools.count(actor, { name: "memory_insert" })).toBe(1);
  });

  test("what is said of a tool follows its source, unless somebody wrote it", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const { id } = await memoir.tools.save(actor, { source: source("roll") });
    const reworded = await memoir.tools.update(actor, id, { source: source("roll", "Roll one.") });
    expect(reworded).toMatchObject({ description: "Roll one.", jsonSchema: { description: "Roll one." } });
    const described = await memoir.tools.update(actor, id, { description: "mine", isParallel: undefined });
    expect(described).toMatchObject({ description: "mine", jsonSchema: { description: "Roll one." } });
    const renamed = await memoir.tools.update(actor, id, { source: source("roll_die") });
    expect(renamed).toMatchObject({ name: "roll_die", description: "mine", jsonSchema: { name: "roll_die" } });
    await expect(memoir.tools.update(actor, id, { source: "def broken(" })).rejects.toMatchObject({
      code: "invalid-source",
    });

    const written = await memoir.tools.save(actor, { source: "def own(): pass", jsonSchema: schema("own") });
    const kept = await memoir.tools.update(actor, written.id, { source: source("own") });
    expect(kept.jsonSchema).toEqual(schema("own"));
    await expect(memoir.tools.update(actor, written.id, { source: source("other") })).rejects.toThrow(
      'the new source has no function "own"',
    );
    await expect(memoir.tools.update(actor, written.id, { jsonSchema: schema("roll_die") })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    const both = { source: source("roll_one"), jsonSchema: schema("roll_two") };
    await expect(memoir.tools.update(actor, written.id, both)).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining('the new source has no function "roll_two"'),
    });
    expect((await memoir.tools.get(actor, written.id)).name).toBe("own");
    const withArgs = await memoir.tools.update(actor, written.id, {
      argsSchema: { type: "object", properties: { a: { type: "integer", maximum: 3 } } },
    });
    expect(withArgs.jsonSchema).toMatchObject({ name: "own", parameters: { properties: { a: { maximum: 3 } } } });
    expect(await memoir.tools.get(actor, written.id)).toEqual(withArgs);
  });

  test("lists narrow down by name, id, kind, project and part of a name, and count the same", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const made = [];
    for (const name of ["alpha", "beta_x", "gammaX"]) {
      made.push(await memoir.tools.save(actor, { source: "", jsonSchema: schema(name) }));
    }
    const project = await memoir.tools.save(actor, { source: "", jsonSchema: schema("ours"), projectId: "p" });
    const names = async (filter: object) => {
      const found = (await memoir.tools.list(actor, filter, newest)).map(({ name }) => name);
      expect(await memoir.tools.count(actor, filter)).toBe(found.length);
      return found;
    };
    expect(await names({ kinds: ["custom"] })).toEqual(["ours", "gammaX", "beta_x", "alpha"]);
    expect(await names({ kinds: ["custom"], projectId: "q" })).toEqual(["gammaX", "beta_x", "alpha"]);
    expect(await names({ projectId: "p", ids: [project.id] })).toEqual(["ours"]);
    expect(await names({ name: "beta_x" })).toEqual(["beta_x"]);
    expect(await names({ names: ["alpha", "ours", "none"] })).toEqual(["ours", "alpha"]);
    expect(await names({ search: "X", kinds: ["custom"] })).toEqual(["gammaX", "beta_x"]);
    expect(await names({ search: "a_x" })).toEqual(["beta_x"]);
    expect(await names({ kinds: [] })).toEqual([]);
    const all = await memoir.tools.count(actor);
    expect(await memoir.tools.count(actor, { excludedKinds: ["custom"] })).toBe(all - 4);
    const walked: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await memoir.tools.list(actor, {}, { limit: 3, order: "asc", ...(after ? { after } : {}) });
      if (page.length === 0) break;
      walked.push(...page.map(({ id }) => id));
      after = walked.at(-1);
    }
    expect(walked).toHaveLength(all);
    expect(new Set(walked).size).toBe(all);
  });

  test("a search finds by name and description, best first", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    await memoir.tools.save(actor, { source: "", jsonSchema: schema("roll_dice", "Random numbers."), tags: ["game"] });
    await memoir.tools.save(actor, { source: "", jsonSchema: schema("pick", "Like rolling a dice."), tags: ["fun"] });
    const hits = await memoir.tools.search(actor, { query: "please roll the dice", limit: 10 });
    expect(hits.map(({ tool, wordRank, score }) => [tool.name, wordRank, score])).toEqual([
      ["roll_dice", 1, 0.5 / 61],
      ["pick", 2, 0.5 / 62],
    ]);
    const names = async (input: object) =>
      (await memoir.tools.search(actor, { limit: 10, ...input })).map(({ tool }) => tool.name);
    expect(await names({ query: "dice", tags: ["fun", "other"] })).toEqual(["pick"]);
    expect(await names({ query: "dice", limit: 1 })).toEqual(["roll_dice"]);
    expect(await names({ query: "dice", kinds: ["core"] })).toEqual([]);
    expect(await names({ kinds: ["custom"] })).toEqual(["pick", "roll_dice"]);
    expect(await names({ query: "the", kinds: ["custom"] })).toEqual([]);
  });

  test("a model is offered a tool from the turn after it was attached until it is detached or deleted", async (context) => {
    const model = scripted([say("1"), callTool("roll", { sides: 6 }), say("2"), say("3"), say("4")]);
    const { memoir, actor, createAgent } = await openWorld(dialect, context, { models: { get: () => model } });
    const { agent } = await createAgent();
    const tool = await memoir.tools.save(actor, { source: source("roll") });
    const tell = async () => {
      const messages = [{ role: "user", content: [{ type: "text", text: "go" }] }] as const;
      return await memoir.messages.complete(actor, (await memoir.messages.send(actor, agent.id, { messages })).id);
    };
    const isOffered = () => model.requests.at(-1)?.tools.some(({ name }) => name === "roll");
    await tell();
    expect(isOffered()).toBe(false);
    for (let twice = 0; twice < 2; twice++) await memoir.agentTools.attach(actor, agent.id, tool.id);
    const called = await tell();
    expect(isOffered()).toBe(true);
    expect(model.requests.at(-1)?.tools.find(({ name }) => name === "roll")).toMatchObject({
      description: "Roll a dice.",
    });
    expect(called.messages[1]?.toolReturns).toMatchObject([{ name: "roll" }]);
    for (let twice = 0; twice < 2; twice++) await memoir.agentTools.detach(actor, agent.id, tool.id);
    await tell();
    expect(isOffered()).toBe(false);
    await memoir.agentTools.attach(actor, agent.id, tool.id);
    await memoir.tools.delete(actor, tool.id);
    await tell();
    expect(isOffered()).toBe(false);
    await expect(memoir.tools.delete(actor, tool.id)).rejects.toMatchObject({ code: "not-found" });
  });

  test("a tool that needs approval brings its rule along, and keeps it under another name", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent({ toolRules: [{ type: "max-count", tool: "roll", limit: 2 }] });
    const rules = async () => (await memoir.agents.get(actor, agent.id)).agent.toolRules;
    const before = await rules();
    const tool = await memoir.tools.save(actor, { source: source("roll"), needsApproval: true });
    for (let twice = 0; twice < 2; twice++) await memoir.agentTools.attach(actor, agent.id, tool.id);
    expect(await rules()).toEqual([...before, { type: "approval", tool: "roll" }]);
    await memoir.tools.update(actor, tool.id, { source: source("roll_die") });
    expect(await rules()).toContainEqual({ type: "approval", tool: "roll_die" });
    expect(await rules()).toContainEqual({ type: "max-count", tool: "roll_die", limit: 2 });
    await memoir.agentTools.setApproval(actor, agent.id, "roll_die", false);
    const other = await memoir.tools.save(actor, { source: source("toss"), needsApproval: true });
    await memoir.agents.update(actor, agent.id, { toolIds: [tool.id, other.id] });
    const approvals = async () => (await rules()).filter(({ type }) => type === "approval").map((rule) => rule.tool);
    expect(await approvals()).toEqual(["toss"]);
    await memoir.agentTools.setApproval(actor, agent.id, "toss", false);
    for (let twice = 0; twice < 2; twice++) await memoir.agentTools.setApproval(actor, agent.id, "send_message", true);
    const after = await rules();
    expect(after.filter(({ type }) => type === "approval")).toEqual([{ type: "approval", tool: "send_message" }]);
  });

  test("builtin tools can be called by hand: an edit is kept, a refusal changes nothing", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent({ blocks: [{ label: "human", value: "Name: unknown" }] });
    const run = (name: string, args: JsonObject) => memoir.agentTools.run(actor, agent.id, name, args);
    const edit = { label: "human", old_string: "unknown", new_string: "Ada" };
    expect(await run("memory_replace", edit)).toMatchObject({ status: "success" });
    expect(await run("memory_replace", edit)).toMatchObject({
      status: "error",
      error: expect.stringMatching(/unknown/),
    });
    expect(await run("memory_replace", { label: "human" })).toMatchObject({
      status: "error",
      error: expect.stringMatching(/do not fit/),
    });
    expect((await memoir.blocks.getOfAgent(actor, agent.id, "human")).value).toBe("Name: Ada");
    expect(await run("archival_memory_insert", { content: "The lamp is red." })).toEqual({
      status: "success",
      output: "None",
    });
    expect((await memoir.passages.listOfAgent(actor, agent.id, newest))[0]?.text).toBe("The lamp is red.");
    await expect(run("core_memory_append", {})).rejects.toMatchObject({ code: "not-found" });
  });

  test("an agent's tools come in pages, newest first", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent, tools } = await createAgent();
    const walked: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = { limit: 2, order: "desc", ...(after ? { after } : {}) } as const;
      const found = await memoir.agentTools.list(actor, agent.id, page);
      if (found.length === 0) break;
      walked.push(...found.map(({ id }) => id));
      after = walked.at(-1);
    }
    expect(walked.toSorted()).toEqual(tools.map(({ id }) => id).toSorted());
    await expect(memoir.agentTools.list(actor, unknown("agent"), newest)).rejects.toMatchObject({ code: "not-found" });
  });

  test("tools that come with the server are put back where they are missing, under the ids they have", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, store } = world;
    const before = await memoir.tools.list(actor, {}, { limit: 100, order: "asc" });
    await store.write(
      actor.orgId,
      async (scope) => void (await scope.delete("tool").where("name", "=", "run_code").execute()),
    );
    const restored = await memoir.tools.restoreBase(actor);
    expect(restored.map(({ name }) => name).toSorted()).toEqual(before.map(({ name }) => name).toSorted());
    const kept = (await builtin(world, "send_message")).id;
    expect(kept).toBe(before.find(({ name }) => name === "send_message")?.id);
  });

  test("another organization sees nothing of it", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, createAgent } = world;
    const tool = await memoir.tools.save(actor, { source: source("roll") });
    const { agent } = await createAgent();
    const { memoir: theirs, actor: stranger } = await openNeighbour(world);
    const refused = { code: "not-found" };
    await expect(theirs.tools.get(stranger, tool.id)).rejects.toMatchObject(refused);
    await expect(theirs.tools.update(stranger, tool.id, { description: "x" })).rejects.toMatchObject(refused);
    await expect(theirs.tools.delete(stranger, tool.id)).rejects.toMatchObject(refused);
    await expect(theirs.agentTools.attach(stranger, agent.id, tool.id)).rejects.toMatchObject(refused);
    await expect(theirs.agentTools.setApproval(stranger, agent.id, "roll", true)).rejects.toMatchObject(refused);
    await expect(theirs.agentTools.run(stranger, agent.id, "send_message", {})).rejects.toMatchObject(refused);
    expect(await theirs.tools.search(stranger, { query: "roll dice", limit: 5 })).toEqual([]);
    const own = await theirs.tools.save(stranger, { source: source("roll") });
    expect(own.id).not.toBe(tool.id);
    expect(await memoir.tools.get(actor, tool.id)).toEqual(tool);
  });
});
