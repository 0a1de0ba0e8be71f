/** The official npm client and what only Memoir has of tools: permissions, REST tools, searches and pages. */
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { startJsonServer } from "../../packages/core/src/testing/json-server.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer, type TestServerOptions } from "../support/server.ts";

type Fields = Readonly<Record<string, unknown>>;

async function connect(dialect: DialectName, context: TestContext, core: TestServerOptions["core"] = {}) {
  const Letta = await loadClient(context);
  const { openai, providers } = await startDirectedModels();
  const { url } = await startServer(dialect, context, { core: { providers, ...core } });
  const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
  const tell = async (agent_id: string, content: string) => {
    const answer = await client.agents.messages.create(agent_id, { messages: [{ role: "user", content }] });
    const tools: { function: { name: string } }[] = openai.requests[0]?.body.tools ?? [];
    return { answer, offered: tools.map((item) => item.function.name) };
  };
  return { client, tell, url };
}

const none = { names: [], tags: [], types: [] };

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("sets an agent's tool permissions, reads them back, and takes them away", async (context) => {
    const { client } = await connect(dialect, context);
    const model = "openai/gpt-4o-mini";
    const plain = await client.agents.create({ model });
    expect(plain).not.toHaveProperty("tool_permissions");
    const made = await client.agents.create({
      model,
      tool_permissions: { deny: { names: ["conversation_search"], tags: ["letta_builtin", "mine"], types: ["rest"] } },
    } as never);
    const shown = {
      allow: null,
      deny: { names: ["conversation_search"], tags: ["mine"], types: ["letta_builtin", "rest"] },
    };
    expect(made).toMatchObject({ tool_permissions: shown });
    expect(await client.agents.retrieve(made.id)).toMatchObject({ tool_permissions: shown });
    const updated = await client.agents.update(made.id, {
      tool_permissions: { allow: { types: ["custom"] }, deny: null },
    } as never);
    const allowed = { allow: { ...none, types: ["custom"] }, deny: none };
    expect(updated).toMatchObject({ tool_permissions: allowed });
    expect(await client.agents.update(made.id, { name: "other" })).toMatchObject({ tool_permissions: allowed });
    const copy = await client.agents.exportFile(made.id);
    expect(JSON.stringify(copy)).toContain('"tool_permissions"');
    const cleared = await client.agents.update(made.id, { tool_permissions: {} } as never);
    expect(cleared).not.toHaveProperty("tool_permissions");
    for (const tool_permissions of [{ dney: {} }, { deny: { name: ["x"] } }, { deny: { types: ["curstom"] } }, "all"]) {
      await expect(client.agents.update(made.id, { tool_permissions } as never)).rejects.toMatchObject({ status: 422 });
    }
  });

  test("makes tools of a REST API, and an agent calls them with sealed credentials", async (context) => {
    const api = await startJsonServer(({ method, path, body }) => ({ body: { method, path, body } }));
    const { client, tell } = await connect(dialect, context, { privateHosts: ["127.0.0.1"] });
    const openapi = {
      openapi: "3.1.0",
      servers: [{ url: `${api.origin}/v1` }],
      security: [{ token: [] }],
      paths: {
        "/notes/{id}": {
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
          get: { operationId: "read_note", summary: "Reads a note." },
          post: { requestBody: { required: true, content: { "multipart/form-data": {} } } },
        },
      },
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    };
    const credentials = { schemes: { token: "tok-123456" } };
    const made = await client.post<{ tools: { id: string; name: string }[]; skipped: Fields[] }>(
      "/v1/memoir/rest-tools",
      { body: { openapi, credentials, tags: ["notes"], prefix: "my_" } },
    );
    expect(made.skipped).toEqual([{ operation: "POST /notes/{id}", reason: "it wants a body of multipart/form-data" }]);
    const [tool] = made.tools;
    expect(tool).toMatchObject({ name: "my_read_note", tool_type: "custom", source_code: null, tags: ["notes"] });
    expect(JSON.stringify(made)).not.toContain("tok-123456");
    expect(await client.tools.retrieve(tool?.id ?? "")).toEqual(tool);
    const [hit] = await client.tools.search({ query: "read note", tags: ["notes"] });
    expect(hit?.tool.id).toBe(tool?.id);
    const agent = await client.agents.create({ model: "openai/gpt-4o-mini", tool_ids: [tool?.id ?? ""] });
    const { answer } = await tell(agent.id, '!tool my_read_note {"id": 7}');
    expect(answer.messages[1]).toMatchObject({
      message_type: "tool_return_message",
      status: "success",
      tool_return: '{"method":"GET","path":"/v1/notes/7"}',
    });
    expect(api.requests[0]?.headers.authorization).toBe("Bearer tok-123456");
    expect(await client.agents.tools.run("my_read_note", { agent_id: agent.id, args: { id: 8 } })).toMatchObject({
      status: "success",
      func_return: { method: "GET", path: "/v1/notes/8" },
    });
    await expect(client.post("/v1/memoir/rest-tools", { body: {} })).rejects.toMatchObject({ status: 400 });
    expect(await client.tools.delete(tool?.id ?? "")).toBeNull();
  });
});

test("a tool that is not permitted is not offered, refused when it is called, and refused by hand", async (context) => {
  const { client, tell } = await connect("sqlite", context);
  const agent = await client.agents.create({
    model: "openai/gpt-4o-mini",
    tools: ["fetch_webpage"],
    tool_permissions: { deny: { types: ["letta_builtin"] } },
  } as never);
  const { answer, offered } = await tell(agent.id, '!tool fetch_webpage {"url": "https://example.org"}');
  expect(offered).toContain("conversation_search");
  expect(offered).not.toContain("fetch_webpage");
  expect(answer.messages[1]).toMatchObject({
    status: "error",
    tool_return: expect.stringMatching(/fetch_webpage is not permitted/),
  });
  const args = { url: "https://example.org" };
  expect(await client.agents.tools.run("fetch_webpage", { agent_id: agent.id, args })).toMatchObject({
    status: "error",
    stderr: [expect.stringMatching(/not permitted/)],
  });
});

test("searches the web and reads pages by hand, with an agent's own key", async (context) => {
  const page = { body: "<title>T</title><main><p>Hello</p></main>", headers: { "content-type": "text/html" } };
  const web = await startJsonServer(({ path }) => (path === "/search" ? { body: { results: [] } } : page));
  const core = { web: { exaUrl: web.origin, pageHosts: ["127.0.0.1"] } };
  const { client } = await connect("sqlite", context, core);
  const agent = await client.agents.create({
    model: "openai/gpt-4o-mini",
    tools: ["web_search", "fetch_webpage"],
    secrets: { EXA_API_KEY: "exa-agent" },
  });
  const run = (name: string, args: Fields) => client.agents.tools.run(name, { agent_id: agent.id, args });
  expect(await run("web_search", { query: "bees" })).toMatchObject({
    status: "success",
    func_return: { query: "bees", results: [] },
  });
  expect(web.requests[0]?.headers["x-api-key"]).toBe("exa-agent");
  expect(await run("fetch_webpage", { url: `${web.origin}/p` })).toMatchObject({
    func_return: `# T\n\nAddress: ${web.origin}/p\n\nHello`,
  });
  expect(await run("fetch_webpage", { url: "http://169.254.169.254/" })).toMatchObject({
    status: "error",
    stderr: [expect.stringMatching(/own network/)],
  });
});
