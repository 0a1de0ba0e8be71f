/** Agent files over HTTP: what goes in and out, what is refused and in which words, and the form that was recorded. */
import { readFileSync } from "node:fs";
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { hasShared, needsShared, sharedPath } from "../../packages/core/src/testing/shared.ts";
import type { SampleName } from "../recorded/recorded-samples.ts";
import { createJudge, testComplete } from "../recorded/recordings.ts";
import { compareWire, IdMap } from "../recorded/wire-difference.ts";
import { contentOf, exportFile, importFile, type Loose, postFile } from "../support/agent-files.ts";
import { makeFile, makeLegacyFile } from "../support/agent-files-made.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";

async function open(dialect: DialectName, context: TestContext) {
  const { providers, openai } = await startDirectedModels();
  const { url, errors } = await startServer(dialect, context, { core: { providers } });
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/v1${path}`, {
      method,
      ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as Loose };
  };
  const create = async (body: object = {}) =>
    (await call("POST", "/agents/", { model: "openai/gpt-4o-mini", ...body })).body;
  const tell = async (id: string, content: Loose) =>
    await call("POST", `/agents/${id}/messages`, { messages: [{ role: "user", content }] });
  return { url, errors, call, create, tell, openai };
}

const file = (change: (file: Loose) => void = () => {}): string => {
  const made = makeFile();
  change(made);
  return JSON.stringify(made);
};

describe.for(dialects)("%s", (dialect) => {
  test("an agent of our own comes out as a file, and out of the file as it was", async (context) => {
    const { url, create, tell, call } = await open(dialect, context);
    const { id } = await create({
      name: "Nora",
      memory_blocks: [{ label: "human", value: "Name: Ada.", description: "whom I talk to" }],
      tags: ["red"],
      secrets: { KEY: "very secret" },
      compaction_settings: { mode: "all" },
      enable_sleeptime: true,
    });
    await tell(id, '!tool conversation_search {"query":"tea"}\n!say noted');
    const image = { type: "base64", media_type: "image/png", data: Buffer.from("pixels").toString("base64") };
    await tell(id, [
      { type: "text", text: "look" },
      { type: "image", source: image },
    ]);
    const answer = await fetch(`${url}/v1/agents/${id}/export`);
    expect(answer.headers.get("content-type")).toContain("application/json");
    const text = await answer.text();
    expect(text).toMatch(/^\{\n {2}"agents": \[\n {4}\{/);
    expect(text).not.toContain("very secret");
    const first: Loose = JSON.parse(text);
    expect(first.agents.map(({ name }: Loose) => name)).toEqual(["Nora", "Nora-sleeptime"]);
    expect(first.agents[0]).toMatchObject({
      id: "agent-0",
      enable_sleeptime: false,
      secrets: { KEY: "" },
      tool_exec_environment_variables: { KEY: "" },
      compaction_settings: { mode: "all" },
      group_ids: ["group-0"],
      block_ids: ["block-0"],
    });
    expect(first.groups).toMatchObject([
      {
        id: "group-0",
        agent_ids: ["agent-1"],
        manager_config: { manager_type: "sleeptime", manager_agent_id: "agent-0" },
      },
    ]);
    const roles = first.agents[0].messages.map(({ role }: Loose) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool", "assistant", "user", "assistant"]);
    expect(first.agents[0].messages[3].tool_returns[0].func_response).toMatch(/^\{\n {2}"status": "OK"/);
    expect(first.agents[0].messages[5].content[1]).toMatchObject({ source: { ...image, type: "letta", detail: null } });
    const [again = ""] = await importFile(url, text, { secrets: '{"KEY":"another"}' });
    expect(contentOf(await exportFile(url, again))).toEqual(contentOf(first));
    const { body } = await call("GET", `/agents/${again}`);
    expect(body.secrets.map(({ key, value }: Loose) => [key, value])).toEqual([["KEY", "********"]]);
    expect(body.enable_sleeptime).toBe(true);
    expect((await tell(again, "!heard")).body.messages.at(-1).content).toContain("look");
  });

  test("names, projects, models and messages as the form asks for", async (context) => {
    const { url, call } = await open(dialect, context);
    const agentOf = async (fields: Record<string, string>, headers = {}) => {
      const { status, body } = await postFile(url, file(), fields, headers);
      expect([status, body.agent_ids?.length]).toEqual([200, 2]);
      return (await call("GET", `/agents/${body.agent_ids[0]}`)).body;
    };
    expect((await agentOf({})).name).toBe("Ada_copy");
    expect((await agentOf({ append_copy_suffix: "False" })).name).toBe("Ada");
    expect((await agentOf({ override_name: "Eve" })).name).toBe("Eve");
    expect((await agentOf({ name: "Ivy", override_name: "Eve", strip_messages: "true" })).message_ids).toHaveLength(1);
    const other = await agentOf({ model: "openai/gpt-4.1", embedding: "memoir/lexical-512", project_id: "p1" });
    expect(other).toMatchObject({ model: "openai/gpt-4.1", embedding: "memoir/lexical-512", project_id: "p1" });
    const headers = { "x-project-id": "p2", "x-override-embedding-model": "memoir/lexical-512" };
    const byHeader = await agentOf({ project_id: "p1", env_vars_json: '{"KEY":"v"}' }, headers);
    expect(byHeader).toMatchObject({ project_id: "p2", embedding: "memoir/lexical-512" });
    expect(byHeader.secrets.map(({ value }: Loose) => value)).toEqual(["********"]);
  });

  test("notes say what is not as it stands in the file", async (context) => {
    const { url, call } = await open(dialect, context);
    const { body } = await postFile(url, file());
    expect(body.notes).toEqual([
      'block "notes" has 12 characters: its limit was raised from 5',
      expect.stringMatching(/^agent "Ada_copy": The sleep-time partner .* attach memory_insert and memory_replace\.$/),
    ]);
    const { body: blocks } = await call("GET", `/agents/${body.agent_ids[0]}/core-memory/blocks`);
    expect(blocks.find(({ label }: Loose) => label === "notes")).toMatchObject({ value: "twelve chars", limit: 12 });
  });

  test("a file of the older format comes in whole, its messages in their order", async (context) => {
    const { url, call, openai } = await open(dialect, context);
    const { status, body } = await postFile(url, JSON.stringify(makeLegacyFile()), { model: "openai/gpt-4o-mini" });
    const note = 'tool "star" is run at Composio, which needs COMPOSIO_API_KEY, of the server or as a secret';
    expect([status, body.notes]).toEqual([200, [note]]);
    const [id] = body.agent_ids;
    const { body: agent } = await call("GET", `/agents/${id}`);
    expect(agent).toMatchObject({
      name: "Old Ada_copy",
      agent_type: "memgpt_agent",
      tags: ["old"],
      metadata: { k: 1 },
    });
    expect(agent.tools.map(({ name, tool_type }: Loose) => [name, tool_type])).toEqual([
      ["send_message", "letta_core"],
      ["star", "external_composio"],
    ]);
    expect(agent.secrets.map(({ key }: Loose) => key)).toEqual(["KEY"]);
    expect(agent.message_ids).toHaveLength(4);
    const { body: messages } = await call("GET", `/agents/${id}/messages?order=asc&limit=20`);
    expect(messages.map(({ message_type }: Loose) => message_type)).toEqual([
      "user_message",
      "reasoning_message",
      "assistant_message",
      "user_message",
      "system_message",
    ]);
    await call("POST", `/agents/${id}/messages`, { input: "hello" });
    const sent: Loose = openai.requests.at(-1)?.body;
    expect(sent.messages.map(({ role }: Loose) => role)).toEqual(["system", "assistant", "tool", "user", "user"]);
    expect(sent.messages[0].content).toContain("Name: Ada");
    const stripped = await postFile(url, JSON.stringify(JSON.stringify(makeLegacyFile())), { strip_messages: "1" });
    expect((await call("GET", `/agents/${stripped.body.agent_ids[0]}`)).body.message_ids).toHaveLength(1);
    const wrong = { ...makeLegacyFile(), in_context_message_indices: [4, 9] };
    expect(await postFile(url, JSON.stringify(wrong))).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("in_context_message_indices[1] is 9") },
    });
  });

  test("exports one conversation, without messages, and with skills", async (context) => {
    const { url, create, tell, call } = await open(dialect, context);
    const { id } = await create();
    await tell(id, "in public");
    const { body: conversation } = await call("POST", `/conversations/?agent_id=${id}`, {});
    await call("POST", `/conversations/${conversation.id}/messages`, { input: "in private", streaming: false });
    const texts = async (query: string) => JSON.stringify((await exportFile(url, id, query)).agents[0].messages);
    expect(await texts(`?conversation_id=${conversation.id}`)).toContain("in private");
    expect(await texts("?conversation_id=default&max_steps=3")).toContain("in public");
    expect(await texts("?scrub_messages=true")).toBe("[]");
    const skills = [
      { name: "cook", files: { "SKILL.md": "Stir." } },
      { name: "bake", source_url: "https://example.com/" },
    ];
    const { body } = await call("POST", `/agents/${id}/export`, { skills, scrub_messages: true });
    expect(body.skills).toEqual([
      { name: "cook", files: { "SKILL.md": "Stir." }, source_url: null },
      { name: "bake", files: null, source_url: "https://example.com/" },
    ]);
    expect(body.agents[0].messages).toEqual([]);
    const bare = await fetch(`${url}/v1/agents/${id}/export`, { method: "POST" });
    expect([bare.status, ((await bare.json()) as Loose).skills]).toEqual([200, []]);
    const bad = await call("POST", `/agents/${id}/export`, { skills: [{ name: "x", files: { "a.md": "" } }] });
    expect([bad.status, bad.body.detail]).toEqual([422, expect.stringContaining("SKILL.md")]);
    const unknown = "agent-00000000-0000-4000-8000-00000000dead";
    const missing = await call("GET", `/agents/${unknown}/export`);
    expect([missing.status, missing.body.detail]).toEqual([404, `Agent with ID ${unknown} not found`]);
  });
});

describe("a file that does not hold", () => {
  test.for<[string, string | ((file: Loose) => void), number, RegExp]>([
    ["an empty file", "", 400, /Corrupted agent file format/],
    ["what is not JSON", "hello", 400, /Corrupted agent file format/],
    ["JSON that nests without end", "[".repeat(10_000), 400, /nested more than/],
    ["a list", "[]", 400, /must hold a JSON object/],
    ["an object of another kind", '{"name":"x"}', 400, /no 'agents' list/],
    ["JSON inside JSON inside JSON", JSON.stringify(JSON.stringify("{}")), 400, /must hold a JSON object/],
    ["a file without a list it must have", (it) => delete it.tools, 422, /"loc":\["body","tools"\]/],
    [
      "a wrong type",
      (it) => (it.agents[0].llm_config.context_window = "big"),
      422,
      /"agents",0,"llm_config","context_window"/,
    ],
    ["an unknown role", (it) => (it.agents[0].messages[1].role = "pope"), 422, /"messages",1,"role"/],
    ["an id of another kind", (it) => (it.agents[0].id = "block-7"), 400, /agents\[0\]\.id is "block-7"/],
    ["an id twice", (it) => (it.blocks[1].id = "block-0"), 400, /blocks\[1\]\.id "block-0" occurs twice/],
    ["a tool that is not there", (it) => it.tools.pop(), 400, /agents\[0\]\.tool_ids\[1\] names "tool-1"/],
    ["a file without its folder", (it) => (it.sources = []), 400, /files\[0\]\.source_id names "source-0"/],
    [
      "a link of another agent",
      (it) => (it.agents[0].files_agents[0].agent_id = "agent-1"),
      400,
      /files_agents\[0\]\.agent_id/,
    ],
    ["a context with holes", (it) => it.agents[0].messages.pop(), 400, /in_context_message_ids\[4\] names "message-4"/],
    [
      "two blocks of one label",
      (it) => (it.blocks[1].label = "human"),
      400,
      /block_ids\[1\] has the name of another one/,
    ],
    ["a group of strangers", (it) => it.groups[0].agent_ids.push("agent-9"), 400, /groups\[0\]\.agent_ids\[1\]/],
    ["two tools of one name", (it) => (it.tools[1].name = "roll"), 400, /tools\[1\] has the name of another one/],
    ["a name that no agent may have", (it) => (it.agents[1].name = "a/b"), 422, /agent name/],
    ["a clock nobody knows", (it) => (it.agents[1].timezone = "Mars/Town"), 422, /timezone/],
  ])("refuses %s, in words, and keeps nothing", async ([, change, status, words], context) => {
    const { url, call, errors } = await open("sqlite", context);
    const counts = async () => [(await call("GET", "/agents/count")).body, (await call("GET", "/blocks/count")).body];
    const answer = await postFile(url, typeof change === "string" ? change : file(change));
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(words)]);
    expect(await counts()).toEqual([0, 0]);
    expect(errors).toEqual([]);
  });
});

const roll = (id: string) => ({ id, type: "function", function: { name: "roll", arguments: "{}" } });
const said = (role: string, more: Loose) => ({ role, content: [], created_at: "2026-01-02T03:04:05+00:00", ...more });

test.for<[string, Loose[]]>([
  ["a call that nobody answered", [said("assistant", { tool_calls: [roll("c1")] })]],
  ["a result that nobody asked for", [said("tool", { tool_call_id: "c1", content: "six" })]],
  ["a result without a call's id", [said("tool", { content: "six" })]],
  ["an approval that nobody gave", [said("approval", { tool_calls: [roll("c1")] })]],
  [
    "an approval of nothing",
    [said("approval", { approvals: [{ type: "approval", approve: true, tool_call_id: "c9" }] })],
  ],
  [
    "results in two messages",
    [
      said("assistant", { tool_calls: [roll("c1"), roll("c2")] }),
      said("tool", { tool_call_id: "c1", content: "six" }),
      said("tool", { tool_call_id: "c2", content: "five" }),
    ],
  ],
  ["the same call twice", [said("assistant", { tool_calls: [roll("c1"), roll("c1")] })]],
  ["messages that say nothing", [said("user", {}), said("assistant", {}), said("system", {}), said("summary", {})]],
  ["two system messages and a late summary", [said("system", { content: "x" }), said("summary", { content: "y" })]],
  [
    "an image that was left out",
    [said("user", { content: [{ type: "image", source: { type: "letta", file_id: "f" } }] })],
  ],
])("an agent whose context holds %s answers", async ([, odd], context) => {
  const { url, tell, call, errors } = await open("sqlite", context);
  const broken = file((it) => {
    const messages = [said("system", { content: "s" }), ...odd].map((item, number) => ({
      ...item,
      id: `message-${number + 10}`,
    }));
    it.agents[0].messages = messages;
    it.agents[0].in_context_message_ids = messages.map(({ id }) => id);
  });
  const [id = ""] = await importFile(url, broken, { model: "openai/gpt-4o-mini" });
  const answer = await tell(id, "hello");
  expect([answer.status, answer.body.stop_reason?.stop_reason]).toEqual([200, "end_turn"]);
  expect((await call("GET", `/agents/${id}/messages`)).status).toBe(200);
  expect((await exportFile(url, id)).agents[0].messages).toHaveLength(odd.length + 3);
  expect(errors).toEqual([]);
});

test("all faults of a file are named at once", async (context) => {
  const { url } = await open("sqlite", context);
  const broken = file((it) => {
    it.agents[0].id = "x";
    it.tools = [];
    it.groups[0].shared_block_ids = ["block-77"];
  });
  const { body } = await postFile(url, broken);
  expect(body.detail).toContain('agents[0].id is "x"');
  expect(body.detail).toContain('tool_ids[0] names "tool-0"');
  expect(body.detail).toContain('"block-77"');
});

test("what is sent in another form than a form is refused", async (context) => {
  const { url, call } = await open("sqlite", context);
  expect(await call("POST", "/agents/import", makeFile())).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("multipart/form-data") },
  });
  const noFile = new FormData();
  noFile.set("name", "x");
  const answer = await fetch(`${url}/v1/agents/import`, { method: "POST", body: noFile });
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('\\"file\\"')]);
  const form = new FormData();
  form.set("label", "human");
  expect((await fetch(`${url}/v1/blocks/`, { method: "POST", body: form })).status).toBe(422);
  for (const secrets of ["no json", "[]", '{"a":1}']) {
    expect(await postFile(url, file(), { secrets })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("secrets") },
    });
  }
  expect((await postFile(url, "x".repeat(33 * 1024 * 1024))).status).toBe(413);
});

const recorded = (name: string): Loose => JSON.parse(readFileSync(sharedPath("wire", `${name}.json`), "utf8"));

/** Which fields there are, and of which types. */
function shapeOf(items: Loose[]): Record<string, string[]> {
  const shape: Record<string, Set<string>> = {};
  for (const item of items) {
    for (const [key, value] of Object.entries(item)) {
      shape[key] ??= new Set();
      shape[key].add(value === null ? "null" : Array.isArray(value) ? "list" : typeof value);
    }
  }
  return Object.fromEntries(Object.entries(shape).map(([key, types]) => [key, [...types].sort()]));
}

function compareRecorded(name: string, compare: (context: TestContext) => Promise<void>): void {
  test(name, (context) => (hasShared ? compare(context) : context.skip(needsShared)));
}

const judged = createJudge(["agentFiles"], []);

compareRecorded("the file, the answers and the refusals have the recorded form", async (context) => {
  const { url, call } = await open("sqlite", context);
  const judge = (name: SampleName, theirs: unknown, ours: unknown) =>
    expect(judged.judge(name, compareWire(new IdMap(), theirs, ours))).toEqual([]);
  const theirs = recorded("agent-export-af").response;
  const first = await postFile(url, JSON.stringify(theirs.body));
  const { status, body } = recorded("agent-import-af").response;
  judge("agent-import-af", { status, body }, first);
  const ours = await exportFile(url, first.body.agent_ids[0]);
  const formOf = (file: Loose) => ({
    file: shapeOf([file]),
    agents: shapeOf(file.agents),
    blocks: shapeOf(file.blocks),
    tools: Object.keys(shapeOf(file.tools)).sort(),
    messages: shapeOf(file.agents[0].messages),
    content: contentOf(file),
  });
  const named = { ...ours, agents: [{ ...ours.agents[0], name: theirs.body.agents[0].name }] };
  judge("agent-export-af", formOf(theirs.body), formOf(named));
  const legacy = recorded("agent-export-legacy").response;
  const asked = await call("GET", `/agents/${first.body.agent_ids[0]}/export?use_legacy_format=true`);
  judge("agent-export-legacy", { status: legacy.status, body: legacy.body }, asked);
  const bad = recorded("error-agent-import-bad").response;
  judge("error-agent-import-bad", bad.status, (await postFile(url, '{"no":"agents"}')).status);
});

if (hasShared) testComplete(judged);
