import { describe, expect, test } from "vitest";
import { say, scripted } from "../../model/scripted.ts";
import { dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";

const unknown = (prefix: string) => `${prefix}-00000000-0000-4000-8000-00000000abcd`;
const newest = { limit: 50, order: "desc" } as const;
const oldest = { limit: 50, order: "asc" } as const;

describe.each(dialects)("%s", (dialect) => {
  test("an archive reads back as it was answered, can be renamed, and goes with its passages", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const archive = await memoir.archives.create(actor, { name: "facts", description: "d" });
    expect(archive).toMatchObject({ name: "facts", description: "d", embedding: null });
    const lexical = "memoir/lexical-512";
    const named = await memoir.archives.create(actor, { name: "named", embedding: lexical });
    expect(named.embedding).toMatchObject({ handle: lexical });
    expect(await memoir.archives.get(actor, archive.id)).toEqual(archive);
    const renamed = await memoir.archives.update(actor, archive.id, { name: "truths", description: undefined });
    expect(renamed).toEqual({ ...archive, name: "truths", updatedAt: renamed.updatedAt });
    const { agent } = await createAgent();
    await memoir.archives.attach(actor, archive.id, agent.id);
    await memoir.passages.createInArchive(actor, archive.id, [{ text: "one", tags: ["x"] }]);
    await memoir.archives.delete(actor, archive.id);
    for (const gone of [
      () => memoir.archives.get(actor, archive.id),
      () => memoir.archives.update(actor, archive.id, { name: "x" }),
      () => memoir.archives.delete(actor, archive.id),
      () => memoir.passages.createInArchive(actor, archive.id, [{ text: "two" }]),
    ]) {
      await expect(gone()).rejects.toMatchObject({ code: "not-found", details: { entity: "archive" } });
    }
    expect(await memoir.passages.listOfAgent(actor, agent.id, oldest)).toEqual([]);
    expect(await memoir.passages.search(actor, { query: "one", limit: 5 })).toEqual([]);
    await expect(memoir.archives.create(actor, { name: " " })).rejects.toMatchObject({ code: "invalid-input" });
    await expect(memoir.archives.create(actor, { name: "x", embedding: "none/none" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });

  test("an agent has one archive, an archive many agents", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const [first, second] = [await createAgent(), await createAgent()].map(({ agent }) => agent.id);
    if (!first || !second) throw new Error("no agents");
    const shared = await memoir.archives.create(actor, { name: "shared" });
    const other = await memoir.archives.create(actor, { name: "other" });
    for (const agentId of [first, first, second]) await memoir.archives.attach(actor, shared.id, agentId);
    await expect(memoir.archives.attach(actor, other.id, first)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(shared.id),
    });
    const holders = async (archiveId: string, page: object = {}) => {
      const views = await memoir.agents.list(actor, { filter: { archiveId }, page: { ...oldest, ...page } });
      return views.map(({ agent }) => agent.id);
    };
    expect(await holders(shared.id)).toEqual([first, second]);
    expect(await holders(shared.id, { after: first })).toEqual([second]);
    await memoir.passages.createForAgent(actor, first, { text: "Seen by both." });
    expect((await memoir.passages.listOfAgent(actor, second, oldest)).map(({ text }) => text)).toEqual([
      "Seen by both.",
    ]);
    for (let twice = 0; twice < 2; twice++) await memoir.archives.detach(actor, shared.id, first);
    await memoir.archives.detach(actor, other.id, second);
    expect(await holders(shared.id)).toEqual([second]);
    await memoir.archives.attach(actor, other.id, first);
    expect(await holders(other.id)).toEqual([first]);
    await expect(memoir.archives.attach(actor, unknown("archive"), first)).rejects.toMatchObject({ code: "not-found" });
    await expect(memoir.archives.attach(actor, shared.id, unknown("agent"))).rejects.toMatchObject({
      code: "not-found",
    });
  });

  test("archives are listed by name and by agent", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const made = [];
    for (const name of ["a", "b", "a"]) made.push((await memoir.archives.create(actor, { name })).id);
    const [one, two, three] = made;
    const { agent } = await createAgent({ name: "Ada" });
    await memoir.passages.createForAgent(actor, agent.id, { text: "x" });
    const ids = async (filter: object, page: object = {}) =>
      (await memoir.archives.list(actor, filter, { ...newest, ...page })).map(({ id }) => id);
    expect(await ids({ name: "a" })).toEqual([three, one]);
    expect(await ids({ name: "a" }, { order: "asc", after: one })).toEqual([three]);
    expect(await ids({ name: "b" })).toEqual([two]);
    expect(await memoir.archives.list(actor, { agentId: agent.id }, newest)).toMatchObject([{ name: "Ada's Archive" }]);
    expect(await ids({})).toHaveLength(4);
    await expect(ids({ agentId: unknown("agent") })).rejects.toMatchObject({ code: "not-found" });
    await expect(ids({}, { after: unknown("archive") })).rejects.toMatchObject({ code: "not-found" });
  });

  test("passages are filed all or none, with their tags, metadata and moments", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const { id } = await memoir.archives.create(actor, { name: "facts" });
    const [first, second] = await memoir.passages.createInArchive(actor, id, [
      { text: "one", tags: ["y", "x", "y"], metadata: { a: 1 }, createdAt: 1_000_000 },
      { text: "two" },
    ]);
    expect(first).toMatchObject({ archiveId: id, tags: ["x", "y"], metadata: { a: 1 }, createdAt: 1_000_000 });
    expect(second).toMatchObject({ tags: null, metadata: {}, embedding: null, createdBy: actor.userId });
    expect(await memoir.passages.createInArchive(actor, id, [])).toEqual([]);
    const bad = [{ text: "three" }, { text: " " }];
    await expect(memoir.passages.createInArchive(actor, id, bad)).rejects.toMatchObject({ code: "invalid-input" });
    const long = [{ text: "x".repeat(100_001) }];
    await expect(memoir.passages.createInArchive(actor, id, long)).rejects.toMatchObject({ code: "invalid-input" });
    const found = await memoir.passages.search(actor, { archiveId: id, limit: 10 });
    expect(found.map(({ passage, score, wordRank }) => [passage.text, score, wordRank])).toEqual([
      ["one", 0, null],
      ["two", 0, null],
    ]);
    expect(found[0]?.passage).toEqual(first);
  });

  test("a passage is removed from where it is, and from nowhere else", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent();
    const { agent: other } = await createAgent();
    const { id } = await memoir.archives.create(actor, { name: "facts" });
    const [inArchive] = await memoir.passages.createInArchive(actor, id, [{ text: "one" }]);
    const ofAgent = await memoir.passages.createForAgent(actor, agent.id, { text: "two", tags: ["t"] });
    if (!inArchive) throw new Error("not filed");
    await expect(memoir.passages.deleteFromArchive(actor, id, ofAgent.id)).rejects.toMatchObject({
      code: "invalid-argument",
    });
    for (const refused of [
      () => memoir.passages.deleteFromArchive(actor, id, unknown("passage")),
      () => memoir.passages.deleteOfAgent(actor, agent.id, inArchive.id),
      () => memoir.passages.deleteOfAgent(actor, other.id, ofAgent.id),
      () => memoir.passages.deleteOfAgent(actor, agent.id, "nothing"),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: "not-found" });
    }
    await memoir.passages.deleteFromArchive(actor, id, inArchive.id);
    await memoir.passages.deleteOfAgent(actor, agent.id, ofAgent.id);
    expect(await memoir.passages.search(actor, { limit: 10 })).toEqual([]);
    expect(await memoir.passages.search(actor, { tags: ["t"], limit: 10 })).toEqual([]);
  });

  test("what an agent filed comes in pages in both orders, also when all of it is of one moment", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent();
    const archiveId =
      (await memoir.passages.createForAgent(actor, agent.id, { text: "n 0", createdAt: 5 })).archiveId ?? "";
    const many = Array.from({ length: 249 }, (_, index) => ({ text: `n ${index + 1}`, createdAt: 5 }));
    await memoir.passages.createInArchive(actor, archiveId, many);
    for (const order of ["asc", "desc"] as const) {
      const walked: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = { limit: 40, order, ...(after ? { after } : {}) };
        const found = await memoir.passages.listOfAgent(actor, agent.id, page);
        if (found.length === 0) break;
        walked.push(...found.map(({ id }) => id));
        after = walked.at(-1);
      }
      expect(new Set(walked).size).toBe(250);
      expect(walked).toHaveLength(250);
    }
    const texts = async (search: string) =>
      (await memoir.passages.listOfAgent(actor, agent.id, oldest, search)).map(({ text }) => text);
    expect(await texts("N 24")).toHaveLength(11);
    expect(await texts("%")).toEqual([]);
    const { agent: silent } = await createAgent();
    expect(await memoir.passages.listOfAgent(actor, silent.id, oldest)).toEqual([]);
    expect(await memoir.passages.searchOfAgent(actor, silent.id, { query: "n", limit: 5 })).toEqual([]);
  });

  test("a search by words finds within an agent, an archive or everywhere, best first", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent({ timezone: "Europe/Paris" });
    const day = (date: string) => Date.parse(date) * 1000;
    for (const [text, tags, at] of [
      ["The lantern hangs over the river gate.", ["place", "river"], day("2025-06-01T22:30:00Z")],
      ["The market opens at dawn.", ["place"], day("2025-06-02T12:00:00Z")],
      ["A lantern was lit.", null, day("2025-06-03T12:00:00Z")],
    ] as const) {
      await memoir.passages.createForAgent(actor, agent.id, { text, tags, createdAt: at });
    }
    const other = await memoir.archives.create(actor, { name: "other" });
    await memoir.passages.createInArchive(actor, other.id, [{ text: "Another lantern.", tags: ["river"] }]);
    const texts = async (request: object) =>
      (await memoir.passages.search(actor, { limit: 10, ...request })).map(({ passage }) => passage.text);
    const ofAgent = { agentId: agent.id };
    expect(await texts({ ...ofAgent, query: "the river lantern" })).toEqual([
      "The lantern hangs over the river gate.",
      "A lantern was lit.",
    ]);
    expect(await texts({ ...ofAgent, archiveId: other.id, query: "markets" })).toEqual(["The market opens at dawn."]);
    expect(await texts({ archiveId: other.id, query: "lantern" })).toEqual(["Another lantern."]);
    expect((await texts({ query: "lanterns" })).toSorted()).toEqual([
      "A lantern was lit.",
      "Another lantern.",
      "The lantern hangs over the river gate.",
    ]);
    expect(await texts({ query: "lantern", limit: 1 })).toHaveLength(1);
    expect(await texts({ query: "the" })).toEqual([]);
    expect(await texts({ query: "lantern", tags: ["river"] })).toHaveLength(2);
    expect(await texts({ query: "lantern", tags: ["river", "place"], matchAllTags: true })).toHaveLength(1);
    expect(await texts({ ...ofAgent, tags: ["place"] })).toHaveLength(2);
    // In Paris half past ten in the evening of UTC is the next day.
    const until = (text: string) => texts({ ...ofAgent, query: "lantern", end: { name: "end_date", text } });
    expect(await until("2025-06-01")).toEqual([]);
    expect(await until("2025-06-02")).toEqual(["The lantern hangs over the river gate."]);
    expect(await until("2025-06-01T22:30:00Z")).toHaveLength(1);
    const since = { start: { name: "start_date", text: "2025-06-03T14:00" } };
    expect(await texts({ ...ofAgent, query: "lantern", ...since })).toEqual(["A lantern was lit."]);
    const [best] = await memoir.passages.searchOfAgent(actor, agent.id, { query: "river", limit: 5 });
    expect(best).toMatchObject({ timestamp: "2025-06-02T00:30:00.000000+02:00", wordRank: 1, score: 0.5 / 61 });
    await expect(until("yesterday")).rejects.toThrow("end_date");
    for (const place of [{ agentId: unknown("agent") }, { archiveId: unknown("archive") }]) {
      await expect(texts({ ...place, query: "x" })).rejects.toMatchObject({ code: "not-found" });
    }
  });

  test("what is filed over the API stands in the prompt of the next turn", async (context) => {
    const model = scripted([say("1"), say("2")]);
    const { memoir, actor, createAgent } = await openWorld(dialect, context, { models: { get: () => model } });
    const { agent } = await createAgent();
    const tell = async () => {
      const messages = [{ role: "user", content: [{ type: "text", text: "go" }] }] as const;
      await memoir.messages.complete(actor, (await memoir.messages.send(actor, agent.id, { messages })).id);
      return model.requests.at(-1)?.system;
    };
    expect(await tell()).not.toContain("harbour");
    await memoir.passages.createForAgent(actor, agent.id, { text: "x", tags: ["harbour"] });
    expect(await tell()).toContain("harbour");
  });

  test("a text of more tokens than an agent takes at once is refused, and nothing is filed", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent();
    const words = (count: number) => "tea ".repeat(count);
    await expect(memoir.passages.createForAgent(actor, agent.id, { text: words(9000) })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("8192"),
    });
    expect(await memoir.archives.list(actor, { agentId: agent.id }, newest)).toEqual([]);
    await memoir.passages.createForAgent(actor, agent.id, { text: words(4000) });
    expect(await memoir.passages.listOfAgent(actor, agent.id, newest)).toHaveLength(1);
  });

  test("another organization sees nothing of it", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, createAgent } = world;
    const { agent } = await createAgent();
    const passage = await memoir.passages.createForAgent(actor, agent.id, { text: "secret lantern", tags: ["t"] });
    const archiveId = passage.archiveId ?? "";
    const { memoir: theirs, actor: stranger } = await openNeighbour(world);
    expect(await theirs.passages.search(stranger, { query: "lantern", limit: 5 })).toEqual([]);
    expect(await theirs.passages.search(stranger, { tags: ["t"], limit: 5 })).toEqual([]);
    expect(await theirs.archives.list(stranger, {}, newest)).toEqual([]);
    for (const refused of [
      () => theirs.archives.get(stranger, archiveId),
      () => theirs.archives.delete(stranger, archiveId),
      () => theirs.archives.attach(stranger, archiveId, agent.id),
      () => theirs.passages.createInArchive(stranger, archiveId, [{ text: "x" }]),
      () => theirs.passages.deleteFromArchive(stranger, archiveId, passage.id),
      () => theirs.passages.listOfAgent(stranger, agent.id, newest),
      () => theirs.passages.searchOfAgent(stranger, agent.id, { query: "lantern", limit: 5 }),
      () => theirs.passages.search(stranger, { archiveId, query: "lantern", limit: 5 }),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: "not-found" });
    }
    expect(await theirs.passages.sumVectorBytes(stranger)).toBe(0);
  });
});
