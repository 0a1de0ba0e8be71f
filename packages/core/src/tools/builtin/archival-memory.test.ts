import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../shared/json.ts";
import { archiveEntity, ensureAgentArchive, findAgentArchive } from "../../store/archives/archives.ts";
import { insertPassages, newPassage } from "../../store/archives/passages.ts";
import { insertEntities } from "../../store/engine/entity.ts";
import { openToolWorld, type ToolUser, type ToolWorld } from "../../testing/builtin-tools.ts";
import { dialects } from "../../testing/databases.ts";

interface Note {
  readonly id: string;
  readonly timestamp: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly relevance: unknown;
}

const file = (user: ToolUser, content: string, tags?: string[]) =>
  user.call("archival_memory_insert", tags ? { content, tags } : { content });

async function find(user: ToolUser, args: JsonObject): Promise<Note[]> {
  return (await user.call("archival_memory_search", args)) as unknown as Note[];
}

const contents = async (user: ToolUser, args: JsonObject) => (await find(user, args)).map(({ content }) => content);

/** Notes with a date of their own, in the agent's archive. */
async function fileAt(world: ToolWorld, notes: Readonly<Record<string, string>>) {
  await world.store.write(world.actor.orgId, async (scope) => {
    const archive = await ensureAgentArchive(scope, { id: world.context.agentId, name: "x", embedding: null }, null);
    const passages = Object.entries(notes).map(([text, at]) => ({
      ...newPassage(scope, { archiveId: archive.id, text, tags: null, createdBy: null }),
      createdAt: Date.parse(at) * 1000,
    }));
    await insertPassages(scope, passages);
  });
}

describe.each(dialects)("%s", (dialect) => {
  test("the first note makes the archive, later ones and searches use it", async (context) => {
    const world = await openToolWorld(dialect, context, { name: "Ana's helper" });
    const { agentId } = world.context;
    expect(await find(world, { query: "tea" })).toEqual([]);
    expect(await findAgentArchive(world.scope, agentId)).toBeUndefined();
    expect(await file(world, "Ana drinks tea", ["drinks", "ana", "drinks", " ", " ana "])).toBeNull();
    expect(await file(world, "Ben drinks coffee")).toBeNull();
    const { agent } = await world.memoir.agents.get(world.actor, agentId);
    expect(await findAgentArchive(world.scope, agentId)).toMatchObject({
      name: "Ana's helper's Archive",
      embedding: agent.embedding,
      createdBy: world.actor.userId,
    });
    const links = await world.scope.select("agent_archive").selectAll().execute();
    expect(links).toMatchObject([{ agent_id: agentId, is_owner: 1 }]);
    expect(await world.scope.select("archive").select("id").execute()).toHaveLength(1);
    expect(await world.scope.select("passage_tag").select("tag").orderBy("tag").execute()).toEqual([
      { tag: "ana" },
      { tag: "drinks" },
    ]);
    expect(await find(world, { query: "who drinks tea?" })).toEqual([
      {
        id: expect.stringMatching(/^passage-/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
        content: "Ana drinks tea",
        tags: ["ana", "drinks"],
        relevance: { fts_rank: 1 },
      },
      expect.objectContaining({ content: "Ben drinks coffee", tags: [], relevance: { fts_rank: 2 } }),
    ]);
  });

  test("many first notes at once share one archive", async (context) => {
    const world = await openToolWorld(dialect, context);
    await Promise.all(Array.from({ length: 12 }, (_, index) => file(world, `tea number ${index}`)));
    expect(await world.scope.select("archive").select("id").execute()).toHaveLength(1);
    expect(await find(world, { query: "tea", top_k: 50 })).toHaveLength(12);
  });

  test("an archive that was given to the agent is used, and shared with its other readers", async (context) => {
    const world = await openToolWorld(dialect, context);
    const other = await world.createUser();
    const stranger = await world.createUser();
    await file(world, "shared tea");
    await file(stranger, "other tea");
    await world.store.write(world.actor.orgId, async (scope) => {
      const archive = await findAgentArchive(scope, world.context.agentId);
      await scope
        .insert("agent_archive", {
          agent_id: other.context.agentId,
          archive_id: archive?.id ?? "",
          is_owner: 0,
          created_at: scope.now(),
        })
        .execute();
    });
    await file(other, "tea from the other");
    for (const user of [world, other]) {
      expect((await contents(user, { query: "tea" })).sort()).toEqual(["shared tea", "tea from the other"]);
    }
    expect(await contents(stranger, { query: "tea" })).toEqual(["other tea"]);
    expect(await world.scope.select("archive").select("id").execute()).toHaveLength(2);
  });

  test("tags and dates narrow before the limit does", async (context) => {
    const world = await openToolWorld(dialect, context, { timezone: "Europe/Paris" });
    await file(world, "tea red", ["red"]);
    await file(world, "tea red and blue", ["red", "blue"]);
    await file(world, "tea blue", ["blue"]);
    for (let index = 0; index < 10; index++) await file(world, "tea tea tea", ["noise"]);
    const tagged = async (args: JsonObject) => (await contents(world, { query: "tea", ...args })).sort();
    expect(await tagged({ tags: ["red"] })).toEqual(["tea red", "tea red and blue"]);
    expect(await tagged({ tags: ["red", "blue"] })).toEqual(["tea blue", "tea red", "tea red and blue"]);
    expect(await tagged({ tags: ["red", "blue", "red"], tag_match_mode: "all" })).toEqual(["tea red and blue"]);
    expect(await tagged({ tags: ["Red"] })).toEqual([]);
    expect(await tagged({ tags: [], top_k: 100 })).toHaveLength(13);
    expect(await tagged({})).toHaveLength(5);
    expect(await tagged({ top_k: 7 })).toHaveLength(7);
    await fileAt(world, {
      "milk late on 31 May": "2025-05-31T21:59:59Z",
      "milk first on 1 June": "2025-05-31T22:00:00Z",
      "milk last on 1 June": "2025-06-01T21:59:59Z",
      "milk on 2 June": "2025-06-01T22:00:00Z",
    });
    const dated = async (args: JsonObject) => (await contents(world, { query: "milk", ...args })).sort();
    expect(await dated({ start_datetime: "2025-06-01", end_datetime: "2025-06-01" })).toEqual([
      "milk first on 1 June",
      "milk last on 1 June",
    ]);
    expect(await dated({ end_datetime: "2025-05-31T22:00:00Z" })).toEqual([
      "milk first on 1 June",
      "milk late on 31 May",
    ]);
    expect(await find(world, { query: "milk", end_datetime: "2025-05-31" })).toMatchObject([
      { timestamp: "2025-05-31T23:59:59+02:00" },
    ]);
  });

  test("a blank question finds nothing, a hostile one is only words", async (context) => {
    const world = await openToolWorld(dialect, context);
    await file(world, "tea \0 \ud800 '; drop table passage; --");
    for (const query of ["", "  ", "***", "the of", '"']) expect(await find(world, { query }), query).toEqual([]);
    for (const query of ['"tea', "tea*", "NEAR(tea", "owner:tea", "tea' or 1=1 --", "drop table"]) {
      expect(await contents(world, { query }), query).toEqual(["tea  \ufffd '; drop table passage; --"]);
    }
  });

  test("notes of other agents and organizations are not found", async (context) => {
    const world = await openToolWorld(dialect, context);
    const other = await world.createUser();
    await file(world, "tea");
    const archive = await findAgentArchive(world.scope, world.context.agentId);
    await file(other, `secret tea ${archive?.id} ${archive?.id.replaceAll("-", "")}`);
    expect(await contents(world, { query: `secret tea ${archive?.id}` })).toEqual(["tea"]);
    expect(await findAgentArchive(world.store.read("org-nobody"), world.context.agentId)).toBeUndefined();
  });

  test("what cannot be filed or searched is refused with what to do", async (context) => {
    const world = await openToolWorld(dialect, context);
    const insert = (args: JsonObject) => world.refuse("archival_memory_insert", args);
    expect(await insert({})).toMatch(/content is required.*Write the note there/);
    expect(await insert({ content: " \n" })).toMatch(
      /content is empty, so nothing was filed\. Call again with the note/,
    );
    expect(await insert({ content: "x".repeat(100_001) })).toMatch(
      /has 100001 characters; a note may have 100000\. Nothing was filed\. Cut it by subject/,
    );
    expect(await insert({ content: "x", tags: [1] })).toMatch(/tags must be a list of texts.*such as \["example"\]/);
    expect(await findAgentArchive(world.scope, world.context.agentId)).toBeUndefined();
    const searching = (args: JsonObject) => world.refuse("archival_memory_search", args);
    expect(await searching({})).toMatch(/query is required.*what the note is about/);
    expect(await searching({ query: "x", tag_match_mode: "some" })).toMatch(/it must be "any" or "all"\. Leave it out/);
    expect(await searching({ query: "x", top_k: 0 })).toMatch(/top_k is 0; it must be at least 1\. Leave it out/);
    expect(await searching({ query: "x", start_datetime: "soon" })).toMatch(/^start_datetime is "soon".*ISO 8601/);
    expect(await searching({ query: "x", end_datetime: "soon" })).toMatch(/^end_datetime is "soon".*ISO 8601/);
  });

  test("the longest note there may be can be filed, whatever its words", async (context) => {
    const world = await openToolWorld(dialect, context);
    const words = Array.from({ length: 40_000 }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000)) + index);
    for (const note of [words.join(" ").slice(0, 100_000), "€".repeat(100_000), "a-".repeat(50_000)]) {
      expect(await file(world, note)).toBeNull();
    }
    expect(await find(world, { query: "一0" })).toHaveLength(1);
  });

  test("losing the race for the archive leaves none behind", async (context) => {
    const world = await openToolWorld(dialect, context);
    const agent = { id: world.context.agentId, name: "x", embedding: null };
    const archives = await Promise.all(
      Array.from({ length: 5 }, () =>
        world.store.write(world.actor.orgId, (scope) => ensureAgentArchive(scope, agent, null)),
      ),
    );
    expect(new Set(archives.map(({ id }) => id)).size).toBe(1);
    expect(await world.scope.select("archive").select("id").execute()).toHaveLength(1);
    await world.store.write(world.actor.orgId, async (scope) => {
      const [archive] = archives;
      if (archive) await insertEntities(scope, archiveEntity, [{ ...archive, id: scope.newId("archive") }]);
    });
    expect((await findAgentArchive(world.scope, agent.id))?.id).toBe(archives[0]?.id);
  });
});
