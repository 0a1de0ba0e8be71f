import { describe, expect, test } from "vitest";
import type { IdentityFilter, IdentityProperty } from "../../store/agents/identities.ts";
import { dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld, type World } from "../../testing/worlds.ts";

const ascending = { limit: 50, order: "asc" } as const;
const unknown = (prefix: string) => `${prefix}-00000000-0000-4000-8000-00000000abcd`;
const property = (key: string, value: IdentityProperty["value"]): IdentityProperty => ({ key, value, type: "string" });

describe.each(dialects)("%s", (dialect) => {
  test("an identity reads back as it was answered", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const plain = await memoir.identities.create(actor, { identifierKey: "samira", name: "Samira", kind: "user" });
    expect(plain).toMatchObject({
      identifierKey: "samira",
      name: "Samira",
      kind: "user",
      projectId: null,
      properties: [],
    });
    const full = await memoir.identities.create(actor, {
      identifierKey: "acme ü/🙂",
      name: "ACME",
      kind: "org",
      projectId: "p",
      properties: [
        { key: "text", value: "t", type: "string" },
        { key: "number", value: 1.5, type: "number" },
        { key: "flag", value: false, type: "boolean" },
        { key: "json", value: { deep: [1, null] }, type: "json" },
      ],
    });
    expect(full.properties).toHaveLength(4);
    for (const identity of [plain, full]) expect(await memoir.identities.get(actor, identity.id)).toEqual(identity);
    await expect(memoir.identities.get(actor, unknown("identity"))).rejects.toMatchObject({
      code: "not-found",
      details: { entity: "identity", id: unknown("identity") },
    });
  });

  test("a key stands for one identity in a project", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const input = { identifierKey: "k", name: "n", kind: "user" } as const;
    const first = await memoir.identities.create(actor, input);
    const other = await memoir.identities.create(actor, { ...input, projectId: "p" });
    const taken = { code: "conflict", details: { entity: "identity", field: "identifier_key" } };
    await expect(memoir.identities.create(actor, input)).rejects.toMatchObject(taken);
    await expect(memoir.identities.create(actor, { ...input, projectId: "p" })).rejects.toMatchObject(taken);
    const second = await memoir.identities.create(actor, { ...input, identifierKey: "k2" });
    await expect(memoir.identities.update(actor, second.id, { identifierKey: "k" })).rejects.toMatchObject(taken);
    expect(await memoir.identities.get(actor, second.id)).toEqual(second);
    expect(await memoir.identities.count(actor)).toBe(3);
    expect(new Set([first.id, other.id, second.id]).size).toBe(3);
  });

  test("an update merges properties by key and changes nothing it does not name", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const properties = [property("a", "1"), property("b", "2")];
    const { id } = await memoir.identities.create(actor, { identifierKey: "k", name: "n", kind: "user", properties });
    const merged = await memoir.identities.update(actor, id, {
      properties: [property("b", "3"), property("c", "4")],
      name: undefined,
    });
    expect(merged).toMatchObject({
      identifierKey: "k",
      name: "n",
      properties: [property("a", "1"), property("b", "3"), property("c", "4")],
    });
    expect(await memoir.identities.get(actor, id)).toEqual(merged);
    const renamed = await memoir.identities.update(actor, id, { name: "m", kind: "other", identifierKey: "k2" });
    expect(renamed).toEqual({ ...merged, name: "m", kind: "other", identifierKey: "k2", updatedAt: renamed.updatedAt });
    await expect(memoir.identities.update(actor, unknown("identity"), { name: "x" })).rejects.toMatchObject({
      code: "not-found",
    });
  });

  test("properties can be replaced as a whole", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const properties = [property("a", "1"), property("b", "2")];
    const { id } = await memoir.identities.create(actor, { identifierKey: "k", name: "n", kind: "user", properties });
    await memoir.identities.replaceProperties(actor, id, [property("z", "9")]);
    expect((await memoir.identities.get(actor, id)).properties).toEqual([property("z", "9")]);
    await memoir.identities.replaceProperties(actor, id, []);
    expect((await memoir.identities.get(actor, id)).properties).toEqual([]);
    await expect(memoir.identities.replaceProperties(actor, unknown("identity"), [])).rejects.toMatchObject({
      code: "not-found",
    });
  });

  test("updates at the same moment lose none of their properties", async (context) => {
    const { memoir, actor, openAnother } = await openWorld(dialect, context);
    const programs = [memoir, await openAnother()];
    const { id } = await memoir.identities.create(actor, { identifierKey: "k", name: "n", kind: "user" });
    const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
    await Promise.all(
      keys.map((key, index) => programs[index % 2]?.identities.update(actor, id, { properties: [property(key, key)] })),
    );
    const { properties } = await memoir.identities.get(actor, id);
    expect(properties.map(({ key }) => key).sort()).toEqual(keys.sort());
  });

  test("links are added by an update and never taken away by one", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor } = world;
    const { agents, blocks } = await makeOwners(world);
    const input = { identifierKey: "k", name: "n", kind: "user" } as const;
    const { id } = await memoir.identities.create(actor, { ...input, agentIds: [agents[0]], blockIds: [blocks[0]] });
    expect(await listLinked(world, id)).toEqual({ agents: [agents[0]], blocks: [blocks[0]] });
    await memoir.identities.update(actor, id, { agentIds: [agents[1], agents[0]], blockIds: [blocks[1]] });
    expect(await listLinked(world, id)).toEqual({ agents, blocks });
    await memoir.identities.update(actor, id, { agentIds: [], blockIds: [], name: "m" });
    expect(await listLinked(world, id)).toEqual({ agents, blocks });
    for (const links of [{ agentIds: [unknown("agent")] }, { blockIds: [unknown("block")] }]) {
      await expect(memoir.identities.update(actor, id, { name: "x", ...links })).rejects.toMatchObject({
        code: "not-found",
      });
      await expect(memoir.identities.create(actor, { ...input, identifierKey: "new", ...links })).rejects.toMatchObject(
        { code: "not-found" },
      );
    }
    expect(await memoir.identities.count(actor, { identifierKey: "new" })).toBe(0);
    expect((await memoir.identities.get(actor, id)).name).toBe("m");
  });

  test("an upsert makes what is missing, and replaces only what it carries", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor } = world;
    const { agents, blocks } = await makeOwners(world);
    const input = { identifierKey: "k", name: "n", kind: "user" } as const;
    const properties = [property("a", "1")];
    const made = await memoir.identities.upsert(actor, {
      ...input,
      properties,
      agentIds: [agents[0]],
      blockIds: [blocks[0]],
    });
    expect(await listLinked(world, made.id)).toEqual({ agents: [agents[0]], blocks: [blocks[0]] });
    const kept = await memoir.identities.upsert(actor, { ...input, name: "m" });
    expect(kept).toEqual({ ...made, name: "m", updatedAt: kept.updatedAt });
    expect(await listLinked(world, made.id)).toEqual({ agents: [agents[0]], blocks: [blocks[0]] });
    const replaced = await memoir.identities.upsert(actor, {
      ...input,
      kind: "org",
      properties: [property("b", "2")],
      agentIds: [agents[1]],
      blockIds: [blocks[1]],
    });
    expect(replaced).toMatchObject({ id: made.id, kind: "org", properties: [property("b", "2")] });
    expect(await listLinked(world, made.id)).toEqual({ agents: [agents[1]], blocks: [blocks[0]] });
    expect(await memoir.identities.get(actor, made.id)).toEqual(replaced);
    const elsewhere = await memoir.identities.upsert(actor, { ...input, projectId: "p" });
    expect(elsewhere.id).not.toBe(made.id);
  });

  test("upserts of a new key at the same moment make one identity, and none of them fails", async (context) => {
    const { memoir, actor, openAnother } = await openWorld(dialect, context);
    const programs = [memoir, await openAnother()];
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        programs[index % 2]?.identities.upsert(actor, { identifierKey: "k", name: `n ${index}`, kind: "user" }),
      ),
    );
    expect(new Set(made.map((identity) => identity?.id)).size).toBe(1);
    expect(await memoir.identities.count(actor)).toBe(1);
  });

  test("attaching to agents and blocks is idempotent, and so is detaching", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor } = world;
    const { agents, blocks } = await makeOwners(world);
    const [agent, block] = [agents[0], blocks[0]];
    const { id } = await memoir.identities.create(actor, { identifierKey: "k", name: "n", kind: "user" });
    for (let time = 0; time < 2; time++) {
      await memoir.agents.attachIdentity(actor, agent, id);
      expect(await memoir.blocks.attachIdentity(actor, block, id)).toEqual(await memoir.blocks.get(actor, block));
    }
    expect(await listLinked(world, id)).toEqual({ agents: [agent], blocks: [block] });
    expect((await memoir.agents.get(actor, agent)).identities.map((identity) => identity.id)).toEqual([id]);
    for (let time = 0; time < 2; time++) {
      await memoir.agents.detachIdentity(actor, agent, id);
      await memoir.blocks.detachIdentity(actor, block, id);
    }
    expect(await listLinked(world, id)).toEqual({ agents: [], blocks: [] });
    const missing = { code: "not-found", details: { entity: "identity" } };
    await expect(memoir.agents.attachIdentity(actor, agent, unknown("identity"))).rejects.toMatchObject(missing);
    await expect(memoir.blocks.detachIdentity(actor, block, unknown("identity"))).rejects.toMatchObject(missing);
    await expect(memoir.agents.attachIdentity(actor, unknown("agent"), id)).rejects.toMatchObject({
      code: "not-found",
      details: { entity: "agent" },
    });
  });

  test("a deleted identity leaves agents and blocks where they are", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor } = world;
    const { agents, blocks } = await makeOwners(world);
    const input = { identifierKey: "k", name: "n", kind: "user", agentIds: agents, blockIds: blocks } as const;
    const { id } = await memoir.identities.create(actor, input);
    await memoir.identities.delete(actor, id);
    expect((await memoir.agents.get(actor, agents[0])).identities).toEqual([]);
    expect(await memoir.blocks.count(actor)).toBe(2);
    for (const attempt of [memoir.identities.get, memoir.identities.delete]) {
      await expect(attempt(actor, id)).rejects.toMatchObject({ code: "not-found" });
    }
    // The key is free again.
    await memoir.identities.create(actor, input);
  });

  test("identities are found by every filter, in pages, and counted by the same", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const create = async (identifierKey: string, name: string, kind: "user" | "org" | "other", projectId?: string) =>
      (await memoir.identities.create(actor, { identifierKey, name, kind, projectId })).id;
    const samira = await create("s", "Samira", "user");
    const acme = await create("a", "100% Amir GmbH", "org", "p");
    const bot = await create("b", "Ümit_bot", "other");
    const cases: [IdentityFilter, string[]][] = [
      [{}, [samira, acme, bot]],
      [{ name: "AMIR" }, [samira, acme]],
      [{ name: "ümit" }, [bot]],
      [{ name: "%" }, [acme]],
      [{ name: "_" }, [bot]],
      [{ identifierKey: "s" }, [samira]],
      [{ identifierKey: "S" }, []],
      [{ kind: "org" }, [acme]],
      [{ projectId: "p" }, [acme]],
      [{ name: "amir", kind: "user" }, [samira]],
    ];
    for (const [filter, expected] of cases) {
      const found = await memoir.identities.list(actor, filter, ascending);
      expect(
        found.map(({ id }) => id),
        JSON.stringify(filter),
      ).toEqual(expected);
      expect(await memoir.identities.count(actor, filter), JSON.stringify(filter)).toBe(expected.length);
    }
    const ids = async (page: object) =>
      (await memoir.identities.list(actor, {}, { limit: 2, order: "desc", ...page })).map(({ id }) => id);
    expect(await ids({})).toEqual([bot, acme]);
    expect(await ids({ after: acme })).toEqual([samira]);
    expect(await ids({ before: acme })).toEqual([bot]);
    await expect(ids({ after: unknown("identity") })).rejects.toMatchObject({ code: "not-found" });
  });

  test("another organization has its own keys, and does not see ours", async (context) => {
    const world = await openWorld(dialect, context);
    const neighbour = await openNeighbour(world);
    const input = { identifierKey: "k", name: "n", kind: "user" } as const;
    const ours = await world.memoir.identities.create(world.actor, input);
    const { identities } = neighbour.memoir;
    const theirs = await identities.upsert(neighbour.actor, input);
    expect(theirs.id).not.toBe(ours.id);
    const attempts = [
      () => identities.get(neighbour.actor, ours.id),
      () => identities.update(neighbour.actor, ours.id, { name: "x" }),
      () => identities.replaceProperties(neighbour.actor, ours.id, []),
      () => identities.delete(neighbour.actor, ours.id),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: "not-found" });
    expect(await identities.list(neighbour.actor, {}, ascending)).toEqual([theirs]);
    expect(await world.memoir.identities.get(world.actor, ours.id)).toEqual(ours);
  });
});

async function makeOwners({ memoir, actor, createAgent }: World) {
  const agents = [(await createAgent()).agent.id, (await createAgent()).agent.id] as const;
  const block = async (label: string) => (await memoir.blocks.create(actor, { label, value: "" })).id;
  return { agents, blocks: [await block("a"), await block("b")] as const };
}

/** The agents and blocks that a list by this identity shows. */
async function listLinked({ memoir, actor }: World, identityId: string) {
  const agents = await memoir.agents.list(actor, { filter: { identityId }, page: ascending });
  const blocks = await memoir.blocks.list(actor, { identityId }, ascending);
  return { agents: agents.map((view) => view.agent.id), blocks: blocks.map(({ id }) => id) };
}
