/** The official npm client against our server: what it sends, what it gets back, and how it takes a refusal. */
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { type LettaClient, loadClient } from "../support/npm-client.ts";
import { startServer, type TestServerOptions } from "../support/server.ts";

const model = "openai/gpt-4o-mini";
const unknownId = "00000000-0000-4000-8000-00000000dead";

async function connect(dialect: DialectName, context: TestContext, options?: TestServerOptions) {
  const Letta = await loadClient(context);
  const server = await startServer(dialect, context, options);
  const requests: string[] = [];
  const counted: typeof fetch = (input, init) => {
    requests.push(`${init?.method ?? "GET"} ${new URL(String(input)).pathname}`);
    return fetch(input, init);
  };
  const open = (settings: Record<string, unknown> = {}) =>
    new Letta({ baseURL: server.url, apiKey: "any", fetch: counted, ...settings });
  return { Letta, client: open(), open, requests, server };
}

async function list<Item>(page: AsyncIterable<Item>): Promise<Item[]> {
  return await Array.fromAsync(page);
}

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("creates an agent with blocks, tags, tools, secrets and settings, and reads all of it back", async (context) => {
    const { client } = await connect(dialect, context);
    const created = await client.agents.create({
      name: "Ada's helper",
      description: "keeps notes",
      model,
      embedding: "openai/text-embedding-3-small",
      model_settings: { provider_type: "openai", temperature: 0.2, max_output_tokens: 1000 },
      context_window_limit: 32_000,
      memory_blocks: [
        { label: "human", value: "Name: Ada." },
        { label: "persona", value: "I am terse.", description: "who I am", limit: 500, read_only: true },
      ],
      tags: ["b", "a"],
      tools: ["web_search"],
      secrets: { TOKEN: "s3cret" },
      metadata: { nested: { k: [1, null, "ü"] } },
      timezone: "Europe/Paris",
    });
    expect(created.id).toMatch(/^agent-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(created).toMatchObject({
      name: "Ada's helper",
      description: "keeps notes",
      agent_type: "letta_v1_agent",
      model,
      embedding: "openai/text-embedding-3-small",
      tags: ["a", "b"],
      timezone: "Europe/Paris",
      metadata: { nested: { k: [1, null, "ü"] } },
      llm_config: { model: "gpt-4o-mini", temperature: 0.2, max_tokens: 1000, context_window: 32_000 },
      embedding_config: { embedding_dim: 1536 },
      model_settings: { provider_type: "openai", temperature: 0.2, max_output_tokens: 1000 },
      max_files_open: 5,
      per_file_view_window_char_limit: 15_000,
    });
    expect(created.memory.blocks.map(({ label, value, limit }) => [label, value, limit])).toEqual([
      ["human", "Name: Ada.", 100_000],
      ["persona", "I am terse.", 500],
    ]);
    expect(created.memory.blocks[1]).toMatchObject({ description: "who I am", read_only: true });
    expect(created.tools.map(({ name }) => name).sort()).toEqual([
      "archival_memory_insert",
      "archival_memory_search",
      "conversation_search",
      "memory_insert",
      "memory_replace",
      "web_search",
    ]);
    expect(created.secrets.map(({ key, value }) => [key, value])).toEqual([["TOKEN", "s3cret"]]);
    expect(created.message_ids).toHaveLength(1);

    const include = ["agent.blocks", "agent.tools", "agent.tags", "agent.secrets", "agent.identities"];
    const masked = created.secrets.map((secret) => ({ ...secret, value: "********" }));
    const read = { ...created, secrets: masked, tool_exec_environment_variables: masked };
    expect(await client.agents.retrieve(created.id, { include })).toEqual(read);
  });

  test("gets an agent's relations only where it includes them", async (context) => {
    const { client } = await connect(dialect, context);
    const { id } = await client.agents.create({
      model,
      memory_blocks: [{ label: "human", value: "Ada" }],
      tags: ["t"],
    });
    const bare = await client.agents.retrieve(id);
    expect(bare).toMatchObject({ blocks: [], tools: [], tags: [], memory: { blocks: [] }, managed_group: null });
    const withBlocks = await client.agents.retrieve(id, { include: ["agent.blocks"] });
    expect(withBlocks.blocks.map(({ value }) => value)).toEqual(["Ada"]);
    expect(withBlocks).toMatchObject({ tags: ["t"], tools: [] });
    const withTools = await client.agents.retrieve(id, { include: ["agent.tools"] });
    expect(withTools.tools.length).toBeGreaterThan(0);
    expect(withTools.blocks).toEqual([]);
    const [listed] = await list(client.agents.list({ include: ["agent.blocks"] }));
    expect(listed).toEqual(withBlocks);
  });

  test("walks through 120 agents page by page, in both directions, and meets each once", async (context) => {
    const { client, requests } = await connect(dialect, context);
    const names = Array.from({ length: 120 }, (_, index) => `agent ${index}`);
    for (const name of names) await client.agents.create({ name, model, include_base_tools: false });
    requests.length = 0;
    const newestFirst = await list(client.agents.list());
    expect(newestFirst.map(({ name }) => name)).toEqual(names.toReversed());
    // 50, 50, 20, and one empty page, which is how the client knows.
    expect(requests).toHaveLength(4);
    const oldestFirst = await list(client.agents.list({ order: "asc", limit: 37 }));
    expect(oldestFirst.map(({ name }) => name)).toEqual(names);
    const [, , third] = oldestFirst;
    const earlier = await client.agents.list({ order: "asc", before: third?.id, limit: 10 });
    expect(earlier.items.map(({ name }) => name)).toEqual(["agent 0", "agent 1"]);
  });

  test("finds agents by name, tags, identity and words", async (context) => {
    const { client } = await connect(dialect, context);
    const identity = await client.post("/v1/identities/", {
      body: { identifier_key: "ada", name: "Ada", identity_type: "user" },
    });
    const make = (name: string, tags: string[], identity_ids: string[] = []) =>
      client.agents.create({ name, tags, identity_ids, model, include_base_tools: false });
    await make("First helper", ["red", "round"], [identity.id]);
    await make("Second helper", ["red"]);
    await make("Third", ["round"]);
    const names = async (query: Record<string, unknown>) =>
      (await list(client.agents.list({ order: "asc", ...query }))).map(({ name }) => name);
    expect(await names({ name: "Third" })).toEqual(["Third"]);
    expect(await names({ name: "helper" })).toEqual([]);
    expect(await names({ query_text: "HELPER" })).toEqual(["First helper", "Second helper"]);
    expect(await names({ tags: ["red", "round"] })).toEqual(["First helper", "Second helper", "Third"]);
    expect(await names({ tags: ["red", "round"], match_all_tags: true })).toEqual(["First helper"]);
    expect(await names({ identity_id: identity.id })).toEqual(["First helper"]);
    expect(await names({ identifier_keys: ["ada", "nobody"] })).toEqual(["First helper"]);
    expect(await client.get<number>("/v1/agents/count", { query: { tags: "red" } })).toBe(2);
  });

  test("updates an agent: what it sends changes, lists replace, the rest stays", async (context) => {
    const { client } = await connect(dialect, context);
    const block = await client.blocks.create({ label: "project", value: "Memo" });
    const agent = await client.agents.create({
      name: "before",
      description: "stays",
      model,
      tags: ["old"],
      memory_blocks: [{ label: "human", value: "Ada" }],
      secrets: { OLD: "1" },
    });
    const updated = await client.agents.update(agent.id, {
      name: "after",
      tags: ["new", "newer"],
      block_ids: [block.id],
      secrets: { NEW: "2" },
      model: "anthropic/claude-haiku-4-5",
      system: "Be brief.",
    });
    expect(updated).toMatchObject({
      id: agent.id,
      name: "after",
      description: "stays",
      tags: ["new", "newer"],
      model: "anthropic/claude-haiku-4-5",
      model_settings: { provider_type: "anthropic" },
      system: "Be brief.",
      created_at: agent.created_at,
      message_ids: agent.message_ids,
    });
    expect(updated.blocks.map(({ label }) => label)).toEqual(["project"]);
    expect(updated.secrets.map(({ key, value }) => [key, value])).toEqual([["NEW", "2"]]);
    expect(String(updated.updated_at) > String(agent.updated_at)).toBe(true);
    expect(await client.agents.update(agent.id, {})).toMatchObject({ name: "after", tags: ["new", "newer"] });
  });

  test("deletes an agent once; its blocks stay", async (context) => {
    const { client, Letta } = await connect(dialect, context);
    const agent = await client.agents.create({ model, memory_blocks: [{ label: "human", value: "Ada" }] });
    const [block] = agent.blocks;
    expect(await client.agents.delete(agent.id)).toEqual({ message: `Agent id=${agent.id} successfully deleted` });
    await expect(client.agents.delete(agent.id)).rejects.toThrow(Letta.NotFoundError);
    await expect(client.agents.retrieve(agent.id)).rejects.toThrow(Letta.NotFoundError);
    expect(await list(client.agents.list())).toEqual([]);
    expect(await client.blocks.retrieve(String(block?.id))).toEqual(block);
  });

  test("reads, edits, attaches and detaches an agent's blocks by label", async (context) => {
    const { client, Letta } = await connect(dialect, context);
    const agent = await client.agents.create({
      model,
      memory_blocks: [
        { label: "human", value: "Ada" },
        { label: "notes/today", value: "none" },
      ],
    });
    const agent_id = agent.id;
    const labels = (blocks: readonly { label: string | null }[]) => blocks.map(({ label }) => label).sort();
    expect(labels(await list(client.agents.blocks.list(agent_id)))).toEqual(["human", "notes/today"]);
    expect(await client.agents.blocks.retrieve("notes/today", { agent_id })).toMatchObject({ value: "none" });
    const edited = await client.agents.blocks.update("human", { agent_id, value: "Ada Lovelace", description: "who" });
    expect(edited).toMatchObject({ label: "human", value: "Ada Lovelace", description: "who", limit: 100_000 });
    expect(await client.agents.blocks.retrieve("human", { agent_id })).toEqual(edited);

    const extra = await client.blocks.create({ label: "project", value: "Memo" });
    const attached = await client.agents.blocks.attach(extra.id, { agent_id });
    expect(labels(attached.memory.blocks)).toEqual(["human", "notes/today", "project"]);
    expect(labels((await client.agents.blocks.attach(extra.id, { agent_id })).blocks)).toHaveLength(3);
    const detached = await client.agents.blocks.detach(extra.id, { agent_id });
    expect(labels(detached.blocks)).toEqual(["human", "notes/today"]);
    await expect(client.agents.blocks.detach(extra.id, { agent_id })).rejects.toThrow(Letta.NotFoundError);
    await expect(client.agents.blocks.retrieve("project", { agent_id })).rejects.toThrow(
      `No block with label 'project' found for agent '${agent_id}'`,
    );
    const renamed = await client.agents.blocks.update("human", { agent_id, label: "person" });
    expect(renamed).toMatchObject({ id: edited.id, label: "person", value: "Ada Lovelace" });
  });

  test("creates, reads, updates and deletes blocks", async (context) => {
    const { client, Letta } = await connect(dialect, context);
    const plain = await client.blocks.create({ label: "x" });
    expect(plain).toMatchObject({ label: "x", value: "", limit: 100_000, metadata: {}, tags: [], read_only: false });
    const block = await client.blocks.create({
      label: "project",
      value: "Memo",
      description: "About the project",
      limit: 2000,
      tags: ["t1", "t0"],
      metadata: { a: 1 },
      read_only: true,
      hidden: false,
    });
    expect(block).toMatchObject({
      limit: 2000,
      tags: ["t0", "t1"],
      metadata: { a: 1 },
      read_only: true,
      hidden: false,
    });
    expect(await client.blocks.retrieve(block.id)).toEqual(block);
    const updated = await client.blocks.update(block.id, { value: "Memo two", description: null, tags: ["t2"] });
    expect(updated).toEqual({ ...block, value: "Memo two", tags: ["t2"] });
    expect(await client.blocks.delete(block.id)).toBeNull();
    await expect(client.blocks.retrieve(block.id)).rejects.toThrow(`Block with id '${block.id}' not found`);
    await expect(client.blocks.delete(block.id)).rejects.toThrow(Letta.NotFoundError);
  });

  test("finds blocks by label, words, tags and how many agents hold them, and pages through them", async (context) => {
    const { client } = await connect(dialect, context);
    const values = Array.from({ length: 70 }, (_, index) => `value ${index}`);
    for (const [index, value] of values.entries()) {
      const even = index % 2 === 0;
      await client.blocks.create({ label: even ? "even" : "odd", value, tags: even ? ["e", "all"] : ["all"] });
    }
    const found = async (query: Record<string, unknown>) =>
      (await list(client.blocks.list(query))).map(({ value }) => value);
    expect(await found({})).toEqual(values);
    expect(await found({ limit: 9, order: "desc" })).toEqual(values.toReversed());
    expect(await found({ label: "odd", limit: 20 })).toEqual(values.filter((_, index) => index % 2 === 1));
    expect(await found({ tags: ["e"] })).toHaveLength(35);
    expect(await found({ tags: ["e", "all"], match_all_tags: true })).toHaveLength(35);
    expect(await found({ value_search: "VALUE 69" })).toEqual(["value 69"]);
    expect(await found({ label_search: "eve" })).toHaveLength(35);
    const [shared] = (await client.blocks.list({ limit: 1 })).items;
    const agent = await client.agents.create({ model, block_ids: [shared?.id], include_base_tools: false });
    expect(await found({ connected_to_agents_count_gt: 0 })).toEqual(["value 0"]);
    expect(await found({ connected_to_agents_count_eq: [1, 5] })).toEqual(["value 0"]);
    expect(await found({ connected_to_agents_count_lt: 1 })).toHaveLength(69);
    const holders = await list(client.blocks.agents.list(String(shared?.id), { include: ["agent.blocks"] }));
    expect(holders.map(({ id, blocks }) => [id, blocks.length])).toEqual([[agent.id, 1]]);
  });

  test("a block edited by one agent's label is changed for every agent that holds it", async (context) => {
    const { client } = await connect(dialect, context);
    const block = await client.blocks.create({ label: "shared", value: "old" });
    const make = () => client.agents.create({ model, block_ids: [block.id], include_base_tools: false });
    const [one, other] = [await make(), await make()];
    await client.agents.blocks.update("shared", { agent_id: one.id, value: "new" });
    expect((await client.agents.blocks.retrieve("shared", { agent_id: other.id })).value).toBe("new");
    await client.blocks.delete(block.id);
    expect(await list(client.agents.blocks.list(other.id))).toEqual([]);
  });

  test("lists the tags in use, sorted, once each", async (context) => {
    const { client } = await connect(dialect, context);
    expect(await client.tags.list()).toEqual([]);
    await client.agents.create({ model, tags: ["pear", "apple"], include_base_tools: false });
    await client.blocks.create({ label: "x", tags: ["apple", "fig", "Äpfel"] });
    expect(await client.tags.list()).toEqual(["apple", "fig", "pear", "Äpfel"]);
    expect(await client.tags.list({ order: "desc", limit: 2 })).toEqual(["Äpfel", "pear"]);
    expect(await client.tags.list({ after: "apple", before: "pear" })).toEqual(["fig"]);
    expect(await client.tags.list({ name: "P" })).toEqual(["apple", "pear", "Äpfel"]);
  });

  test("keeps identities with properties and links them to agents and blocks", async (context) => {
    const { client, Letta } = await connect(dialect, context);
    const agent = await client.agents.create({ model, include_base_tools: false });
    const block = await client.blocks.create({ label: "about", value: "Ada" });
    const plan = { key: "plan", value: "free", type: "string" };
    const body = { identifier_key: "u-1", name: "Ada", identity_type: "user", properties: [plan] };
    const identity = await client.post("/v1/identities/", { body });
    expect(identity).toMatchObject({ identifier_key: "u-1", name: "Ada", identity_type: "user", properties: [plan] });
    expect(await client.get(`/v1/identities/${identity.id}`)).toEqual(identity);

    const { properties: _, ...renamed } = { ...body, name: "Ada L" };
    const upserted = await client.put("/v1/identities/", { body: renamed });
    expect(upserted).toEqual({ ...identity, name: "Ada L" });
    const age = { key: "age", value: 36, type: "number" };
    const patched = await client.patch(`/v1/identities/${identity.id}`, { body: { properties: [age] } });
    expect(patched.properties).toEqual([plan, age]);
    expect(await client.put(`/v1/identities/${identity.id}/properties`, { body: [age] })).toBeNull();
    expect((await client.get(`/v1/identities/${identity.id}`)).properties).toEqual([age]);
    expect(await client.get<number>("/v1/identities/count")).toBe(1);
    expect(await client.get<unknown[]>("/v1/identities/", { query: { name: "nobody" } })).toEqual([]);

    expect(await client.agents.identities.attach(identity.id, { agent_id: agent.id })).toBeNull();
    const holder = await client.agents.retrieve(agent.id, { include: ["agent.identities"] });
    expect(holder).toMatchObject({ identity_ids: [identity.id], identities: [{ name: "Ada L" }] });
    const agents = await client.get<{ id: string }[]>(`/v1/identities/${identity.id}/agents`);
    expect(agents.map(({ id }) => id)).toEqual([agent.id]);
    expect(await client.agents.identities.detach(identity.id, { agent_id: agent.id })).toBeNull();
    expect((await client.agents.retrieve(agent.id, { include: ["agent.identities"] })).identity_ids).toEqual([]);

    await client.patch(`/v1/blocks/${block.id}/identities/attach/${identity.id}`);
    const blocks = await client.get<{ id: string }[]>(`/v1/identities/${identity.id}/blocks`);
    expect(blocks.map(({ id }) => id)).toEqual([block.id]);
    expect((await client.blocks.list({ identity_id: identity.id })).items).toHaveLength(1);
    await client.patch(`/v1/blocks/${block.id}/identities/detach/${identity.id}`);
    expect((await client.blocks.list({ identity_id: identity.id })).items).toEqual([]);

    expect(await client.delete(`/v1/identities/${identity.id}`)).toBeNull();
    await expect(client.get(`/v1/identities/${identity.id}`)).rejects.toThrow(Letta.NotFoundError);
  });

  test("hears what is wrong: 400, 404, 409 and 422 come as the client's own error classes", async (context) => {
    const { client, Letta } = await connect(dialect, context);
    const refusal = async (call: Promise<unknown>) =>
      await call.then(
        () => undefined,
        (error: { status: number; error: { detail: string } }) => error,
      );
    const missing = await refusal(client.agents.retrieve(`agent-${unknownId}`));
    expect(missing).toBeInstanceOf(Letta.NotFoundError);
    expect(missing).toMatchObject({ status: 404, error: { detail: `Agent with ID agent-${unknownId} not found` } });

    const unknownModel = await refusal(client.agents.create({ model: "openai/no-such-model" }));
    expect(unknownModel).toBeInstanceOf(Letta.NotFoundError);
    expect(unknownModel?.error.detail).toMatch(/^NOT_FOUND: Handle openai\/no-such-model not found, must be one of \[/);

    const noModel = await refusal(client.agents.create({ name: "nomodel" }));
    expect(noModel).toBeInstanceOf(Letta.BadRequestError);
    expect(noModel?.error.detail).toBe("INVALID_ARGUMENT: Must specify either model or llm_config in request");
    const noTool = await refusal(client.agents.create({ model, tools: ["no_such_tool"] }));
    expect(noTool?.error.detail).toContain("Tools not found by name");

    const malformed = await refusal(client.agents.retrieve("not-an-id"));
    expect(malformed).toBeInstanceOf(Letta.UnprocessableEntityError);
    expect(malformed?.error).toMatchObject({ trace_id: "", examples: [expect.stringMatching(/^agent-123e4567/)] });
    expect(malformed?.error.detail).toContain("String should match pattern 'agent-{uuid4}'");
    const badName = await refusal(client.agents.create({ model, name: "bad/name?*" }));
    expect(badName).toMatchObject({ status: 422 });
    const tooLong = await refusal(client.blocks.create({ label: "x", value: "abcdef", limit: 3 }));
    expect(tooLong).toBeInstanceOf(Letta.UnprocessableEntityError);
    expect(tooLong?.error.detail).toContain("6 characters, its limit is 3");
    const badLimit = await refusal(client.blocks.list({ limit: "abc" }) as Promise<unknown>);
    expect(badLimit).toMatchObject({ status: 422 });
    expect(badLimit?.error.detail).toContain("limit");
  });

  test("is told not to try a conflict again", async (context) => {
    const { client, requests, Letta } = await connect(dialect, context);
    const body = { identifier_key: "u-1", name: "Ada", identity_type: "user" };
    await client.post("/v1/identities/", { body });
    const agent = await client.agents.create({ model, memory_blocks: [{ label: "human", value: "1" }] });
    const twin = await client.blocks.create({ label: "human", value: "2" });
    requests.length = 0;
    await expect(client.post("/v1/identities/", { body })).rejects.toThrow(Letta.ConflictError);
    expect(requests).toEqual(["POST /v1/identities/"]);
    await expect(client.agents.blocks.attach(twin.id, { agent_id: agent.id })).rejects.toThrow(Letta.ConflictError);
    expect(requests).toHaveLength(2);
    const blocks = [
      { label: "a", value: "1" },
      { label: "a", value: "2" },
    ];
    await expect(client.agents.create({ model, memory_blocks: blocks })).rejects.toThrow(Letta.ConflictError);
    expect(requests).toHaveLength(3);
  });

  test("logs in with the password as its API key", async (context) => {
    const { open, Letta } = await connect(dialect, context, { password: "correct horse" });
    const stranger: LettaClient = open({ apiKey: "wrong", maxRetries: 0 });
    expect(await stranger.health()).toMatchObject({ status: "ok", version: "0.16.8" });
    await expect(stranger.agents.list()).rejects.toThrow(Letta.AuthenticationError);
    expect((await open({ apiKey: "correct horse" }).agents.list()).items).toEqual([]);
  });

  test("keeps text whole: emoji, other scripts, quotes, and no NUL or half characters", async (context) => {
    const { client } = await connect(dialect, context);
    const value = `"quotes" 'and' \\ backslash\n\ttab 日本語 🧠 עברית`;
    const block = await client.blocks.create({ label: "x", value, description: `${value}\u0000\ud800` });
    expect(block).toMatchObject({ value, description: value });
    expect(await client.blocks.retrieve(block.id)).toEqual(block);
    expect((await list(client.blocks.list({ value_search: "日本語 🧠" }))).map(({ id }) => id)).toEqual([block.id]);
  });
});
