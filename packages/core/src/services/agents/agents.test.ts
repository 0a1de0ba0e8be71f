import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemPrompts } from "../../memory/prompts.ts";
import { type AgentKind, agentKinds } from "../../shared/agent-kinds.ts";
import { listSecrets } from "../../store/access/secrets.ts";
import type { AgentFilter } from "../../store/agents/agents.ts";
import { type Message, messageEntity } from "../../store/conversations/messages.ts";
import { getByIds } from "../../store/engine/entity.ts";
import { insertFolder } from "../../store/files/folders.ts";
import { dialects } from "../../testing/databases.ts";
import { countAllRows, inspectTables, populate, readRows } from "../../testing/rows.ts";
import { openNeighbour, openWorld, type World } from "../../testing/worlds.ts";
import type { NewAgent } from "./agent-create.ts";
import { randomAgentName } from "./agent-names.ts";
import type { AgentUpdate } from "./agents.ts";

const ascending = { limit: 50, order: "asc" } as const;
const unknown = (prefix: string) => `${prefix}-00000000-0000-4000-8000-00000000abcd`;
const archival = ["archival_memory_insert", "archival_memory_search"];

const editing = ["core_memory_append", "core_memory_replace", "memory", "memory_apply_patch"];

/** What a new agent of each kind has; `ruled` tools end the turn or carry it on. */
const kinds: Readonly<Record<AgentKind, { tools: string[]; ruled: string[]; messages: number }>> = {
  letta_v1_agent: {
    tools: [...archival, "conversation_search", "memory_insert", "memory_replace"],
    ruled: [],
    messages: 1,
  },
  memgpt_agent: {
    tools: [...archival, "conversation_search", ...editing, "send_message"],
    ruled: [...archival, "conversation_search", ...editing, "send_message"],
    messages: 4,
  },
  memgpt_v2_agent: {
    tools: [...archival, "conversation_search", "memory_insert", "memory_replace", "send_message"],
    ruled: [...archival, "conversation_search", "memory_insert", "memory_replace", "send_message"],
    messages: 4,
  },
  split_thread_agent: {
    tools: ["conversation_search", ...editing, "send_message"],
    ruled: ["conversation_search", ...editing, "send_message"],
    messages: 4,
  },
  sleeptime_agent: {
    tools: ["memory_finish_edits", "memory_insert", "memory_replace", "memory_rethink"],
    ruled: ["memory_finish_edits", "memory_insert", "memory_replace", "memory_rethink"],
    messages: 1,
  },
  voice_convo_agent: { tools: ["search_memory", "send_message"], ruled: ["send_message"], messages: 4 },
  voice_sleeptime_agent: {
    tools: ["finish_rethinking_memory", "rethink_user_memory", "store_memories"],
    ruled: [],
    messages: 1,
  },
  react_agent: { tools: [], ruled: [], messages: 4 },
  workflow_agent: { tools: [], ruled: [], messages: 4 },
};
const ending = ["send_message", "memory_finish_edits"];

test("names that are made up are names", () => {
  for (let step = 0; step < 1000; step++) expect(randomAgentName(() => step / 1000)).toMatch(/^([A-Z][a-z]+){2}$/);
});

describe.each(dialects)("%s: a new agent", (dialect) => {
  test("needs a model and nothing else", async (context) => {
    const { createAgent, actor, memoir } = await openWorld(dialect, context);
    const view = await createAgent({ model: "openai/gpt-4o-mini" });
    expect(view).toMatchObject({
      agent: {
        name: expect.stringMatching(/^([A-Z][a-z]+){2}$/),
        kind: "letta_v1_agent",
        system: systemPrompts.letta_v1_agent,
        description: null,
        metadata: null,
        model: { handle: "openai/gpt-4o-mini", contextWindow: 128_000, maxOutputTokens: 16_384 },
        embedding: null,
        compaction: {
          mode: "sliding_window",
          slidingWindowPercentage: 0.3,
          clipChars: 50_000,
          acknowledgement: false,
          modelSettings: null,
          model: "openai/gpt-5-mini",
        },
        toolRules: [],
        timezone: "UTC",
        autoclear: false,
        sleeptime: null,
        hidden: null,
        maxFilesOpen: 10,
        fileViewChars: 25_000,
        lastRunAt: null,
        createdBy: actor.userId,
      },
      blocks: [],
      tags: [],
      identities: [],
      secrets: [],
      folders: [],
      group: null,
    });
    expect(await memoir.agents.get(actor, view.agent.id)).toEqual(view);
  });

  test("is answered as it reads back, with all it was given", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, createAgent } = world;
    const folder = await makeFolder(world, "papers");
    const [first, second] = await makeIdentities(world);
    const block = await memoir.blocks.create(actor, { label: "team", value: "we", tags: ["t"] });
    const input: NewAgent = {
      name: "Ü-agent d'or_1",
      kind: "memgpt_v2_agent",
      description: "d",
      metadata: { a: [1, null] },
      system: "Be kind.",
      blocks: [{ label: "human", value: "Samira", tags: ["b", "a"] }],
      blockIds: [block.id],
      tools: ["web_search", "send_message"],
      tags: ["z", "a", "z"],
      identityIds: [second.id, first.id],
      folderIds: [folder],
      includeDefaultFolder: true,
      secrets: { B: "two", A: "one 🔑" },
      initialMessages: [{ role: "user", text: "Hello" }],
      responseFormat: { type: "json_object" },
      timezone: "Europe/Paris",
      sleeptime: true,
      maxFilesOpen: 7,
      fileViewChars: 1234,
      projectId: "p",
      templateId: "t",
      baseTemplateId: "b",
    };
    const view = await createAgent(input);
    expect(view.agent).toMatchObject({ name: input.name, timezone: "Europe/Paris", maxFilesOpen: 7, projectId: "p" });
    expect(view.blocks.map(({ label, tags }) => [label, tags])).toEqual([
      ["human", ["a", "b"]],
      ["team", ["t"]],
    ]);
    expect(view.tags).toEqual(["a", "z"]);
    expect(view.folders.map(({ name }) => name)).toEqual(["papers", `${input.name} External Data Source`]);
    expect(view.secrets.map(({ name, value }) => [name, value])).toEqual([
      ["A", "one 🔑"],
      ["B", "two"],
    ]);
    expect(await memoir.agents.get(actor, view.agent.id)).toEqual(view);
  });

  test("has the tools, rules and first messages of its kind", async (context) => {
    const { createAgent, scope } = await openWorld(dialect, context);
    for (const kind of agentKinds) {
      const expected = kinds[kind];
      const view = await createAgent({ kind, sleeptime: kind === "voice_convo_agent" });
      expect(view.agent.system).toBe(systemPrompts[kind]);
      expect(view.agent.autoclear, kind).toBe(kind === "workflow_agent");
      expect(
        view.tools.map(({ name }) => name),
        kind,
      ).toEqual(expected.tools);
      expect(new Set(view.agent.toolRules), kind).toEqual(
        new Set(expected.ruled.map((tool) => ({ type: ending.includes(tool) ? "exit" : "continue", tool }))),
      );
      const messages = await readMessages(scope, view.contextMessageIds);
      const roles = ["system", "assistant", "tool", "user"].slice(0, expected.messages);
      expect(
        messages.map(({ role }) => role),
        kind,
      ).toEqual(roles);
      if (expected.messages === 1) continue;
      const [call] = messages[1]?.toolCalls ?? [];
      expect(call).toMatchObject({ name: "send_message", arguments: expect.stringMatching(/^\{"message":"\S/) });
      expect(messages[2]?.toolReturns).toMatchObject([{ callId: call?.id, status: "success" }]);
      expect(JSON.parse(textOf(messages[3])), kind).toMatchObject({ type: "login" });
    }
  });

  test("shows its blocks in its first system message", async (context) => {
    const { createAgent, scope } = await openWorld(dialect, context);
    const view = await createAgent({ system: "Be kind.", blocks: [{ label: "human", value: "Samira" }] });
    const [system] = await readMessages(scope, view.contextMessageIds);
    expect(textOf(system)).toMatch(/^Be kind\.\n\n<memory_blocks>[\s\S]*<value>\nSamira\n<\/value>/);
    expect(textOf(system)).toContain(view.agent.id);
  });

  test("starts with the messages it is given, wrapped as its kind reads them", async (context) => {
    const { createAgent, scope } = await openWorld(dialect, context);
    const initialMessages = [
      { role: "user", text: "Hi", name: "Samira", otid: "o-1" },
      { role: "assistant", text: "Hello." },
      { role: "system", text: "Be brief." },
    ] as const;
    const plain = await createAgent({ initialMessages });
    const plainMessages = await readMessages(scope, plain.contextMessageIds);
    expect(plainMessages.slice(1).map((message) => [message.role, textOf(message)])).toEqual([
      ["user", "Hi"],
      ["assistant", "Hello."],
      ["system", "Be brief."],
    ]);
    expect(plainMessages[1]).toMatchObject({ name: "Samira", otid: "o-1" });
    const packed = await createAgent({ kind: "memgpt_agent", initialMessages });
    const messages = await readMessages(scope, packed.contextMessageIds);
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "system"]);
    expect(JSON.parse(textOf(messages[1]))).toMatchObject({ type: "user_message", message: "Hi", name: "Samira" });
    expect(JSON.parse(messages[2]?.toolCalls?.[0]?.arguments ?? "")).toEqual({ message: "Hello." });
    expect(JSON.parse(textOf(messages[4]))).toMatchObject({ type: "system_alert", message: "Be brief." });
    expect((await createAgent({ kind: "memgpt_agent", initialMessages: [] })).contextMessageIds).toHaveLength(1);
  });

  test("follows the caller's word on tools and rules", async (context) => {
    const { createAgent } = await openWorld(dialect, context);
    const names = (view: Awaited<ReturnType<typeof createAgent>>) => view.tools.map(({ name }) => name);
    const rules = (view: Awaited<ReturnType<typeof createAgent>>) =>
      view.agent.toolRules.map(({ type, tool }) => `${type} ${tool}`);
    const bare = await createAgent({ includeBaseTools: false, tools: ["run_code"] });
    expect(names(bare)).toEqual(["run_code"]);
    const sleepy = await createAgent({ sleeptime: true });
    expect(names(sleepy)).toEqual(names(await createAgent()));
    expect(rules(sleepy)).toContain("continue memory_insert");
    await expect(createAgent({ includeMultiAgentTools: true })).rejects.toMatchObject({ code: "not-implemented" });
    const own = { type: "max-count", tool: "memory_insert", limit: 2 } as const;
    expect(rules(await createAgent({ toolRules: [own] }))).toEqual(
      expect.arrayContaining(["max-count memory_insert", "continue memory_insert"]),
    );
    expect(rules(await createAgent({ toolRules: [own], includeBaseToolRules: false }))).toEqual([
      "max-count memory_insert",
    ]);
    expect(rules(await createAgent({ includeBaseToolRules: true })).length).toBe(5);
    const exempt = { kind: "memgpt_agent", model: "openai/gpt-5" } as const;
    expect(rules(await createAgent(exempt))).toEqual([]);
    expect(rules(await createAgent({ ...exempt, kind: "sleeptime_agent" })).length).toBe(4);
    const twice = await createAgent({ tools: ["memory_insert"], toolIds: bare.tools.map(({ id }) => id) });
    expect(names(twice)).toEqual([...names(await createAgent()), "run_code"].sort());
  });

  test("with blocks of the usual labels gets their usual descriptions", async (context) => {
    const { createAgent } = await openWorld(dialect, context);
    const labels = ["human", "persona", "notes"];
    const { blocks } = await createAgent({ blocks: labels.map((label) => ({ label, value: "" })) });
    expect(blocks.map(({ description }) => description)).toEqual([expect.any(String), expect.any(String), null]);
    const own = await createAgent({ blocks: [{ label: "human", value: "", description: "mine" }] });
    expect(own.blocks[0]?.description).toBe("mine");
  });

  test("is hidden as a tool of others, and keeps its memory in git if its tags say so", async (context) => {
    const { createAgent } = await openWorld(dialect, context);
    expect((await createAgent({ tags: ["role:subagent"] })).agent.hidden).toBe(true);
    const blocks = [
      { label: "human", value: "" },
      { label: "system/persona", value: "" },
    ];
    const view = await createAgent({ tags: ["git-memory-enabled"], blocks });
    expect(view.blocks.map(({ label }) => label)).toEqual(["system/human", "system/persona"]);
  });

  test("may have the name of another, but not any name", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent({ name: "Twin" });
    await createAgent({ name: "Twin" });
    expect(await memoir.agents.count(actor, { name: "Twin" })).toBe(2);
    for (const name of ["", "a/b", "a\nb", "<b>", "naïve\u0000", "🙂", "a.b", "a\tb"]) {
      const refusal = { code: "invalid-input", details: { field: "name" } };
      await expect(createAgent({ name }), name).rejects.toMatchObject(refusal);
      await expect(memoir.agents.update(actor, agent.id, { name }), name).rejects.toMatchObject(refusal);
    }
    for (const name of ["Müller's agent-2_b", "日本語", "हिन्दी", "a"]) await createAgent({ name });
  });

  test("lives in a timezone that exists, and opens a number of files that makes sense", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent({ timezone: "Asia/Kolkata", maxFilesOpen: 1000 });
    const cases: [Partial<AgentUpdate & NewAgent>, object][] = [
      [{ timezone: "Mars/Olympus" }, { code: "invalid-input", details: { field: "timezone" } }],
      [{ timezone: "" }, { code: "invalid-input", details: { field: "timezone" } }],
      [{ maxFilesOpen: 1001 }, { code: "invalid-argument", details: { field: "max_files_open" } }],
      [{ maxFilesOpen: 0 }, { code: "invalid-argument" }],
      [{ fileViewChars: 0 }, { code: "invalid-input" }],
    ];
    for (const [input, refusal] of cases) {
      await expect(createAgent(input as NewAgent)).rejects.toMatchObject(refusal);
      await expect(memoir.agents.update(actor, agent.id, input as AgentUpdate)).rejects.toMatchObject(refusal);
    }
    expect((await memoir.agents.get(actor, agent.id)).agent).toEqual(agent);
  });

  test("is made whole or not at all", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, createAgent, store } = world;
    await createAgent({ name: "Taken", includeDefaultFolder: true });
    const block = await memoir.blocks.create(actor, { label: "human", value: "" });
    const full: NewAgent = {
      blocks: [{ label: "notes", value: "n", tags: ["t"] }],
      tags: ["a"],
      secrets: { A: "b" },
      sleeptime: true,
    };
    const before = await countAllRows(store);
    const cases: [NewAgent, object][] = [
      [
        { tools: ["no_such_tool", "nor_this"] },
        {
          code: "invalid-argument",
          message: expect.stringContaining("Tools not found by name: no_such_tool, nor_this"),
        },
      ],
      [{ toolIds: [unknown("tool")] }, { code: "invalid-argument" }],
      [{ blockIds: [unknown("block")] }, { code: "not-found", details: { entity: "block", id: unknown("block") } }],
      [
        {
          blocks: [
            { label: "a", value: "1" },
            { label: "a", value: "2" },
          ],
        },
        { code: "conflict" },
      ],
      [{ blocks: [{ label: "human", value: "" }], blockIds: [block.id] }, { code: "conflict" }],
      [{ blocks: [{ label: "a", value: "long", charLimit: 3 }] }, { code: "invalid-input" }],
      [{ identityIds: [unknown("identity")] }, { code: "not-found", details: { entity: "identity" } }],
      [{ folderIds: [unknown("source")] }, { code: "not-found", details: { entity: "folder" } }],
      [
        { name: "Taken", includeDefaultFolder: true },
        { code: "conflict", details: { entity: "folder" } },
      ],
      [{ model: "openai/no-such-model" }, { code: "not-found", details: { entity: "model" } }],
      [{ model: "gpt-4o" }, { code: "invalid-argument", details: { field: "model" } }],
      [
        { embedding: "openai/nothing" },
        { code: "invalid-argument", message: "Embedding model openai/nothing not found" },
      ],
      [{ kind: "voice_convo_agent", sleeptime: false }, { code: "invalid-input" }],
      // The companion has a block of this label already.
      [{ blocks: [{ label: "memory_persona", value: "" }] }, { code: "conflict" }],
    ];
    for (const [input, refusal] of cases) {
      await expect(createAgent({ ...full, ...input }), JSON.stringify(input)).rejects.toMatchObject(refusal);
      expect(await countAllRows(store), JSON.stringify(input)).toEqual(before);
    }
    await createAgent(full);
    expect(await countAllRows(store)).not.toEqual(before);
  });

  test("thinks with the model of its handle, within the limits of both", async (context) => {
    const { memoir, actor, createAgent, openAnother } = await openWorld(dialect, context);
    await expect(memoir.agents.create(actor, {})).rejects.toMatchObject({
      code: "invalid-argument",
      message: "Must specify either model or llm_config in request",
    });
    const another = await openAnother({ defaultModel: "openai/gpt-4o", contextWindowCap: 50_000 });
    expect((await another.agents.create(actor, {})).agent.model).toMatchObject({
      handle: "openai/gpt-4o",
      contextWindow: 50_000,
    });
    const big = await createAgent({ model: "openai/gpt-4.1", contextWindow: 900_000 });
    expect(big.agent).toMatchObject({ model: { contextWindow: 900_000 }, maxFilesOpen: 15, fileViewChars: 40_000 });
    const small = await createAgent({ contextWindow: 8000 });
    expect(small.agent).toMatchObject({ model: { contextWindow: 8000 }, maxFilesOpen: 3, fileViewChars: 5000 });
    await expect(createAgent({ contextWindow: 32_001 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(createAgent({ contextWindow: 4095 })).rejects.toMatchObject({ code: "invalid-input" });
    await expect(createAgent({ maxOutputTokens: 100, maxReasoningTokens: 100 })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { field: "max_reasoning_tokens" },
    });
    const own = { ...small.agent.model, model: "mine", handle: null, contextWindow: 5_000_000 };
    const configured = await createAgent({ model: "openai/gpt-4o", modelConfig: own });
    expect(configured.agent.model).toEqual(own);
  });
});

describe.each(dialects)("%s: secrets", (dialect) => {
  test("lie sealed in the database and open for their agent", async (context) => {
    const { memoir, actor, createAgent, scope } = await openWorld(dialect, context);
    const { agent } = await createAgent({ secrets: { TOKEN: "plain-text-secret", OTHER: "x" } });
    const stored = await listSecrets(scope, [agent.id]);
    expect(stored.map(({ name }) => name)).toEqual(["OTHER", "TOKEN"]);
    for (const { ciphertext } of stored) expect(Buffer.from(ciphertext).toString("latin1")).not.toContain("plain-text");
    const updated = await memoir.agents.update(actor, agent.id, { secrets: { TOKEN: "second" } });
    expect(updated.secrets.map(({ name, value }) => [name, value])).toEqual([["TOKEN", "second"]]);
    expect((await memoir.agents.update(actor, agent.id, { secrets: {} })).secrets).toEqual([]);
  });

  test("keep a program with another key from starting, which says what it needs", async (context) => {
    const { createAgent, openAnother } = await openWorld(dialect, context);
    await createAgent({ secrets: { TOKEN: "plain-text-secret" } });
    await expect(openAnother({ encryptionKey: "not the key" })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("another encryption key"),
    });
  });
});

test("sqlite: without a key of the operator's, one is kept beside the file for the owner's eyes only", async (context) => {
  const world = await openWorld("sqlite", context, { encryptionKey: undefined });
  const { agent } = await world.createAgent({ secrets: { TOKEN: "plain-text-secret" } });
  expect(statSync(`${world.database}.key`).mode & 0o777).toBe(0o600);
  const again = await world.openAnother();
  expect((await again.agents.get(world.actor, agent.id)).secrets).toMatchObject([{ value: "plain-text-secret" }]);
});

describe.each(dialects)("%s: an update", (dialect) => {
  test("changes what it names and nothing else", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const created = await createAgent({ tags: ["a"], blocks: [{ label: "human", value: "" }], description: "old" });
    const update = {
      name: "New name",
      metadata: { b: 2 },
      system: "New system.",
      timezone: "America/New_York",
      autoclear: true,
      hidden: true,
      lastRunAt: 5,
      lastRunMs: 6,
      lastStopReason: "end_turn",
      projectId: "p",
      templateId: "t",
      baseTemplateId: "b",
      maxFilesOpen: 3,
      fileViewChars: 4,
      toolRules: [{ type: "exit", tool: "send_message" }],
      responseFormat: { type: "text" },
      description: undefined,
    } satisfies AgentUpdate;
    const view = await memoir.agents.update(actor, created.agent.id, update);
    const { updatedAt } = view.agent;
    expect(view).toEqual({ ...created, agent: { ...created.agent, ...update, description: "old", updatedAt } });
    expect(updatedAt).toBeGreaterThan(created.agent.updatedAt);
    await expect(memoir.agents.update(actor, unknown("agent"), update)).rejects.toMatchObject({ code: "not-found" });
  });

  test("does not rewrite the system message", async (context) => {
    const { memoir, actor, createAgent, scope } = await openWorld(dialect, context);
    const { agent, contextMessageIds } = await createAgent({ system: "Old system." });
    const view = await memoir.agents.update(actor, agent.id, { system: "New system." });
    expect(view.contextMessageIds).toEqual(contextMessageIds);
    expect(textOf((await readMessages(scope, contextMessageIds))[0])).toMatch(/^Old system/);
  });

  test("replaces sets as a whole", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, createAgent } = world;
    const [first, second] = await makeIdentities(world);
    const [one, two] = [await makeFolder(world, "one"), await makeFolder(world, "two")];
    const { agent, tools } = await createAgent({
      tags: ["a", "b"],
      identityIds: [first.id],
      folderIds: [one],
      blocks: [{ label: "human", value: "" }],
      secrets: { A: "1" },
    });
    const block = await memoir.blocks.create(actor, { label: "human", value: "other" });
    const kept = tools[0]?.id ?? "";
    const view = await memoir.agents.update(actor, agent.id, {
      tags: ["c", "b", "c"],
      identityIds: [second.id, second.id],
      folderIds: [two, two],
      blockIds: [block.id],
      toolIds: [kept, kept],
      secrets: { B: "2" },
    });
    expect(view.tags).toEqual(["b", "c"]);
    expect(view.identities.map(({ id }) => id)).toEqual([second.id]);
    expect(view.folders.map(({ id }) => id)).toEqual([two]);
    expect(view.blocks).toEqual([block]);
    expect(view.tools.map(({ id }) => id)).toEqual([kept]);
    expect(view.secrets).toMatchObject([{ name: "B", value: "2" }]);
    expect(await memoir.agents.get(actor, agent.id)).toEqual(view);
    const none = { tags: [], identityIds: [], folderIds: [], blockIds: [], toolIds: [], secrets: {} };
    expect(await memoir.agents.update(actor, agent.id, none)).toMatchObject({
      tags: [],
      identities: [],
      folders: [],
      blocks: [],
      tools: [],
      secrets: [],
    });
  });

  test("that names what does not exist changes nothing", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const created = await createAgent({ tags: ["a"], blocks: [{ label: "human", value: "" }], secrets: { A: "1" } });
    const cases: [AgentUpdate, string][] = [
      [{ toolIds: [unknown("tool")] }, "invalid-argument"],
      [{ blockIds: [unknown("block")] }, "not-found"],
      [{ folderIds: [unknown("source")] }, "not-found"],
      [{ identityIds: [unknown("identity")] }, "not-found"],
      [{ contextMessageIds: [unknown("message")] }, "not-found"],
      [{ contextMessageIds: [] }, "invalid-argument"],
      [{ model: "openai/nothing" }, "not-found"],
      [{ embedding: "openai/nothing" }, "invalid-argument"],
      [{ contextWindow: 1 }, "invalid-input"],
    ];
    for (const [update, code] of cases) {
      const input = { name: "Changed", tags: ["x"], secrets: { B: "2" }, ...update };
      await expect(memoir.agents.update(actor, created.agent.id, input), JSON.stringify(update)).rejects.toMatchObject({
        code,
      });
    }
    expect(await memoir.agents.get(actor, created.agent.id)).toEqual(created);
  });

  test("of the model keeps what it does not name", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent({ model: "openai/gpt-4o-mini", parallelToolCalls: true });
    const update = async (input: AgentUpdate) => (await memoir.agents.update(actor, agent.id, input)).agent.model;
    expect(await update({ contextWindow: 20_000 })).toMatchObject({ contextWindow: 20_000, parallelToolCalls: true });
    expect(await update({ maxOutputTokens: 1000 })).toMatchObject({ contextWindow: 20_000, maxOutputTokens: 1000 });
    expect(await update({ maxOutputTokens: null })).toMatchObject({ contextWindow: 20_000, maxOutputTokens: null });
    // A lowered window can be raised again, up to the model's own.
    expect(await update({ contextWindow: 128_000 })).toMatchObject({ contextWindow: 128_000 });
    await expect(update({ contextWindow: 128_001 })).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await update({ parallelToolCalls: false })).toMatchObject({ parallelToolCalls: false });
    expect(await update({ modelSettings: { temperature: 0.2 } })).toMatchObject({
      temperature: 0.2,
      maxOutputTokens: null,
    });
    expect(await update({ model: "anthropic/claude-haiku-4-5" })).toMatchObject({
      provider: "anthropic",
      contextWindow: 128_000,
    });
    const embedded = await memoir.agents.update(actor, agent.id, { embedding: "openai/text-embedding-3-small" });
    expect(embedded.agent.embedding?.handle).toBe("openai/text-embedding-3-small");
    expect(embedded.agent.model.provider).toBe("anthropic");
  });

  test("of the way of compacting keeps the rest, and takes the prompt of a new mode", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent } = await createAgent({ compaction: { clipChars: null, prompt: "mine" } });
    expect(agent.compaction).toMatchObject({ clipChars: null, prompt: "mine", mode: "sliding_window" });
    const update = async (compaction: AgentUpdate["compaction"]) =>
      (await memoir.agents.update(actor, agent.id, { compaction })).agent.compaction;
    expect(await update({ slidingWindowPercentage: 0.5 })).toEqual({
      ...agent.compaction,
      slidingWindowPercentage: 0.5,
    });
    const all = await update({ mode: "all", model: undefined });
    expect(all).toMatchObject({ mode: "all", clipChars: null, model: agent.compaction.model });
    expect(all.prompt).not.toBe("mine");
    expect(await update({ mode: "sliding_window", prompt: "again" })).toMatchObject({ prompt: "again" });
    expect(await update({ archiveEvicted: true })).toMatchObject({ archiveEvicted: true, prompt: "again" });
  });

  test("of the provider changes who writes summaries, unless that was chosen", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const create = async (compaction: AgentUpdate["compaction"]) =>
      (await memoir.agents.create(actor, { model: "openai/gpt-4o-mini", compaction })).agent.id;
    const change = async (id: string) =>
      (await memoir.agents.update(actor, id, { model: "anthropic/claude-sonnet-4-5" })).agent.compaction;
    expect(await change(await create({ modelSettings: { temperature: 0 } }))).toMatchObject({
      model: "anthropic/claude-haiku-4-5",
      modelSettings: null,
    });
    expect(await change(await create({ model: "openai/gpt-4.1" }))).toMatchObject({ model: "openai/gpt-4.1" });
  });

  test("of the context keeps the messages and shows the chosen ones", async (context) => {
    const { memoir, actor, createAgent, scope } = await openWorld(dialect, context);
    const { agent, contextMessageIds } = await createAgent({ kind: "memgpt_agent" });
    const [system = "", call = "", result = "", login = ""] = contextMessageIds;
    const update = async (ids: string[]) =>
      (await memoir.agents.update(actor, agent.id, { contextMessageIds: ids })).contextMessageIds;
    expect(await update([system, login])).toEqual([system, login]);
    expect(await update([system])).toEqual([system]);
    expect(await update([system, login, call, result])).toEqual([system, login, call, result]);
    expect(await update([...contextMessageIds])).toEqual(contextMessageIds);
    const other = await createAgent({ kind: "memgpt_agent" });
    for (const ids of [[], [login], [system, other.contextMessageIds[1] ?? ""]]) {
      await expect(update(ids)).rejects.toMatchObject({
        code: "invalid-argument",
        details: { field: "message_ids" },
      });
    }
    expect((await memoir.agents.get(actor, agent.id)).contextMessageIds).toEqual(contextMessageIds);
    expect(await readMessages(scope, contextMessageIds)).toHaveLength(4);
  });

  test("at the same moment as another loses none of the two", async (context) => {
    const { memoir, actor, createAgent, openAnother } = await openWorld(dialect, context);
    const programs = [memoir, await openAnother()];
    const { agent } = await createAgent();
    const updates: AgentUpdate[] = [
      { name: "N" },
      { description: "d" },
      { metadata: { m: 1 } },
      { system: "s" },
      { timezone: "Europe/Paris" },
      { contextWindow: 10_000 },
      { maxOutputTokens: 500 },
      { compaction: { clipChars: 5 } },
      { compaction: { slidingWindowPercentage: 0.7 } },
      { projectId: "p" },
      { autoclear: true },
      { tags: ["t"] },
    ];
    await Promise.all(updates.map((update, index) => programs[index % 2]?.agents.update(actor, agent.id, update)));
    expect(await memoir.agents.get(actor, agent.id)).toMatchObject({
      agent: {
        name: "N",
        description: "d",
        metadata: { m: 1 },
        system: "s",
        timezone: "Europe/Paris",
        model: { contextWindow: 10_000, maxOutputTokens: 500 },
        compaction: { clipChars: 5, slidingWindowPercentage: 0.7 },
        projectId: "p",
        autoclear: true,
      },
      tags: ["t"],
    });
  });

  test("of a set at the same moment as another leaves one of the two sets", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, createAgent, openAnother } = world;
    const programs = [memoir, await openAnother()];
    const { agent, tools } = await createAgent();
    const sets = Array.from({ length: 8 }, (_, index) => ["every", `only ${index}`]);
    await Promise.all(
      sets.map((tags, index) =>
        programs[index % 2]?.agents.update(actor, agent.id, {
          tags,
          secrets: Object.fromEntries(tags.map((tag) => [tag, tag])),
          toolIds: tools.slice(0, 1 + (index % 3)).map(({ id }) => id),
        }),
      ),
    );
    const view = await memoir.agents.get(actor, agent.id);
    expect(sets).toContainEqual(view.tags);
    expect(view.secrets.map(({ name }) => name)).toEqual(view.tags);
  });
});

describe.each(dialects)("%s: a companion for the hours of sleep", (dialect) => {
  test("comes with the agent, shares its blocks, and goes with it", async (context) => {
    const { memoir, actor, createAgent, store } = await openWorld(dialect, context);
    const before = await countAllRows(store);
    const { agent, group } = await createAgent({
      name: "Day",
      sleeptime: true,
      blocks: [{ label: "human", value: "" }],
      secrets: { A: "1" },
      tags: ["t"],
    });
    expect(group).toMatchObject({ kind: "sleeptime", managerAgentId: agent.id, frequency: 5, turns: -1 });
    expect(group?.agentIds).toHaveLength(1);
    const companion = await memoir.agents.get(actor, group?.agentIds[0] ?? "");
    expect(companion.agent).toMatchObject({ name: "Day-sleeptime", kind: "sleeptime_agent", hidden: null });
    expect(companion.agent.model).toMatchObject({ handle: "memoir/demo" });
    expect(companion.blocks.map(({ label }) => label)).toEqual(["memory_persona", "human"]);
    const block = await memoir.blocks.create(actor, { label: "later", value: "" });
    await memoir.agents.attachBlock(actor, agent.id, block.id);
    expect((await memoir.agents.get(actor, companion.agent.id)).blocks.map(({ label }) => label)).toContain("later");
    await memoir.agents.delete(actor, agent.id);
    await expect(memoir.agents.get(actor, companion.agent.id)).rejects.toMatchObject({ code: "not-found" });
    const after = await countAllRows(store);
    // Blocks outlive their agents.
    expect(after).toEqual({ ...before, block: 3, block_version: 3 });
  });

  test("is made by an update too, once", async (context) => {
    const { memoir, actor, createAgent, openAnother } = await openWorld(dialect, context);
    const programs = [memoir, await openAnother()];
    const { agent } = await createAgent({ blocks: [{ label: "human", value: "" }] });
    const views = await Promise.all(
      Array.from({ length: 6 }, (_, index) => programs[index % 2]?.agents.update(actor, agent.id, { sleeptime: true })),
    );
    expect(new Set(views.map((view) => view?.group?.id)).size).toBe(1);
    expect(await memoir.agents.count(actor)).toBe(2);
  });

  test("that is deleted leaves its agent alone", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { agent, group } = await createAgent({ sleeptime: true });
    await memoir.agents.delete(actor, group?.agentIds[0] ?? "");
    expect(await memoir.agents.get(actor, agent.id)).toMatchObject({ agent: { sleeptime: null }, group: null });
    expect((await memoir.agents.update(actor, agent.id, { sleeptime: true })).group?.agentIds).toHaveLength(1);
  });

  test("of a voice agent is one for voices", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const { group } = await createAgent({ kind: "voice_convo_agent", sleeptime: true });
    expect(group).toMatchObject({ kind: "voice_sleeptime", maxBuffer: 30, minBuffer: 15 });
    const companion = await memoir.agents.get(actor, group?.agentIds[0] ?? "");
    expect(companion.agent.kind).toBe("voice_sleeptime_agent");
  });
});

describe.each(dialects)("%s: a deleted agent", (dialect) => {
  test("leaves nothing behind but its blocks", async (context) => {
    const { memoir, actor, createAgent, store } = await openWorld(dialect, context);
    const before = await countAllRows(store);
    const { agent } = await createAgent({
      kind: "memgpt_agent",
      blocks: [{ label: "human", value: "" }],
      tags: ["t"],
      secrets: { A: "1" },
    });
    await memoir.agents.delete(actor, agent.id);
    expect(await countAllRows(store)).toEqual({ ...before, block: 1, block_version: 1 });
    const gone = { code: "not-found", details: { entity: "agent", id: agent.id } };
    await expect(memoir.agents.delete(actor, agent.id)).rejects.toMatchObject(gone);
    await expect(memoir.agents.get(actor, agent.id)).rejects.toMatchObject(gone);
  });

  test("takes along what was its own, and leaves what others can use", async (context) => {
    const { memoir, store } = await openWorld(dialect, context);
    const rows = await populate(store, "a");
    const owner = { orgId: "a", userId: "user-a" };
    // A group of other agents is not dissolved by deleting who manages it.
    await expect(memoir.agents.delete(owner, "agent-a")).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("manages a group"),
    });
    await store.unscoped
      .deleteFrom("group")
      .where("id", "=", String(rows.get("group")?.id))
      .execute();
    const tables = await inspectTables(store);
    const before = await readRows(store, tables);
    await memoir.agents.delete(owner, "agent-a");
    const after = await readRows(store, tables);
    const gone = tables.filter(({ name }) => (after[name]?.length ?? 0) < (before[name]?.length ?? 0));
    expect(gone.map(({ name }) => name).sort()).toEqual(
      [
        "agent",
        "agent_archive",
        "agent_block",
        "agent_file",
        "agent_folder",
        "agent_identity",
        "agent_tag",
        "agent_tool",
        "approval",
        "batch_item",
        "context_entry",
        "conversation",
        "conversation_block",
        "message",
        "message_vector",
        "run",
        "run_event",
        "schedule",
      ].sort(),
    );
    expect(after.step).toEqual(before.step?.map((row) => ({ ...row, run_id: null })));
  });
});

describe.each(dialects)("%s: lists of agents", (dialect) => {
  test("know every filter, and counts agree with them", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, createAgent } = world;
    const [samira] = await makeIdentities(world);
    const block = await memoir.blocks.create(actor, { label: "team", value: "" });
    const day = (await createAgent({ name: "Day_1", tags: ["x", "y"], blockIds: [block.id] })).agent.id;
    const night = (await createAgent({ name: "NÄCHT 1", tags: ["x"], identityIds: [samira.id], projectId: "p" })).agent
      .id;
    const noon = (await createAgent({ name: "day 1", templateId: "t", baseTemplateId: "b", blockIds: [block.id] }))
      .agent.id;
    const hidden = (await createAgent({ name: "Day_1", hidden: true })).agent.id;
    await memoir.agents.update(actor, noon, { lastStopReason: "error" });
    const cases: [AgentFilter, string[]][] = [
      [{}, [day, night, noon]],
      [{ showHidden: true }, [day, night, noon, hidden]],
      [{ name: "Day_1" }, [day]],
      [{ search: "y_1" }, [day]],
      [{ search: "DAY" }, [day, noon]],
      [{ search: "ächt" }, [night]],
      [{ search: "%" }, []],
      [{ tags: ["x"] }, [day, night]],
      [{ tags: ["y", "x"] }, [day, night]],
      [{ tags: ["y", "x"], matchAllTags: true }, [day]],
      [{ identityId: samira.id }, [night]],
      [{ identifierKeys: ["samira", "nobody"] }, [night]],
      [{ identifierKeys: ["nobody"] }, []],
      [{ projectId: "p" }, [night]],
      [{ templateId: "t" }, [noon]],
      [{ baseTemplateId: "b" }, [noon]],
      [{ lastStopReason: "error" }, [noon]],
      [{ createdBy: actor.userId }, [day, night, noon]],
      [{ createdBy: "user-none" }, []],
      [{ blockId: block.id }, [day, noon]],
      [{ blockId: block.id, tags: ["x"] }, [day]],
    ];
    for (const [filter, expected] of cases) {
      const found = await memoir.agents.list(actor, { filter, page: ascending });
      expect(
        found.map((view) => view.agent.id),
        JSON.stringify(filter),
      ).toEqual(expected);
      expect(await memoir.agents.count(actor, filter), JSON.stringify(filter)).toBe(expected.length);
    }
  });

  test("show of each agent what was asked for, and the same as a single look", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const shared = await memoir.blocks.create(actor, { label: "team", value: "", tags: ["t"] });
    for (let index = 0; index < 3; index++) {
      await createAgent({
        blockIds: [shared.id],
        tags: [`tag ${index}`],
        secrets: { A: `${index}` },
        sleeptime: index === 1,
      });
    }
    const views = await memoir.agents.list(actor, { page: ascending });
    expect(views).toHaveLength(4);
    for (const view of views) expect(await memoir.agents.get(actor, view.agent.id)).toEqual(view);
    const bare = await memoir.agents.list(actor, { page: ascending, relations: new Set(["tags"]) });
    for (const view of bare) {
      expect(view).toMatchObject({ blocks: [], tools: [], secrets: [], identities: [], folders: [], group: null });
      expect(view.contextMessageIds.length).toBeGreaterThan(0);
    }
    expect(bare.flatMap(({ tags }) => tags)).toEqual(["tag 0", "tag 1", "tag 2"]);
  });

  test("hold no agent of another organization, and nobody there can touch ours", async (context) => {
    const world = await openWorld(dialect, context);
    const neighbour = await openNeighbour(world);
    const ours = await world.createAgent({ name: "Ours", tags: ["t"], secrets: { A: "1" }, kind: "memgpt_agent" });
    const { agents, identities } = neighbour.memoir;
    const theirs = await agents.create(neighbour.actor, { model: "memoir/demo" });
    const theirPerson = await identities.create(neighbour.actor, { identifierKey: "k", name: "n", kind: "user" });
    const [ourPerson] = await makeIdentities(world);
    const folder = await makeFolder(world, "ours");
    const id = ours.agent.id;
    const tool = ours.tools[0]?.id ?? "";
    const attempts: [() => Promise<unknown>, string][] = [
      [() => agents.get(neighbour.actor, id), "not-found"],
      [() => agents.update(neighbour.actor, id, { name: "Stolen" }), "not-found"],
      [() => agents.delete(neighbour.actor, id), "not-found"],
      [() => agents.attachIdentity(neighbour.actor, id, theirPerson.id), "not-found"],
      [() => agents.attachIdentity(neighbour.actor, theirs.agent.id, ourPerson.id), "not-found"],
      [() => agents.update(neighbour.actor, theirs.agent.id, { toolIds: [tool] }), "invalid-argument"],
      [() => agents.update(neighbour.actor, theirs.agent.id, { identityIds: [ourPerson.id] }), "not-found"],
      [() => agents.update(neighbour.actor, theirs.agent.id, { folderIds: [folder] }), "not-found"],
      [
        () => agents.update(neighbour.actor, theirs.agent.id, { contextMessageIds: [...ours.contextMessageIds] }),
        "not-found",
      ],
      [() => agents.create(neighbour.actor, { model: "memoir/demo", toolIds: [tool] }), "invalid-argument"],
      [() => agents.create(neighbour.actor, { model: "memoir/demo", folderIds: [folder] }), "not-found"],
      [() => identities.update(neighbour.actor, theirPerson.id, { agentIds: [id] }), "not-found"],
    ];
    for (const [index, [attempt, code]] of attempts.entries()) {
      await expect(attempt(), `attempt ${index}`).rejects.toMatchObject({ code });
    }
    const seen = await agents.list(neighbour.actor, { filter: { showHidden: true }, page: ascending });
    expect(seen.map((view) => view.agent.id)).toEqual([theirs.agent.id]);
    expect(await agents.count(neighbour.actor, { tags: ["t"] })).toBe(0);
    expect(await world.memoir.agents.get(world.actor, id)).toEqual(ours);
  });
});

async function makeIdentities({ memoir, actor }: World) {
  const samira = await memoir.identities.create(actor, { identifierKey: "samira", name: "Samira", kind: "user" });
  const noor = await memoir.identities.create(actor, { identifierKey: "noor", name: "Noor", kind: "user" });
  return [samira, noor] as const;
}

async function makeFolder({ memoir, store, actor }: World, name: string): Promise<string> {
  const id = `source-${name}`;
  const { embedding } = await memoir.folders.create(actor, { name: `beside ${name}` });
  const made = { createdAt: 1, updatedAt: 1, createdBy: null, updatedBy: null };
  const folder = { id, name, description: null, instructions: null, metadata: null, embedding, ...made };
  await store.write(actor.orgId, (scope) => insertFolder(scope, folder));
  return id;
}

function readMessages(scope: World["scope"], ids: readonly string[]): Promise<Message[]> {
  return getByIds(scope, messageEntity, ids);
}

function textOf(message: Message | undefined): string {
  return (message?.content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
