/** The official npm client with folders, files, MCP servers and groups. */
import type { GroupWire } from "@memoir/server/wire";
import { describe, expect, type TestContext, test } from "vitest";
import { createDatabase, type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";
import { storeFile } from "../support/stored-rows.ts";

const unknownId = "00000000-0000-4000-8000-00000000dead";

async function connect(dialect: DialectName, context: TestContext) {
  const Letta = await loadClient(context);
  const database = await createDatabase(dialect, context);
  const { url, errors } = await startServer(dialect, context, { core: { database } });
  const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
  const agent = async (more: object = {}) => (await client.agents.create({ model: "memoir/demo", ...more })).id;
  return { client, url, errors, database, agent };
}

const refusal = (status: number, detail: RegExp) => ({ status, error: { detail: expect.stringMatching(detail) } });

async function collect<T>(page: AsyncIterable<T>): Promise<T[]> {
  return await Array.fromAsync(page);
}

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("keeps folders", async (context) => {
    const { client } = await connect(dialect, context);
    const folder = await client.folders.create({ name: "docs", description: "d", embedding_chunk_size: 100 });
    expect(folder).toMatchObject({ name: "docs", description: "d", instructions: null, metadata: null });
    expect(folder.embedding_config.embedding_chunk_size).toBe(100);
    expect("vector_db_provider" in folder).toBe(false);
    expect(await client.folders.retrieve(folder.id)).toEqual(folder);
    const second = await client.folders.create({ name: "more" });
    await expect(client.folders.create({ name: "docs" })).rejects.toMatchObject(
      refusal(409, /CONFLICT: a folder named/),
    );
    const renamed = await client.folders.update(folder.id, { name: "papers", metadata: { a: 1 } });
    expect(renamed).toMatchObject({ id: folder.id, name: "papers", description: "d", metadata: { a: 1 } });
    const ids = async (query: object) =>
      (await collect(client.folders.list({ limit: 1, ...query }))).map(({ id }) => id);
    expect(await ids({})).toEqual([folder.id, second.id]);
    expect(await ids({ order: "desc" })).toEqual([second.id, folder.id]);
    expect(await ids({ name: "more" })).toEqual([second.id]);
    expect(await client.get<number>("/v1/folders/count")).toBe(2);
    expect(await client.get<string>("/v1/folders/name/papers")).toBe(folder.id);
    expect(await client.get("/v1/folders/metadata")).toEqual({
      total_sources: 2,
      total_files: 0,
      total_size: 0,
      sources: [],
    });
    const source = await client.get<object>(`/v1/sources/${folder.id}`);
    expect(source).toEqual({ ...renamed, vector_db_provider: "native" });
    expect(await client.folders.delete(folder.id)).toBeNull();
    await expect(client.folders.retrieve(folder.id)).rejects.toMatchObject(refusal(404, /^Folder not found with id=/));
    await expect(client.folders.retrieve("docs")).rejects.toMatchObject({ status: 422 });
    expect(await client.get<object[]>("/v1/sources/")).toMatchObject([{ id: second.id }]);
  });

  test("refuses uploads after checking them, and keeps nothing of them", async (context) => {
    const { client, url } = await connect(dialect, context);
    const { id } = await client.folders.create({ name: "docs" });
    const file = new File(["Hello."], "a.txt", { type: "text/plain" });
    await expect(client.folders.files.upload(id, { file })).rejects.toMatchObject(
      refusal(501, /cannot read files yet/),
    );
    const missing = `source-${unknownId}`;
    await expect(client.folders.files.upload(missing, { file })).rejects.toMatchObject({ status: 404 });
    const odd = new File(["x"], "a.exe", { type: "application/x-msdownload" });
    await expect(client.folders.files.upload(id, { file: odd })).rejects.toMatchObject(refusal(415, /cannot be read/));
    const hidden = new File(["x"], ".profile", { type: "text/plain" });
    await expect(client.folders.files.upload(id, { file: hidden })).rejects.toMatchObject({ status: 422 });
    await expect(client.folders.files.upload(id, { file, duplicate_handling: "keep" })).rejects.toMatchObject({
      status: 422,
    });
    const asJson = await fetch(`${url}/v1/folders/${id}/upload`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(asJson.status).toBe(422);
    expect(await collect(client.folders.files.list(id))).toEqual([]);
  });

  test("reads a folder's files and has an agent open and close them", async (context) => {
    const { client, database, agent } = await connect(dialect, context);
    const folder = await client.folders.create({ name: "docs" });
    const files = [];
    for (const name of ["a.txt", "b.txt", "c.txt"])
      files.push(await storeFile(database, folder, name, `Text of ${name}.`));
    const [a = "", b = "", c = ""] = files;
    const of = { folder_id: folder.id };
    expect(await client.folders.files.retrieve(a, { ...of, include_content: true })).toMatchObject({
      file_name: "a.txt",
      original_file_name: "a.txt",
      processing_status: "completed",
      content: "Text of a.txt.",
    });
    const listed = await collect(client.folders.files.list(folder.id, { limit: 2 }));
    expect(listed.map(({ id, content }) => [id, content])).toEqual([
      [c, null],
      [b, null],
      [a, null],
    ]);
    const agentId = await agent({ max_files_open: 2 });
    const by = { agent_id: agentId };
    expect(await client.agents.folders.attach(folder.id, by)).toBeNull();
    expect(await client.agents.folders.attach(folder.id, by)).toBeNull();
    expect((await collect(client.agents.folders.list(agentId))).map(({ id }) => id)).toEqual([folder.id]);
    expect(await client.folders.agents.list(folder.id)).toEqual([agentId]);
    const opened = async () => {
      const links = await collect(client.agents.files.list(agentId, { limit: 1, is_open: true }));
      return links.map(({ file_name }) => file_name).sort();
    };
    expect(await opened()).toEqual(["docs/a.txt", "docs/b.txt"]);
    const { memory } = await client.agents.retrieve(agentId, { include: ["agent.blocks"] });
    expect(memory.file_blocks.map(({ label, value, is_open }) => [label, value !== "", is_open])).toEqual([
      ["docs/a.txt", true, true],
      ["docs/b.txt", true, true],
      ["docs/c.txt", false, false],
    ]);
    expect(await client.agents.files.open(a, by)).toEqual([]);
    expect(await client.agents.files.open(c, by)).toEqual(["docs/b.txt"]);
    expect(await client.agents.files.close(a, by)).toEqual({ message: `File id=${a} successfully closed` });
    expect(await client.agents.files.closeAll(agentId)).toEqual(["docs/c.txt"]);
    expect(await collect(client.agents.files.list(agentId))).toHaveLength(3);
    await client.folders.files.delete(a, of);
    await expect(client.agents.files.open(a, by)).rejects.toMatchObject({ status: 404 });
    expect(await client.agents.folders.detach(folder.id, by)).toBeNull();
    expect(await collect(client.agents.folders.list(agentId))).toEqual([]);
    const legacy = await client.patch<{ sources: { id: string }[] }>(
      `/v1/agents/${agentId}/sources/attach/${folder.id}`,
    );
    expect(legacy.sources.map(({ id }) => id)).toEqual([folder.id]);
    await expect(client.agents.folders.attach(`source-${unknownId}`, by)).rejects.toMatchObject({ status: 404 });
  });

  test("keeps MCP servers, whose secrets do not come back", async (context) => {
    const { client, errors } = await connect(dialect, context);
    const server = await client.mcpServers.create({
      server_name: "search",
      config: {
        mcp_server_type: "streamable_http",
        server_url: "https://mcp.example.com/mcp",
        auth_header: "Authorization",
        auth_token: "Bearer s3cret",
        custom_headers: { "X-Team": "s3cret too" },
      },
    });
    expect(server).toEqual({
      id: expect.stringMatching(/^mcp_server-/),
      server_name: "search",
      mcp_server_type: "streamable_http",
      server_url: "https://mcp.example.com/mcp",
      auth_header: "Authorization",
      auth_token: "********",
      custom_headers: { "X-Team": "********" },
    });
    expect(await client.mcpServers.retrieve(server.id)).toEqual(server);
    expect(await client.mcpServers.list()).toEqual([server]);
    const { id: _, server_name, ...config } = server;
    expect(await client.mcpServers.update(server.id, { server_name, config })).toEqual(server);
    const renamed = await client.mcpServers.update(server.id, {
      server_name: "find",
      config: { mcp_server_type: "sse", server_url: null },
    });
    expect(renamed).toEqual({ ...server, server_name: "find", mcp_server_type: "sse" });
    expect(await client.get("/v1/tools/mcp/servers")).toMatchObject({ find: { type: "sse", auth_token: "********" } });
    expect(await client.mcpServers.tools.list(server.id)).toEqual([]);
    const of = { mcp_server_id: server.id };
    const toolId = `tool-${unknownId}`;
    await expect(client.mcpServers.tools.retrieve(toolId, of)).rejects.toMatchObject({ status: 404 });
    await expect(client.mcpServers.tools.run(toolId, { ...of, args: {} })).rejects.toMatchObject({ status: 404 });
    await expect(client.mcpServers.refresh(server.id)).rejects.toMatchObject(refusal(501, /cannot connect/));
    await expect(client.mcpServers.retrieve("search")).rejects.toMatchObject(refusal(400, /Invalid mcp_server ID/));
    const create = (mcp: object) => client.mcpServers.create({ server_name: "other", config: mcp });
    await expect(create({ mcp_server_type: "stdio", command: "sh", args: [] })).rejects.toMatchObject(
      refusal(400, /STDIO/),
    );
    const inside = { mcp_server_type: "sse", server_url: "http://127.0.0.1:9/sse" };
    await expect(create(inside)).rejects.toMatchObject(refusal(422, /its own network/));
    const split = { ...inside, server_url: "https://a.example.com", custom_headers: { "X-A": "1\r\nX-B: 2" } };
    await expect(create(split)).rejects.toMatchObject({ status: 422 });
    await client.mcpServers.delete(server.id);
    expect(await client.mcpServers.list()).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("keeps MCP servers by their older paths", async (context) => {
    const { client } = await connect(dialect, context);
    const address = { server_name: "search", type: "streamable_http", server_url: "https://mcp.example.com/mcp" };
    const flat = { ...address, auth_header: null, auth_token: null, custom_headers: null };
    const root = "/v1/tools/mcp/servers";
    expect(await client.put(root, { body: address })).toEqual([flat]);
    await expect(client.put(root, { body: address })).rejects.toMatchObject({ status: 409 });
    const moved = { server_url: "https://b.example.com/mcp", auth_header: "X-Key", auth_token: "k" };
    expect(await client.patch(`${root}/search`, { body: moved })).toEqual({
      ...flat,
      ...moved,
      auth_token: "********",
    });
    await expect(client.get(`${root}/search/tools`)).rejects.toMatchObject(refusal(501, /cannot connect/));
    await expect(client.get(`${root}/none/tools`)).rejects.toMatchObject({ status: 404 });
    const posts: [string, object][] = [
      ["search/resync", {}],
      ["search/find", {}],
      ["search/tools/find/execute", { args: {} }],
      ["test", address],
      ["connect", address],
    ];
    for (const [path, body] of posts) {
      await expect(client.post(`${root}/${path}`, { body: { ...body } }), path).rejects.toMatchObject({ status: 501 });
    }
    expect(await client.get("/v1/tools/mcp/oauth/callback?state=x")).toMatchObject({ status: "error" });
    expect(await client.delete(`${root}/search`)).toEqual([]);
    expect(await client.get(root)).toEqual({});
  });

  test("keeps groups", async (context) => {
    const { client, agent } = await connect(dialect, context);
    const [first, second] = [await agent(), await agent()];
    const post = (body: object) => client.post<GroupWire>("/v1/groups/", { body: { ...body } });
    const group = await post({ agent_ids: [first, second], description: "pair" });
    expect(group).toMatchObject({ manager_type: "round_robin", agent_ids: [first, second], max_turns: null });
    const path = `/v1/groups/${group.id}`;
    const manager_config = { manager_type: "dynamic", manager_agent_id: first, max_turns: 4 };
    const changed = await client.patch<GroupWire>(path, { body: { agent_ids: [second], manager_config } });
    expect(changed).toMatchObject({
      manager_type: "dynamic",
      manager_agent_id: first,
      agent_ids: [second],
      termination_token: "DONE!",
      max_turns: 4,
    });
    expect(await client.get<GroupWire>(path)).toEqual(changed);
    expect(await client.get(`/v1/agents/${second}/groups`)).toEqual([changed]);
    expect(await client.get("/v1/groups/", { query: { manager_type: "round_robin" } })).toEqual([]);
    expect(await client.get<number>("/v1/groups/count")).toBe(1);
    const block = await client.blocks.create({ label: "plan", value: "v" });
    for (const verb of ["attach", "attach", "detach", "detach"]) {
      expect(await client.patch<null>(`${path}/blocks/${verb}/${block.id}`)).toBeNull();
    }
    expect(await client.get(`${path}/messages`)).toEqual([]);
    expect(await client.patch<null>(`${path}/reset-messages`)).toBeNull();
    const body = { message_type: "user_message", content: "other" };
    await expect(client.patch(`${path}/messages/message-${unknownId}`, { body })).rejects.toMatchObject(
      refusal(405, /never changed/),
    );
    await expect(
      post({ agent_ids: [first], description: "", manager_config: { manager_type: "supervisor" } }),
    ).rejects.toMatchObject({
      status: 422,
    });
    await expect(post({ agent_ids: [`agent-${unknownId}`], description: "" })).rejects.toMatchObject({ status: 404 });
    await expect(post({ agent_ids: ["me"], description: "" })).rejects.toMatchObject({ status: 422 });
    expect(await client.delete(path)).toEqual({ message: `Group id=${group.id} successfully deleted` });
    await expect(client.get(path)).rejects.toMatchObject({ status: 404 });
  });
});
