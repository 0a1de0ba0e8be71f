/** The official npm client, archives and what agents file in them: every method it has for them. */
import type { AgentWire } from "@memoir/server/wire";
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

const unknownId = "00000000-0000-4000-8000-00000000dead";
type Fields = Readonly<Record<string, unknown>>;

async function connect(dialect: DialectName, context: TestContext) {
  const Letta = await loadClient(context);
  const { url } = await startServer(dialect, context);
  const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
  const createAgent = async (more: Fields = {}) => (await client.agents.create({ model: "memoir/demo", ...more })).id;
  return { client, createAgent };
}

const refusal = (status: number, detail: string | RegExp) => ({
  status,
  error: { detail: expect.stringMatching(detail) },
});

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("creates, retrieves, renames, lists, shares and deletes archives", async (context) => {
    const { client, createAgent } = await connect(dialect, context);
    const facts = await client.archives.create({ name: "facts", description: "d" });
    expect(facts).toMatchObject({
      name: "facts",
      description: "d",
      vector_db_provider: "native",
      metadata: null,
      embedding_config: null,
    });
    expect(await client.archives.retrieve(facts.id)).toEqual(facts);
    expect(await client.archives.update(facts.id, { name: "truths", description: null })).toMatchObject({
      name: "truths",
      description: "d",
    });
    const other = await client.archives.create({ name: "other" });
    const names = async (query: Fields) => (await client.archives.list(query)).items.map(({ name }) => name);
    expect(await names({})).toEqual(["other", "truths"]);
    expect(await names({ order: "asc", limit: 1 })).toEqual(["truths"]);
    expect(await names({ after: other.id })).toEqual(["truths"]);
    expect(await names({ name: "other" })).toEqual(["other"]);
    const [first, second] = [await createAgent({ name: "one" }), await createAgent({ name: "two" })];
    for (const agent_id of [first, second, second]) {
      expect(await client.agents.archives.attach(facts.id, { agent_id })).toBeNull();
    }
    const named = await client.archives.create({ name: "named", embedding: "memoir/lexical-512" });
    expect(named).toMatchObject({ embedding_config: { handle: "memoir/lexical-512" } });
    await client.archives.delete(named.id);
    const second409 = client.agents.archives.attach(other.id, { agent_id: first });
    await expect(second409).rejects.toMatchObject(refusal(409, `^CONFLICT: .*${facts.id}`));
    expect(await names({ agent_id: first })).toEqual(["truths"]);
    const holders = await client.get<AgentWire[]>(`/v1/archives/${facts.id}/agents`, { query: { order: "asc" } });
    expect(holders.map(({ name }) => name)).toEqual(["one", "two"]);
    for (let twice = 0; twice < 2; twice++) {
      expect(await client.agents.archives.detach(facts.id, { agent_id: first })).toBeNull();
    }
    expect(await names({ agent_id: first })).toEqual([]);
    await client.archives.delete(facts.id);
    await expect(client.archives.retrieve(facts.id)).rejects.toMatchObject(refusal(404, "^Archive not found"));
    expect(await client.agents.passages.list(second)).toEqual([]);
  });

  test("files passages in an archive, finds them and removes them", async (context) => {
    const { client } = await connect(dialect, context);
    const { id: archive_id } = await client.archives.create({ name: "facts" });
    const fact = await client.archives.passages.create(archive_id, {
      text: "The lantern is red.",
      metadata: { a: 1 },
      tags: ["x"],
      created_at: "2025-06-01T12:00:00Z",
    });
    expect(fact).toMatchObject({
      archive_id,
      text: "The lantern is red.",
      metadata: { a: 1 },
      tags: ["x"],
      created_at: "2025-06-01T12:00:00.000000Z",
      is_deleted: false,
      source_id: null,
    });
    const many = await client.archives.passages.createMany(archive_id, {
      passages: [{ text: "A second lantern.", tags: ["x", "y"] }, { text: "Nothing." }],
    });
    expect(many.map(({ text, tags, metadata }) => [text, tags, metadata])).toEqual([
      ["A second lantern.", ["x", "y"], {}],
      ["Nothing.", null, {}],
    ]);
    expect(await client.archives.passages.createMany(archive_id, { passages: [] })).toEqual([]);
    const texts = async (body: Fields) => (await client.passages.search(body)).map(({ passage }) => passage.text);
    const [hit] = await client.passages.search({ query: "lantern", archive_id, tags: ["y"] });
    expect(hit).toMatchObject({
      passage: { id: many[0]?.id },
      score: 0.5 / 61,
      metadata: { combined_score: 0.5 / 61, fts_rank: 1, vector_rank: null },
    });
    expect(await texts({ query: "lanterns" })).toHaveLength(2);
    expect(await texts({ tags: ["x", "y"], tag_match_mode: "all" })).toEqual(["A second lantern."]);
    expect(await texts({ query: "lantern", end_date: "2025-06-01" })).toEqual(["The lantern is red."]);
    expect(await texts({ query: "lantern", start_date: "2025-06-02T00:00:00Z" })).toEqual(["A second lantern."]);
    expect(await texts({ archive_id, limit: 2 })).toEqual(["The lantern is red.", "A second lantern."]);
    await client.archives.passages.delete(fact.id, { archive_id });
    expect(await texts({ query: "red" })).toEqual([]);
    await expect(client.archives.passages.delete(fact.id, { archive_id })).rejects.toMatchObject({ status: 404 });
    const elsewhere = (await client.archives.create({ name: "elsewhere" })).id;
    const strayed = client.archives.passages.delete(many[0]?.id ?? "", { archive_id: elsewhere });
    await expect(strayed).rejects.toMatchObject(refusal(400, "is not in archive"));
    expect(await client.get<number>("/v1/embeddings/total_storage_size")).toBe(0);
  });

  test("files, lists, searches and removes what belongs to an agent", async (context) => {
    const { client, createAgent } = await connect(dialect, context);
    const agent_id = await createAgent({ name: "Ada", timezone: "Asia/Tokyo" });
    const [made, ...others] = await client.agents.passages.create(agent_id, {
      text: "The lantern hangs over the river gate.",
      tags: ["place"],
      created_at: "2025-06-01T12:00:00.123456Z",
    });
    expect(others).toEqual([]);
    expect(made).toMatchObject({ embedding: null, embedding_config: null });
    expect(await client.agents.retrieve(agent_id)).toMatchObject({ embedding: null, embedding_config: null });
    await client.agents.passages.create(agent_id, { text: "The market opens at dawn." });
    expect((await client.archives.list({ agent_id })).items).toMatchObject([
      { name: "Ada's Archive", embedding_config: null },
    ]);
    const listed = async (query: Fields = {}) =>
      (await client.agents.passages.list(agent_id, query)).map(({ text }) => text.slice(0, 11));
    expect(await listed()).toEqual(["The lantern", "The market "]);
    expect(await listed({ ascending: false, limit: 1 })).toEqual(["The market "]);
    expect(await listed({ after: made?.id })).toEqual(["The market "]);
    expect(await listed({ search: "RIVER" })).toEqual(["The lantern"]);
    const found = await client.agents.passages.search(agent_id, { query: "a lantern", top_k: 3, tags: ["place"] });
    expect(found).toEqual({
      count: 1,
      results: [
        {
          id: made?.id,
          content: "The lantern hangs over the river gate.",
          timestamp: "2025-06-01T21:00:00.123456+09:00",
          tags: ["place"],
        },
      ],
    });
    expect(await client.agents.passages.search(agent_id, { query: " " })).toEqual({ results: [], count: 0 });
    const dated = (query: Fields) => client.agents.passages.search(agent_id, { query: "lantern market", ...query });
    expect(await dated({ end_datetime: "2025-06-01" })).toMatchObject({ count: 1 });
    expect(await dated({ start_datetime: "2025-06-02T00:00" })).toMatchObject({ count: 1 });
    expect(await client.agents.passages.delete(made?.id ?? "", { agent_id })).toEqual({
      message: `Memory id=${made?.id} successfully deleted`,
    });
    expect(await listed()).toEqual(["The market "]);
  });

  test("is told plainly what cannot be", async (context) => {
    const { client, createAgent } = await connect(dialect, context);
    const agent_id = await createAgent();
    const { id: archive_id } = await client.archives.create({ name: "facts" });
    await expect(client.archives.create({})).rejects.toMatchObject(refusal(422, "Field required"));
    await expect(client.archives.create({ name: "x", embedding: "none/none" })).rejects.toMatchObject(
      refusal(400, "none/none"),
    );
    await expect(client.archives.retrieve("archive-1")).rejects.toMatchObject(refusal(422, "archive-{uuid4}"));
    await expect(client.agents.archives.attach("x", { agent_id })).rejects.toMatchObject(
      refusal(400, "^INVALID_ARGUMENT: Invalid archive ID format: x"),
    );
    const file = (body: Fields) => client.archives.passages.create(archive_id, body);
    await expect(file({ text: " " })).rejects.toMatchObject(refusal(422, "text is empty"));
    await expect(file({ text: "x", created_at: "soon" })).rejects.toMatchObject(refusal(422, "valid datetime"));
    await expect(client.agents.passages.create(agent_id, { text: "tea ".repeat(9000) })).rejects.toMatchObject(
      refusal(400, "8192"),
    );
    const search = (query: Fields) => client.agents.passages.search(agent_id, { query: "x", ...query });
    await expect(search({ end_datetime: "soon" })).rejects.toMatchObject(refusal(400, "end_datetime"));
    await expect(search({ tag_match_mode: "some" })).rejects.toMatchObject({ status: 422 });
    await expect(search({ top_k: 0 })).rejects.toMatchObject({ status: 422 });
    await expect(client.get(`/v1/agents/${agent_id}/archival-memory/search`)).rejects.toMatchObject({ status: 422 });
    await expect(client.passages.search({ limit: 101 })).rejects.toMatchObject({ status: 422 });
    await expect(client.passages.search({ agent_id: `agent-${unknownId}` })).rejects.toMatchObject({ status: 404 });
    await expect(client.passages.search({ archive_id: `archive-${unknownId}` })).rejects.toMatchObject({ status: 404 });
    const gone = client.agents.passages.delete(`passage-${unknownId}`, { agent_id });
    await expect(gone).rejects.toMatchObject(refusal(404, "^Passage not found"));
    const lost = client.agents.passages.list(agent_id, { after: `passage-${unknownId}` });
    expect(await lost).toEqual([]);
  });
});
