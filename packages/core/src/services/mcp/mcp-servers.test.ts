import { describe, expect, test } from "vitest";
import { dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";
import type { McpSettings } from "./mcp-connection.ts";

const asc = { limit: 50, order: "asc" } as const;
const outside = { transport: "streamable_http", url: "https://mcp.example.com/mcp" } as const;

describe.for(dialects)("%s", (dialect) => {
  test("a server is stored with its credentials sealed, and shown without them", async (context) => {
    const { memoir, actor, scope } = await openWorld(dialect, context);
    const server = await memoir.mcpServers.create(actor, {
      ...outside,
      name: "search",
      tokenHeader: "X-Token",
      token: "s3cret-token",
      headers: { "X-Team": "s3cret-team" },
    });
    expect(server).toMatchObject({
      name: "search",
      transport: "streamable_http",
      connection: { url: outside.url, tokenHeader: "X-Token" },
      hasToken: true,
      headerNames: ["X-Team"],
    });
    expect(await memoir.mcpServers.get(actor, server.id)).toEqual(server);
    expect(await memoir.mcpServers.getByName(actor, "search")).toEqual(server);
    const stored = [
      ...(await scope.select("mcp_server").selectAll("mcp_server").execute()),
      ...(await scope.select("secret").selectAll("secret").execute()).map((row) => ({
        ...row,
        ciphertext: Buffer.from(row.ciphertext).toString("latin1"),
      })),
    ];
    expect(JSON.stringify([server, stored])).not.toContain("s3cret");
    await memoir.mcpServers.delete(actor, server.id);
    expect(await scope.select("secret").select("id").execute()).toEqual([]);
    await expect(memoir.mcpServers.delete(actor, server.id)).rejects.toMatchObject({ code: "not-found" });
  });

  test("an update keeps what it does not name, and names are taken once", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const headers = { "X-A": "1", "X-B": "2" };
    const { id } = await memoir.mcpServers.create(actor, { ...outside, name: "one", token: "t", headers });
    await memoir.mcpServers.create(actor, { ...outside, name: "two" });
    const taken = { code: "conflict", details: { field: "server_name" } };
    await expect(memoir.mcpServers.create(actor, { ...outside, name: "one" })).rejects.toMatchObject(taken);
    const { transport } = outside;
    await expect(memoir.mcpServers.update(actor, id, { transport, name: "two" })).rejects.toMatchObject(taken);
    const moved = await memoir.mcpServers.update(actor, id, { transport: "sse", url: "https://mcp.example.com/sse" });
    expect(moved).toMatchObject({
      name: "one",
      transport: "sse",
      connection: { url: "https://mcp.example.com/sse" },
      hasToken: true,
      headerNames: ["X-A", "X-B"],
    });
    const fewer = await memoir.mcpServers.update(actor, id, { transport: "sse", headers: { "X-B": null }, token: "" });
    expect(fewer).toMatchObject({ hasToken: false, headerNames: ["X-B"] });
    expect((await memoir.mcpServers.list(actor, asc)).map(({ name }) => name)).toEqual(["one", "two"]);
  });

  test("a token and headers do not follow a server to another address", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const stored = { ...outside, name: "one", token: "t", headers: { "X-A": "1" } };
    const { id } = await memoir.mcpServers.create(actor, stored);
    const move = { transport: "sse", url: "https://evil.example.com/sse" } as const;
    const refused = (field: string) => ({ code: "invalid-input", details: { field } });
    const update = (more: object) => memoir.mcpServers.update(actor, id, { ...move, ...more });
    await expect(update({})).rejects.toMatchObject(refused("auth_token"));
    await expect(update({ token: "new" })).rejects.toMatchObject(refused("custom_headers"));
    await expect(update({ token: "new", headers: { "X-A": null } })).rejects.toMatchObject(refused("custom_headers"));
    expect(await memoir.mcpServers.get(actor, id)).toMatchObject({ connection: { url: outside.url }, hasToken: true });
    expect(await update({ token: "", headers: {} })).toMatchObject({
      connection: { url: move.url },
      hasToken: false,
      headerNames: [],
    });
  });

  test("credentials do not survive a way over a program, nor an environment another program", async (context) => {
    const { openAnother, actor } = await openWorld(dialect, context);
    const memoir = await openAnother({ mcpPrograms: true });
    const { id } = await memoir.mcpServers.create(actor, { ...outside, name: "one", token: "t", headers: { A: "1" } });
    const program = { transport: "stdio", command: "npx" } as const;
    const started = await memoir.mcpServers.update(actor, id, { ...program, environment: { KEY: "k" } });
    expect(started).toMatchObject({ hasToken: false, headerNames: [], environmentNames: ["KEY"] });
    await expect(memoir.mcpServers.update(actor, id, { ...program, command: "env" })).rejects.toMatchObject({
      details: { field: "env" },
    });
    const back = await memoir.mcpServers.update(actor, id, { ...outside, url: "https://evil.example.com/" });
    expect(back).toMatchObject({ hasToken: false, headerNames: [], environmentNames: [] });
  });

  test("programs and addresses inside the network are refused unless the operator lets them pass", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor } = world;
    const store = (input: McpSettings, at = memoir) => at.mcpServers.create(actor, { ...input, name: "s" });
    const program = { transport: "stdio", command: "npx", args: ["-y", "server"], environment: { KEY: "k" } } as const;
    await expect(store(program)).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("MEMOIR_MCP_STDIO=allow"),
    });
    for (const url of [
      "http://127.0.0.1:9/mcp",
      "http://localhost/mcp",
      "http://2130706433/mcp",
      "http://[::1]/mcp",
      "http://[::ffff:10.0.0.1]/mcp",
      "http://10.1.2.3/mcp",
      "http://169.254.169.254/latest",
      "http://printer.local/mcp",
      "http://redis.default.svc/mcp",
      "http://metadata.google.internal/",
      "http://intranet/mcp",
      "ftp://mcp.example.com/",
      "https://user:password@mcp.example.com/",
      "not an address",
    ]) {
      await expect(store({ ...outside, url }), url).rejects.toMatchObject({
        code: "invalid-input",
        details: { field: "server_url" },
      });
    }
    expect(await memoir.mcpServers.list(actor, asc)).toEqual([]);
    const open = await world.openAnother({ mcpPrograms: true, privateHosts: ["127.0.0.1"] });
    expect(await store({ ...outside, url: "http://127.0.0.1:9/mcp" }, open)).toMatchObject({ name: "s" });
    const stored = await open.mcpServers.create(actor, { ...program, name: "program" });
    expect(stored).toMatchObject({
      connection: { command: "npx", args: ["-y", "server"] },
      environmentNames: ["KEY"],
    });
    await expect(open.mcpServers.update(actor, stored.id, { transport: "sse" })).rejects.toMatchObject({
      code: "invalid-input",
      details: { field: "server_url" },
    });
  });

  test("the tools that came from a server are listed and go with it", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, store } = world;
    const { id } = await memoir.mcpServers.create(actor, { ...outside, name: "one" });
    const toolId = await store.write(actor.orgId, async (scope) => {
      const row = await scope.select("tool").selectAll("tool").limit(1).executeTakeFirstOrThrow();
      const tool = { ...row, id: scope.newId("tool"), name: "mcp_search", kind: "mcp" };
      await scope.insert("tool", tool).execute();
      await scope.insert("mcp_tool", { mcp_server_id: id, tool_id: tool.id }).execute();
      return tool.id;
    });
    expect(await memoir.mcpServers.listTools(actor, id)).toMatchObject([{ id: toolId, name: "mcp_search" }]);
    expect(await memoir.mcpServers.getTool(actor, id, toolId)).toMatchObject({ name: "mcp_search" });
    const other = await memoir.mcpServers.create(actor, { ...outside, name: "two" });
    await expect(memoir.mcpServers.getTool(actor, other.id, toolId)).rejects.toMatchObject({ code: "not-found" });
    const neighbour = await openNeighbour(world);
    await expect(neighbour.memoir.mcpServers.get(neighbour.actor, id)).rejects.toMatchObject({ code: "not-found" });
    await expect(neighbour.memoir.mcpServers.listTools(neighbour.actor, id)).rejects.toMatchObject({
      code: "not-found",
    });
    await memoir.mcpServers.delete(actor, id);
    const left = await store.read(actor.orgId).select("tool").select("id").where("id", "=", toolId).execute();
    expect(left).toEqual([]);
  });
});
