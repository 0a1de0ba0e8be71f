/** The official npm client and tools: every method it has for them. */
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { needSandbox } from "../../packages/core/src/testing/sandboxes.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

const unknownId = "00000000-0000-4000-8000-00000000dead";
type Fields = Readonly<Record<string, unknown>>;

const source = (name: string, text = "Roll a dice.") =>
  `def ${name}(sides: int, label: str = "d") -> str:\n    """\n    ${text}\n\n    Args:\n        sides (int): Number of sides.\n        label (str): Label to print.\n\n    Returns:\n        str: The roll.\n    """\n    return "4"\n`;

async function connect(dialect: DialectName, context: TestContext) {
  const Letta = await loadClient(context);
  const { openai, providers } = await startDirectedModels();
  const { url } = await startServer(dialect, context, { core: { providers } });
  const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
  const agent = await client.agents.create({
    model: "openai/gpt-4o-mini",
    memory_blocks: [{ label: "human", value: "Name: unknown." }],
  });
  const names = async (query: Fields) => (await client.tools.list(query)).items.map(({ name }) => name);
  return { client, agent_id: agent.id, names, openai, url };
}

const refusal = (status: number, detail: string | RegExp) => ({
  status,
  error: { detail: expect.stringMatching(detail) },
});

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("deletes a base tool and finds it again in the next list", async (context) => {
    const { client, agent_id } = await connect(dialect, context);
    const find = async () => (await client.tools.list({ name: "memory_insert" })).items;
    const [first] = await find();
    const author = "user-00000000-0000-4000-8000-000000000000";
    expect(first).toMatchObject({ created_by_id: author, last_updated_by_id: author });
    expect(await client.tools.delete(first?.id ?? "")).toBeNull();
    await expect(client.tools.retrieve(first?.id ?? "")).rejects.toMatchObject({ status: 404 });
    const held = (await client.agents.tools.list(agent_id, { limit: 50 })).items.map(({ name }) => name);
    expect(held).not.toContain("memory_insert");
    expect(await find()).toMatchObject([{ name: "memory_insert", created_by_id: author, last_updated_by_id: author }]);
    expect((await find())[0]?.id).not.toBe(first?.id);
  });

  test("stores a tool rule once, and refuses a schema for another function than the source has", async (context) => {
    const { client, agent_id } = await connect(dialect, context);
    const rule = { type: "max_count_per_step", tool_name: "memory_insert", max_count_limit: 2 };
    const exit = { type: "exit_loop", tool_name: "memory_insert" };
    const ruled = await client.agents.create({ model: "memoir/demo", tool_rules: [rule, exit, rule, exit] });
    const own = ruled.tool_rules?.filter(({ tool_name }) => tool_name === "memory_insert") ?? [];
    expect(own.map(({ type }) => type)).toEqual(["max_count_per_step", "exit_loop"]);
    const { tool_rules } = await client.agents.update(agent_id, { tool_rules: [exit, rule, exit] });
    expect(tool_rules?.map(({ type }) => type)).toEqual(["exit_loop", "max_count_per_step"]);
    const { id } = await client.tools.create({ source_code: source("roll_dice") });
    const other = {
      source_code: source("roll_one"),
      json_schema: { name: "roll_two", parameters: { type: "object" } },
    };
    await expect(client.tools.update(id, other)).rejects.toMatchObject(refusal(400, "roll_two"));
    expect((await client.tools.retrieve(id)).name).toBe("roll_dice");
  });

  test("creates, upserts, retrieves, updates, lists, searches and deletes tools", async (context) => {
    const { client, names, url } = await connect(dialect, context);
    const made = await client.tools.create({
      source_code: source("roll_dice"),
      source_type: "python",
      tags: ["game"],
      return_char_limit: 1000,
      default_requires_approval: true,
      enable_parallel_execution: true,
      pip_requirements: [{ name: "numpy", version: "2.0" }, { name: "requests" }],
    });
    expect(made).toMatchObject({
      name: "roll_dice",
      tool_type: "custom",
      source_type: "python",
      description: "Roll a dice.",
      tags: ["game"],
      return_char_limit: 1000,
      args_json_schema: {},
      default_requires_approval: true,
      enable_parallel_execution: true,
      pip_requirements: [
        { name: "numpy", version: "2.0" },
        { name: "requests", version: null },
      ],
      json_schema: { name: "roll_dice", parameters: { required: ["sides"] } },
    });
    expect(await client.tools.retrieve(made.id)).toEqual(made);
    const upserted = await client.tools.upsert({ source_code: source("roll_dice", "Roll one.") });
    expect(upserted).toMatchObject({
      id: made.id,
      description: "Roll one.",
      tags: ["game"],
      return_char_limit: 50_000,
    });
    const updated = await client.tools.update(made.id, {
      description: "mine",
      tags: ["a", "b"],
      return_char_limit: 5,
      source_code: null,
    });
    expect(updated).toMatchObject({ description: "mine", tags: ["a", "b"], return_char_limit: 5 });
    expect(updated.json_schema).toEqual(upserted.json_schema);
    const written = await client.tools.create({
      source_code: "anything",
      source_type: "typescript",
      json_schema: { name: "by-hand", description: "d", parameters: { type: "object", properties: {} } },
    });
    expect(written).toMatchObject({ name: "by-hand", description: "d", source_type: "typescript" });
    expect(await names({ tool_types: ["custom"] })).toEqual(["by-hand", "roll_dice"]);
    expect(await names({ name: "roll_dice" })).toEqual(["roll_dice"]);
    expect(await names({ names: ["by-hand", "send_message"], order: "asc" })).toEqual(["send_message", "by-hand"]);
    expect(await names({ search: "DICE" })).toEqual(["roll_dice"]);
    expect(await names({ tool_ids: [made.id] })).toEqual(["roll_dice"]);
    expect(await names({ tool_types: ["custom"], limit: 1, after: written.id })).toEqual(["roll_dice"]);
    const all = await Array.fromAsync(client.tools.list({ limit: 7 }));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(await client.get<number>("/v1/tools/count")).toBe(all.length);
    const count = (query: Fields) => client.get<number>("/v1/tools/count", { query });
    expect(await count({ exclude_letta_tools: true })).toBe(2);
    expect(await count({ return_only_letta_tools: true })).toBe(all.length - 2);
    expect(await count({ exclude_tool_types: "custom,letta_core" })).toBeLessThan(all.length - 2);
    const [hit, ...others] = await client.tools.search({ query: "roll dice", tool_types: ["custom"], limit: 5 });
    expect(hit).toMatchObject({ tool: { id: made.id }, fts_rank: 1, vector_rank: null, combined_score: 0.5 / 61 });
    expect(others).toEqual([]);
    const inProject = async (path: string, project: string, body?: Fields) => {
      const headers = { "content-type": "application/json", "x-project-id": project };
      const answer = await fetch(url + path, {
        method: body ? "POST" : "GET",
        headers,
        body: body && JSON.stringify(body),
      });
      return (await answer.json()) as Fields & Fields[];
    };
    const ours = await inProject("/v1/tools/", "p", { source_code: source("ours") });
    expect(ours).toMatchObject({ name: "ours", project_id: "p" });
    expect(await inProject("/v1/tools/?name=ours", "q")).toEqual([]);
    expect(await inProject("/v1/tools/?name=ours", "p")).toHaveLength(1);
    expect(await client.tools.delete(made.id)).toBeNull();
    await expect(client.tools.retrieve(made.id)).rejects.toMatchObject(refusal(404, "^Tool not found with id='"));
  });

  test("attaches a tool, guards it, and takes it away: the model is offered what the agent holds", async (context) => {
    const { client, agent_id, openai, url } = await connect(dialect, context);
    const tool = await client.tools.create({ source_code: source("roll_dice") });
    const guarded = await client.tools.create({ source_code: source("guarded"), default_requires_approval: true });
    const offered = async (text: string) => {
      const answer = await client.agents.messages.create(agent_id, { messages: [{ role: "user", content: text }] });
      const tools: { function: { name: string } }[] = openai.requests.at(-1)?.body.tools ?? [];
      return { answer, names: tools.map((item) => item.function.name) };
    };
    expect(await client.agents.tools.attach(tool.id, { agent_id })).toBeNull();
    expect(await client.agents.tools.attach(tool.id, { agent_id })).toBeNull();
    const { answer, names } = await offered('!tool roll_dice {"sides": 6}');
    expect(names).toContain("roll_dice");
    expect(answer.messages[1]).toMatchObject({ message_type: "tool_return_message", name: "roll_dice" });
    expect((await client.agents.tools.list(agent_id, { limit: 1 })).items.map(({ name }) => name)).toEqual([
      "roll_dice",
    ]);
    const held = await Array.fromAsync(client.agents.tools.list(agent_id));
    expect(held.map(({ name }) => name)).toContain("conversation_search");
    expect(await client.agents.tools.detach(tool.id, { agent_id })).toBeNull();
    expect(await client.agents.tools.detach(tool.id, { agent_id })).toBeNull();
    expect((await offered("hi")).names).not.toContain("roll_dice");
    const rules = async () => (await client.agents.retrieve(agent_id)).tool_rules;
    await client.agents.tools.attach(guarded.id, { agent_id });
    expect(await rules()).toEqual([{ type: "requires_approval", tool_name: "guarded", prompt_template: null }]);
    const approve = (tool_name: string, requires_approval: boolean) =>
      client.agents.tools.updateApproval(tool_name, { agent_id, body_requires_approval: requires_approval });
    expect(await approve("guarded", false)).toBeNull();
    expect(await approve("roll_dice", true)).toBeNull();
    expect((await rules())?.map(({ tool_name }) => tool_name)).toEqual(["roll_dice"]);
    await client.agents.tools.updateApproval("guarded", { agent_id, query_requires_approval: true });
    expect(await rules()).toHaveLength(2);
    expect(await approve("guarded", false)).toBeNull();
    const older = await fetch(`${url}/v1/agents/${agent_id}/tools/approval/roll_dice?requires_approval=false`, {
      method: "PATCH",
      headers: { "user-agent": "curl/8.5.0" },
    });
    expect(await older.json()).toMatchObject({ id: agent_id, tool_rules: [] });
  });

  test("runs source in the sandbox, stored or not, in both languages", async (context) => {
    await needSandbox(context);
    const { client, agent_id } = await connect(dialect, context);
    const tool = await client.tools.create({ source_code: source("roll_dice") });
    await client.agents.tools.attach(tool.id, { agent_id });
    expect(await client.agents.tools.run("roll_dice", { agent_id, args: { sides: 6 } })).toMatchObject({
      status: "success",
      agent_state: null,
      stdout: [],
      stderr: [],
      sandbox_config_fingerprint: expect.stringMatching(/^\d+$/),
    });
    const raising = await client.tools.create({
      source_code: source("raise_it").replace("return", "raise ValueError() #"),
    });
    await client.agents.tools.attach(raising.id, { agent_id });
    expect(await client.agents.tools.run("raise_it", { agent_id, args: { sides: 6 } })).toMatchObject({
      status: "error",
      func_return: null,
      stderr: [expect.stringContaining("ValueError")],
      sandbox_config_fingerprint: null,
    });
    const run = (body: Fields) => client.post<Fields>("/v1/tools/run", { body });
    const python = "import os\n\ndef who(): return [os.getuid(), os.environ.get('KEY'), os.environ.get('HOME')]";
    expect(await run({ source_code: python, args: {}, env_vars: { KEY: "v" } })).toMatchObject({
      id: "null",
      message_type: "tool_return_message",
      status: "success",
      tool_return: '[65534,"v","/tmp"]',
      tool_call_id: "null",
      tool_returns: [{ type: "tool", status: "success" }],
    });
    const typescript = "export function add(a: number, b = 3): { sum: number } { return { sum: a + b }; }";
    expect(await run({ source_code: typescript, source_type: "typescript", args: { a: 2 } })).toMatchObject({
      status: "success",
      tool_return: '{"sum":5}',
    });
    expect(await run({ source_code: "def f(x: int): return 1 / x", args: { x: 0 } })).toMatchObject({
      status: "error",
      tool_return: "Error executing function f: ZeroDivisionError: division by zero",
      stderr: [expect.stringContaining("ZeroDivisionError")],
    });
    await expect(run({ source_code: "x = 1", args: {} })).rejects.toMatchObject({ status: 400 });
  });

  test("calls a builtin tool by hand, and learns what models are told of a source", async (context) => {
    const { client, agent_id } = await connect(dialect, context);
    const edit = { label: "human", old_string: "unknown", new_string: "Ada" };
    expect(await client.agents.tools.run("memory_replace", { agent_id, args: edit })).toMatchObject({
      status: "success",
      agent_state: null,
      stdout: [],
      stderr: [],
    });
    expect((await client.agents.blocks.retrieve("human", { agent_id })).value).toBe("Name: Ada.");
    expect(await client.agents.tools.run("memory_replace", { agent_id, args: edit })).toMatchObject({
      status: "error",
      func_return: null,
      stderr: [expect.stringContaining("unknown")],
    });
    const tool = await client.tools.create({ source_code: source("roll_dice") });
    await expect(client.agents.tools.run("roll_dice", { agent_id })).rejects.toMatchObject({ status: 404 });
    const schema = await client.post<Fields>("/v1/tools/generate-schema", { body: { code: source("roll_dice") } });
    expect(schema).toEqual(tool.json_schema);
    const typescript = "/** Rolls dice. */\nexport const roll = (sides: 6 | 20, times = 1): number => sides * times;";
    const described = await client.post("/v1/tools/generate-schema", {
      body: { code: typescript, source_type: "typescript" },
    });
    expect(described).toEqual({
      name: "roll",
      description: "Rolls dice.",
      parameters: {
        type: "object",
        properties: { sides: { type: "integer", enum: [6, 20] }, times: { type: "number" } },
        required: ["sides"],
      },
    });
    const made = await client.tools.create({ source_code: typescript, source_type: "typescript" });
    expect(made).toMatchObject({ name: "roll", source_type: "typescript", json_schema: described });
    const renamed = await client.tools.update(made.id, { source_code: typescript.replace("roll", "throw_dice") });
    expect(renamed).toMatchObject({ id: made.id, name: "throw_dice" });
    const base = await client.post<{ tool_type: string }[]>("/v1/tools/add-base-tools");
    expect(base.length).toBeGreaterThan(20);
    expect(base.every(({ tool_type }) => tool_type.startsWith("letta_"))).toBe(true);
  });

  test("is told plainly what cannot be", async (context) => {
    const { client, agent_id } = await connect(dialect, context);
    const create = (body: Fields) => client.tools.create(body);
    await expect(create({ source_code: "def broken(" })).rejects.toMatchObject(
      refusal(400, "^Failed to derive json schema: "),
    );
    await expect(create({ source_code: "def plain(a):\n    return a\n" })).rejects.toMatchObject(
      refusal(400, 'plain" has no docstring'),
    );
    await expect(create({})).rejects.toMatchObject(refusal(422, "Field required"));
    await expect(create({ source_code: "x", name: "y" })).rejects.toMatchObject(refusal(422, "Extra inputs"));
    await expect(create({ source_code: "x", source_type: "typescript" })).rejects.toMatchObject(
      refusal(400, "^Failed to derive json schema: there is no exported function"),
    );
    await expect(
      create({ source_code: "\nexport const f = (x) => x;", source_type: "typescript" }),
    ).rejects.toMatchObject(refusal(400, "^Failed to derive json schema: line 2: .* has no type"));
    await expect(create({ source_code: "x", source_type: "ruby" })).rejects.toMatchObject(refusal(400, "ruby"));
    for (const return_char_limit of [0, 1_000_001]) {
      const input = { source_code: source("f"), return_char_limit };
      await expect(create(input)).rejects.toMatchObject({ status: 422 });
    }
    await expect(create({ source_code: source("send_message") })).rejects.toMatchObject(
      refusal(409, "^CONFLICT: .*send_message"),
    );
    await expect(client.tools.list({ tool_types: ["odd"] })).rejects.toMatchObject(refusal(400, "odd"));
    await expect(client.tools.list({ after: `tool-${unknownId}` })).rejects.toMatchObject(
      refusal(404, "^Tool not found"),
    );
    await expect(client.tools.retrieve("tool-1")).rejects.toMatchObject(refusal(422, "tool-{uuid4}"));
    await expect(client.tools.delete(`tool-${unknownId}`)).rejects.toMatchObject({ status: 404 });
    await expect(client.agents.tools.attach(`tool-${unknownId}`, { agent_id })).rejects.toMatchObject({ status: 404 });
    await expect(client.agents.tools.attach("x", { agent_id })).rejects.toMatchObject({ status: 422 });
    const approval = `/v1/agents/${agent_id}/tools/approval/x`;
    await expect(client.patch(approval, { body: {} })).rejects.toMatchObject(refusal(422, "requires_approval"));
    await expect(client.patch(approval, { body: { requires_approval: true, x: 1 } })).rejects.toMatchObject({
      status: 422,
    });
  });
});
