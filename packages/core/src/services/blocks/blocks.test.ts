import { describe, expect, onTestFinished, test } from "vitest";
import { defaultOrgId } from "../../shared/ids.ts";
import { listBlockVersions } from "../../store/blocks/block-versions.ts";
import { type BlockFilter, getBlock, writeBlock } from "../../store/blocks/blocks.ts";
import { Store } from "../../store/engine/store.ts";
import { dialects } from "../../testing/databases.ts";
import { findGrowthFault } from "../../testing/growth.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";

const unknownId = "block-00000000-0000-4000-8000-00000000abcd";
const ascending = { limit: 50, order: "asc" } as const;

describe.each(dialects)("%s", (dialect) => {
  test("a label alone makes a block, which reads back as it was answered", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const block = await memoir.blocks.create(actor, { label: "notes", value: "" });
    expect(block).toMatchObject({
      label: "notes",
      value: "",
      charLimit: 100_000,
      description: null,
      metadata: {},
      readOnly: false,
      hidden: null,
      isTemplate: false,
      tags: [],
      version: 1,
      createdBy: actor.userId,
    });
    expect(await memoir.blocks.get(actor, block.id)).toEqual(block);
  });

  test("everything a block can have reads back", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const input = {
      label: "system/human",
      value: "\"quotes\" 'and' \\ü🙂\r\n\ttabs stay\n",
      charLimit: 77,
      description: "who",
      metadata: { deep: [1, { a: null }], ключ: "значение" },
      readOnly: true,
      hidden: true,
      isTemplate: true,
      templateName: "n",
      templateId: "t",
      baseTemplateId: "b",
      deploymentId: "d",
      entityId: "e",
      preserveOnMigration: true,
      projectId: "p",
      tags: ["b", "a", "b"],
    };
    const block = await memoir.blocks.create(actor, input);
    expect(block).toMatchObject({ ...input, tags: ["a", "b"] });
    expect(await memoir.blocks.get(actor, block.id)).toEqual(block);
  });

  test("only the given fields of a block change", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const block = await memoir.blocks.create(actor, { label: "notes", value: "one", tags: ["a"], description: "d" });
    const updated = await memoir.blocks.update(actor, block.id, { value: "two", description: undefined });
    expect(updated).toEqual({ ...block, value: "two", version: 2, updatedAt: updated.updatedAt });
    expect(updated.updatedAt).toBeGreaterThan(block.updatedAt);
    expect(await memoir.blocks.get(actor, block.id)).toEqual(updated);
  });

  test("an update that changes nothing leaves no version behind", async (context) => {
    const { memoir, actor, scope } = await openWorld(dialect, context);
    const input = { label: "notes", value: "one", metadata: { a: 1 }, tags: ["x", "y"] };
    const block = await memoir.blocks.create(actor, input);
    expect(await memoir.blocks.update(actor, block.id, {})).toEqual(block);
    expect(await memoir.blocks.update(actor, block.id, { ...input, tags: ["y", "x"], charLimit: 100_000 })).toEqual(
      block,
    );
    expect(await listBlockVersions(scope, block.id)).toHaveLength(1);
  });

  test("a limit counts code points, and every way to write keeps it", async (context) => {
    const { memoir, actor, createAgent, scope } = await openWorld(dialect, context);
    const fits = "🙂".repeat(10);
    const { agent, blocks } = await createAgent({ blocks: [{ label: "human", value: fits, charLimit: 10 }] });
    const [block] = blocks;
    if (!block) throw new Error("no block");
    const tooLong = {
      code: "invalid-input",
      details: { field: "value" },
      message: expect.stringContaining("11 characters"),
    };
    const over = `${fits}🙂`;
    await expect(memoir.blocks.create(actor, { label: "a", value: over, charLimit: 10 })).rejects.toMatchObject(
      tooLong,
    );
    await expect(memoir.blocks.update(actor, block.id, { value: over })).rejects.toMatchObject(tooLong);
    await expect(memoir.blocks.updateOfAgent(actor, agent.id, "human", { value: over })).rejects.toMatchObject(tooLong);
    await expect(createAgent({ blocks: [{ label: "a", value: over, charLimit: 10 }] })).rejects.toMatchObject(tooLong);
    await expect(memoir.blocks.update(actor, block.id, { charLimit: 9 })).rejects.toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining("10 characters"),
    });
    await expect(memoir.blocks.update(actor, block.id, { charLimit: 0, value: "" })).rejects.toMatchObject({
      code: "invalid-input",
      details: { field: "limit" },
    });
    expect(await memoir.blocks.get(actor, block.id)).toEqual(block);
    expect(await listBlockVersions(scope, block.id)).toHaveLength(1);
    expect(await memoir.blocks.update(actor, block.id, { value: over, charLimit: 11 })).toMatchObject({ version: 2 });
    expect(await memoir.blocks.update(actor, block.id, { value: "", charLimit: 1 })).toMatchObject({ version: 3 });
    expect(await memoir.blocks.count(actor)).toBe(1);
  });

  test("a block needs a label", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const block = await memoir.blocks.create(actor, { label: "a", value: "" });
    for (const label of ["", " \n"]) {
      const refusal = { code: "invalid-input", details: { field: "label" } };
      await expect(memoir.blocks.create(actor, { label, value: "" })).rejects.toMatchObject(refusal);
      await expect(memoir.blocks.update(actor, block.id, { label })).rejects.toMatchObject(refusal);
    }
  });

  test("an agent holds one block of a label, however the second one comes", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent, blocks } = await createAgent({
      blocks: [
        { label: "human", value: "mine" },
        { label: "pets", value: "" },
      ],
    });
    const other = await memoir.blocks.create(actor, { label: "human", value: "other" });
    const taken = { code: "conflict", details: { entity: "block", field: "label" } };
    await expect(memoir.agents.attachBlock(actor, agent.id, other.id)).rejects.toMatchObject(taken);
    await expect(memoir.blocks.updateOfAgent(actor, agent.id, "pets", { label: "human" })).rejects.toMatchObject(taken);
    const ids = [...blocks.map(({ id }) => id), other.id];
    await expect(memoir.agents.update(actor, agent.id, { blockIds: ids })).rejects.toMatchObject(taken);
    expect((await memoir.agents.get(actor, agent.id)).blocks).toEqual(blocks);
    expect((await memoir.blocks.getOfAgent(actor, agent.id, "human")).value).toBe("mine");
  });

  test("a new label follows a shared block to everyone who holds it", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const block = await memoir.blocks.create(actor, { label: "team", value: "we" });
    const first = await createAgent({ blockIds: [block.id] });
    const second = await createAgent({ blockIds: [block.id] });
    await memoir.blocks.updateOfAgent(actor, first.agent.id, "team", { label: "crew" });
    expect((await memoir.blocks.getOfAgent(actor, second.agent.id, "crew")).value).toBe("we");
    await expect(memoir.blocks.getOfAgent(actor, second.agent.id, "team")).rejects.toMatchObject({
      code: "not-found",
      details: { entity: "block", label: "team", agentId: second.agent.id },
    });
    // The old label is free again.
    const next = await memoir.blocks.create(actor, { label: "team", value: "" });
    await memoir.agents.attachBlock(actor, first.agent.id, next.id);
  });

  test("attaching twice is attaching once, also at the same moment", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent();
    const block = await memoir.blocks.create(actor, { label: "notes", value: "" });
    const views = await Promise.all(
      Array.from({ length: 8 }, () => memoir.agents.attachBlock(actor, agent.id, block.id)),
    );
    for (const view of views) expect(view.blocks).toEqual([block]);
    const view = await memoir.agents.update(actor, agent.id, { blockIds: [block.id, block.id] });
    expect(view.blocks).toEqual([block]);
    expect((await createAgent({ blockIds: [block.id, block.id] })).blocks).toEqual([block]);
  });

  test("a detached block stays; one that is not attached cannot be detached", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent, blocks } = await createAgent({ blocks: [{ label: "human", value: "Samira" }] });
    const id = blocks[0]?.id ?? "";
    expect((await memoir.agents.detachBlock(actor, agent.id, id)).blocks).toEqual([]);
    expect((await memoir.blocks.get(actor, id)).value).toBe("Samira");
    for (const missing of [id, unknownId]) {
      await expect(memoir.agents.detachBlock(actor, agent.id, missing)).rejects.toMatchObject({ code: "not-found" });
    }
    await expect(memoir.agents.attachBlock(actor, agent.id, unknownId)).rejects.toMatchObject({
      code: "not-found",
      details: { entity: "block", id: unknownId },
    });
    await expect(memoir.agents.attachBlock(actor, "agent-none", id)).rejects.toMatchObject({
      code: "not-found",
      details: { entity: "agent" },
    });
  });

  test("a deleted block is gone from every agent", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const block = await memoir.blocks.create(actor, { label: "team", value: "we", tags: ["t"] });
    const agents = [await createAgent({ blockIds: [block.id] }), await createAgent({ blockIds: [block.id] })];
    await memoir.blocks.delete(actor, block.id);
    for (const { agent } of agents) expect((await memoir.agents.get(actor, agent.id)).blocks).toEqual([]);
    const gone = { code: "not-found", details: { entity: "block", id: block.id } };
    await expect(memoir.blocks.delete(actor, block.id)).rejects.toMatchObject(gone);
    await expect(memoir.blocks.get(actor, block.id)).rejects.toMatchObject(gone);
    await expect(memoir.blocks.update(actor, block.id, { value: "" })).rejects.toMatchObject(gone);
    expect(await memoir.tags.list(actor, undefined, ascending)).toEqual([]);
  });

  test("deleting a block while it is attached and written loses nothing but the block", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent();
    for (let round = 0; round < 10; round++) {
      const block = await memoir.blocks.create(actor, { label: "notes", value: "" });
      const outcomes = await Promise.allSettled([
        memoir.agents.attachBlock(actor, agent.id, block.id),
        memoir.blocks.update(actor, block.id, { value: "new", tags: ["t"] }),
        memoir.blocks.delete(actor, block.id),
        memoir.agents.attachBlock(actor, agent.id, block.id),
        memoir.blocks.update(actor, block.id, { tags: ["t", "u"] }),
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "not-found" });
      }
      expect(outcomes[2]).toMatchObject({ status: "fulfilled" });
    }
    expect((await memoir.agents.get(actor, agent.id)).blocks).toEqual([]);
  });

  test("fifty lines appended at once by two programs are all there", async (context) => {
    const { memoir, actor, database, scope } = await openWorld(dialect, context);
    const block = await memoir.blocks.create(actor, { label: "log", value: "" });
    const programs = [await Store.open({ database }), await Store.open({ database })];
    onTestFinished(async () => {
      for (const store of programs) await store.close();
    });
    const append = (store: Store, line: string) =>
      store.write(defaultOrgId, async (transaction) => {
        const seen = await getBlock(transaction, block.id);
        await writeBlock(transaction, seen, { value: `${seen.value}${line}\n` }, { kind: "api", userId: null });
      });
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    await Promise.all(lines.map((line, index) => append(programs[index % 2] as Store, line)));
    const { value, version } = await memoir.blocks.get(actor, block.id);
    expect(value.trim().split("\n").sort()).toEqual(lines.sort());
    expect(version).toBe(51);
    // Every version adds one line to the one before.
    const versions = await listBlockVersions(scope, block.id);
    expect(versions.map((each) => each.value.split("\n").length)).toEqual(versions.map((_, index) => index + 1));
  });

  test("updates of different fields at once all count", async (context) => {
    const { memoir, actor, openAnother } = await openWorld(dialect, context);
    const another = await openAnother();
    const block = await memoir.blocks.create(actor, { label: "a", value: "" });
    await Promise.all([
      memoir.blocks.update(actor, block.id, { value: "v" }),
      another.blocks.update(actor, block.id, { description: "d" }),
      memoir.blocks.update(actor, block.id, { charLimit: 5 }),
      another.blocks.update(actor, block.id, { metadata: { m: 1 } }),
      memoir.blocks.update(actor, block.id, { readOnly: true }),
    ]);
    expect(await memoir.blocks.get(actor, block.id)).toMatchObject({
      value: "v",
      description: "d",
      charLimit: 5,
      metadata: { m: 1 },
      readOnly: true,
      version: 6,
    });
  });

  test("tags are replaced as a whole, also by several at once", async (context) => {
    const { memoir, actor, openAnother } = await openWorld(dialect, context);
    const another = await openAnother();
    const block = await memoir.blocks.create(actor, { label: "a", value: "", tags: ["old"] });
    expect((await memoir.blocks.update(actor, block.id, { tags: ["c", "a", "c"] })).tags).toEqual(["a", "c"]);
    expect((await memoir.blocks.update(actor, block.id, { tags: [] })).tags).toEqual([]);
    const sets = Array.from({ length: 10 }, (_, index) => ["every", `only ${index}`]);
    await Promise.all(
      sets.map((tags, index) => (index % 2 ? memoir : another).blocks.update(actor, block.id, { tags })),
    );
    expect(sets).toContainEqual((await memoir.blocks.get(actor, block.id)).tags);
  });

  test("blocks are found by every filter, and counted by the same", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const identity = await memoir.identities.create(actor, { identifierKey: "k1", name: "n", kind: "user" });
    const create = async (label: string, rest: object = {}) =>
      await memoir.blocks.create(actor, { label, value: "", ...rest });
    const human = await create("human", { value: "100% Übung", description: "The Person", tags: ["x", "y"] });
    const persona = await create("persona", { value: "100 ü", tags: ["x"], projectId: "p", templateName: "T" });
    const template = await create("human", { isTemplate: true, value: "a_b\\c" });
    const hidden = await create("human", { hidden: true });
    await createAgent({ blockIds: [human.id, persona.id] });
    await createAgent({ blockIds: [human.id] });
    await memoir.blocks.attachIdentity(actor, persona.id, identity.id);
    const cases: [BlockFilter, string[]][] = [
      [{}, [human.id, persona.id, template.id]],
      [{ showHidden: true }, [human.id, persona.id, template.id, hidden.id]],
      [{ label: "human" }, [human.id, template.id]],
      [{ label: "Human" }, []],
      [{ labels: ["persona", "pets"] }, [persona.id]],
      [{ name: "T" }, [persona.id]],
      [{ isTemplate: true }, [template.id]],
      [{ isTemplate: false }, [human.id, persona.id]],
      [{ projectId: "p" }, [persona.id]],
      [{ tags: ["x"] }, [human.id, persona.id]],
      [{ tags: ["x", "y", "z"] }, [human.id, persona.id]],
      [{ tags: ["x", "y"], matchAllTags: true }, [human.id]],
      [{ tags: ["x", "x"], matchAllTags: true }, [human.id, persona.id]],
      [{ identityId: identity.id }, [persona.id]],
      [{ identifierKeys: ["k1", "k2"] }, [persona.id]],
      [{ identifierKeys: ["k2"] }, []],
      [{ labelSearch: "UMA" }, [human.id, template.id]],
      [{ descriptionSearch: "person" }, [human.id]],
      [{ valueSearch: "0% ü" }, [human.id]],
      [{ valueSearch: "100%" }, [human.id]],
      [{ valueSearch: "a_b" }, [template.id]],
      [{ valueSearch: "_" }, [template.id]],
      [{ valueSearch: "\\" }, [template.id]],
      [{ valueSearch: "ÜBUNG" }, [human.id]],
      [{ agentCountAbove: 1 }, [human.id]],
      [{ agentCountBelow: 1 }, [template.id]],
      [{ agentCounts: [1, 2] }, [human.id, persona.id]],
      [{ agentCounts: [0], showHidden: true }, [template.id, hidden.id]],
      [{ tags: ["x"], labelSearch: "per" }, [persona.id]],
    ];
    for (const [filter, expected] of cases) {
      const found = await memoir.blocks.list(actor, filter, ascending);
      expect(
        found.map(({ id }) => id),
        JSON.stringify(filter),
      ).toEqual(expected);
      expect(await memoir.blocks.count(actor, filter), JSON.stringify(filter)).toBe(expected.length);
    }
  });

  test("a search for a long text takes linear time and holds nobody up", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const block = await memoir.blocks.create(actor, { label: "a", value: "" });
    const search = async (value: string) => {
      await memoir.blocks.update(actor, block.id, { value });
      const valueSearch = value.slice(0, value.length / 2);
      expect(await memoir.blocks.count(actor, { valueSearch: valueSearch.toUpperCase() })).toBe(1);
      expect(await memoir.blocks.count(actor, { valueSearch: `${valueSearch}b` })).toBe(0);
    };
    const letters = { name: "a…", write: (size: number) => "a".repeat(size) };
    expect(await findGrowthFault(search, letters, 20_000)).toBeUndefined();
  });

  test("the blocks of an agent are listed in pages", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const labels = Array.from({ length: 7 }, (_, index) => `b${index}`);
    const { agent, blocks } = await createAgent({
      blocks: labels.map((label) => ({ label, value: "", tags: [label] })),
    });
    const first = await memoir.blocks.listOfAgent(actor, agent.id, { limit: 3, order: "desc" });
    expect(first.map(({ label, tags }) => [label, tags])).toEqual([
      ["b6", ["b6"]],
      ["b5", ["b5"]],
      ["b4", ["b4"]],
    ]);
    const rest = await memoir.blocks.listOfAgent(actor, agent.id, { limit: 9, order: "desc", after: first[2]?.id });
    expect(rest.map(({ label }) => label)).toEqual(["b3", "b2", "b1", "b0"]);
    expect(blocks.map(({ label }) => label)).toEqual(labels);
    await expect(memoir.blocks.listOfAgent(actor, "agent-none", ascending)).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(memoir.blocks.getOfAgent(actor, "agent-none", "b1")).rejects.toMatchObject({
      code: "not-found",
      details: { entity: "agent" },
    });
  });

  test("tags of agents and blocks are one sorted list, in pages, searched without regard to case", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    await memoir.blocks.create(actor, { label: "a", value: "", tags: ["b", "Zoo", "ä", "100%"] });
    await createAgent({ tags: ["b", "a", "zoom", "🙂"] });
    const list = (search?: string, page: object = {}) => memoir.tags.list(actor, search, { ...ascending, ...page });
    const sorted = ["100%", "Zoo", "a", "b", "zoom", "ä", "🙂"];
    expect(await list()).toEqual(sorted);
    expect(await list(undefined, { order: "desc" })).toEqual(sorted.toReversed());
    expect(await list(undefined, { limit: 2, after: "Zoo" })).toEqual(["a", "b"]);
    expect(await list(undefined, { limit: 2, after: "b", order: "desc" })).toEqual(["a", "Zoo"]);
    expect(await list(undefined, { before: "b", after: "100%" })).toEqual(["Zoo", "a"]);
    expect(await list("ZOO")).toEqual(["Zoo", "zoom"]);
    expect(await list("Ä")).toEqual(["ä"]);
    expect(await list("%")).toEqual(["100%"]);
    expect(await list("_")).toEqual([]);
  });

  test("another organization's blocks do not exist", async (context) => {
    const world = await openWorld(dialect, context);
    const neighbour = await openNeighbour(world);
    const block = await world.memoir.blocks.create(world.actor, { label: "a", value: "secret", tags: ["t"] });
    const theirs = await neighbour.memoir.agents.create(neighbour.actor, { model: "memoir/demo" });
    const ours = await world.createAgent({ blockIds: [block.id] });
    const { blocks, agents, tags, identities } = neighbour.memoir;
    const identity = await identities.create(neighbour.actor, { identifierKey: "k", name: "n", kind: "user" });
    const attempts: (() => Promise<unknown>)[] = [
      () => blocks.get(neighbour.actor, block.id),
      () => blocks.update(neighbour.actor, block.id, { value: "" }),
      () => blocks.update(neighbour.actor, block.id, { tags: [] }),
      () => blocks.delete(neighbour.actor, block.id),
      () => blocks.getOfAgent(neighbour.actor, ours.agent.id, "a"),
      () => blocks.updateOfAgent(neighbour.actor, ours.agent.id, "a", { value: "" }),
      () => blocks.listOfAgent(neighbour.actor, ours.agent.id, ascending),
      () => blocks.attachIdentity(neighbour.actor, block.id, identity.id),
      () => agents.attachBlock(neighbour.actor, theirs.agent.id, block.id),
      () => agents.detachBlock(neighbour.actor, ours.agent.id, block.id),
      () => agents.create(neighbour.actor, { model: "memoir/demo", blockIds: [block.id] }),
      () => agents.update(neighbour.actor, theirs.agent.id, { blockIds: [block.id] }),
      () => identities.create(neighbour.actor, { identifierKey: "k2", name: "n", kind: "user", blockIds: [block.id] }),
    ];
    for (const [index, attempt] of attempts.entries()) {
      await expect(attempt(), `attempt ${index}`).rejects.toMatchObject({ code: "not-found" });
    }
    expect(await blocks.list(neighbour.actor, { showHidden: true }, ascending)).toEqual([]);
    expect(await blocks.count(neighbour.actor)).toBe(0);
    expect(await tags.list(neighbour.actor, undefined, ascending)).toEqual([]);
    expect(await world.memoir.blocks.get(world.actor, block.id)).toEqual(block);
  });
});
