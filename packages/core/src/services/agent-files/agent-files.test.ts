import { sql } from "kysely";
import { describe, expect, type TestContext, test } from "vitest";
import type { InputMessage } from "../../index.ts";
import { callTool, say, scripted } from "../../model/scripted.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { agent, block, message, portable, tool } from "../../testing/portable.ts";
import { inspectTables } from "../../testing/rows.ts";
import { createTalker, tell } from "../../testing/talker.ts";
import { openNeighbour, openWorld, type World } from "../../testing/worlds.ts";
import type { PortableAgents } from "./agent-file-format.ts";

const picture = Buffer.from("not really a picture").toString("base64");

/** How many rows every table has. */
async function countRows({ store }: World): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await inspectTables(store)) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(
      store.unscoped,
    );
    counts[name] = Number(rows[0]?.count);
  }
  return counts;
}

/** Everything of it, with each id replaced by its kind and the place where it is first named. */
function withoutIds(portable: PortableAgents): unknown {
  const places = new Map<string, string>();
  // A system message names its agent until the first turn of the new one.
  const agents = portable.agents.map(({ messages, ...agent }) => ({ ...agent, messages: messages.slice(1) }));
  const text = JSON.stringify({ ...portable, agents });
  const pattern = /\b(agent|group|block|source|file|file_agent|tool|message|mcp_server)-[0-9a-f-]{36}/g;
  return JSON.parse(
    text.replaceAll(pattern, (id, kind) => {
      if (!places.has(id)) places.set(id, `${kind} ${places.size}`);
      return places.get(id) ?? "";
    }),
  );
}

async function open(dialect: DialectName, context: TestContext, talker = createTalker()) {
  const world = await openWorld(dialect, context, { models: talker.models });
  const { memoir, actor } = world;
  const take = async (input: PortableAgents, options = {}) => {
    const { agentIds, notes } = await memoir.agentFiles.import(actor, input, options);
    return { id: agentIds[0] ?? "", agentIds, notes };
  };
  const bring = (id: string, options = {}) => memoir.agentFiles.export(actor, id, options);
  return { ...world, talker, take, bring };
}

describe.for(dialects)("%s", (dialect) => {
  test("names of packages that no tool may have are not taken from a file, and a note says so", async (context) => {
    const { take, bring } = await open(dialect, context);
    const odd = tool("odd", { pipRequirements: [{ name: "git+https://a.test/x" }] });
    const { id, notes } = await take(portable({ agents: [agent({ toolIds: [odd.id], toolRules: [] })], tools: [odd] }));
    expect(notes).toEqual([expect.stringMatching(/^tool "odd" is kept without its packages: pip_requirements names/)]);
    expect((await bring(id)).tools.map(({ name, pipRequirements }) => [name, pipRequirements])).toEqual([
      ["odd", null],
    ]);
  });

  test("an agent that has talked, called tools and seen images comes back whole", async (context) => {
    const model = scripted([
      callTool("memory_replace", { label: "human", old_string: "unknown", new_string: "Samira" }, { id: "call-1" }),
      say("Hello Samira."),
      say("A fine picture."),
      say("A summary of it all."),
      say("Yes?"),
    ]);
    const world = await openWorld(dialect, context, { models: { get: () => model } });
    const { memoir, actor, createAgent } = world;
    const made = await createAgent({
      name: "Nora",
      blocks: [
        { label: "human", value: "Name: unknown", tags: ["people"] },
        { label: "rules", value: "Be brief.", readOnly: true, description: "never change" },
      ],
      tags: ["b", "a"],
      secrets: { API_KEY: "very secret" },
      compaction: { mode: "all" },
      sleeptime: true,
      timezone: "Asia/Tokyo",
    });
    const say1 = async (content: InputMessage["content"]) => {
      const run = await memoir.messages.send(actor, made.agent.id, { messages: [{ role: "user", content }] });
      return await memoir.messages.complete(actor, run.id);
    };
    await say1([{ type: "text", text: "I am Samira" }]);
    const source = { type: "base64" as const, mediaType: "image/png", data: picture };
    await say1([
      { type: "text", text: "Look" },
      { type: "image", source },
    ]);
    const first = await memoir.agentFiles.export(actor, made.agent.id);
    const [nora, companion] = first.agents;
    expect(nora).toMatchObject({
      name: "Nora",
      secrets: { API_KEY: "" },
      compaction: { mode: "all" },
      tags: ["a", "b"],
    });
    expect(companion).toMatchObject({ name: "Nora-sleeptime", kind: "sleeptime_agent", compaction: null });
    expect(nora?.messages.map(({ role }) => role).slice(1)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(nora?.messages.at(-2)?.content?.[1]).toMatchObject({ source: { type: "stored", data: picture } });
    expect(JSON.stringify(first)).not.toContain("very secret");

    await memoir.messages.compact(actor, { agentId: made.agent.id });
    await say1([{ type: "text", text: "Still there?" }]);
    const second = await memoir.agentFiles.export(actor, made.agent.id);
    expect(second.agents[0]?.messages.map(({ role }) => role)).toEqual(["system", "summary", "user", "assistant"]);
    const { agentIds, notes } = await memoir.agentFiles.import(actor, second, {
      secrets: { API_KEY: "k2", OTHER: "no" },
    });
    expect(notes).toEqual([expect.stringMatching(/^agent "Nora": The sleep-time partner .* does not run/)]);
    expect(agentIds).toHaveLength(2);
    const again = await memoir.agentFiles.export(actor, agentIds[0] ?? "");
    expect(withoutIds(again)).toEqual(withoutIds(second));
    const view = await memoir.agents.get(actor, agentIds[0] ?? "");
    expect(view.secrets.map(({ name, value }) => [name, value])).toEqual([["API_KEY", "k2"]]);
    expect(view.agent.sleeptime).toBe(true);
    expect(view.group?.agentIds).toEqual([agentIds[1]]);
  });

  test("everything a file can hold is taken in and comes out again", async (context) => {
    const { take, bring, memoir, actor } = await open(dialect, context);
    const input = portable({
      agents: [
        agent({
          toolIds: ["tool roll", "tool remote", "tool memory_insert"],
          blockIds: ["b2", "b1"],
          folderIds: ["f", "a folder that is not in the file"],
          secrets: { TOKEN: "" },
          messages: [
            message("1", "system", "old prompt"),
            message("2", "user", "hi", { name: "Bo" }),
            message("3", "assistant", "", {
              content: [{ type: "reasoning", text: "hm", isNative: true }],
              toolCalls: [{ id: "c1", name: "roll", arguments: "{}" }],
            }),
            message("4", "tool", "", {
              name: "roll",
              toolCallId: "c1",
              toolReturns: [{ callId: "c1", name: "roll", status: "error", output: "six", stderr: ["oops"] }],
            }),
          ],
          contextIds: ["1", "2", "3", "4"],
          fileLinks: [1, 2, 3, 4].map((place) => ({
            fileId: `file ${place}`,
            isOpen: true,
            visible: `text ${place}`,
            startLine: null,
            endLine: null,
            lastAccessedAt: place,
          })),
        }),
        agent({ id: "b", name: "Bo", blockIds: ["b1"], messages: [message("5", "system", "hers")], contextIds: ["5"] }),
      ],
      groups: [
        {
          id: "g",
          kind: "supervisor",
          description: "two",
          managerAgentId: "a",
          terminationToken: null,
          maxTurns: null,
          frequency: null,
          maxBuffer: null,
          minBuffer: null,
          hidden: null,
          agentIds: ["b"],
          sharedBlockIds: ["b1"],
        },
      ],
      blocks: [
        block("b1", "human", { tags: ["t"], readOnly: true }),
        block("b2", "long", { charLimit: 5 }),
        block("b3", "spare"),
      ],
      folders: [{ id: "f", name: "papers", description: "d", instructions: "i", metadata: null, embedding: null }],
      files: [1, 2, 3, 4].map((place) => ({
        id: `file ${place}`,
        folderId: "f",
        name: `papers/${place}.txt`,
        originalName: `${place}.txt`,
        mediaType: "text/plain",
        size: 3,
        status: "completed",
        error: null,
        totalChunks: 1,
        chunksEmbedded: 1,
        sourceCreatedAt: null,
        sourceUpdatedAt: null,
        content: `text ${place}`,
      })),
      tools: [
        tool("roll"),
        tool("remote", { kind: "mcp", metadata: { mcp: { server_name: "far", server_id: "elsewhere" } } }),
        tool("memory_insert", { kind: "memory", source: "import os", description: "someone else's" }),
      ],
      mcpServers: [
        {
          id: "m",
          name: "far",
          transport: "sse",
          connection: { url: "https://mcp.example.com/sse", tokenHeader: null },
          metadata: null,
        },
        { id: "n", name: "near", transport: "stdio", connection: { command: "rm", args: ["-rf"] }, metadata: null },
      ],
    });
    const { id, agentIds, notes } = await take(input, { projectId: "p1" });
    expect(notes).toEqual([
      expect.stringContaining('MCP server "near" is left out'),
      'block "long" has 10 characters: its limit was raised from 5',
      expect.stringMatching(/^agent "Ada": These tools cannot run .*: remote\.$/),
    ]);
    const out = await bring(id);
    expect(out.agents.map(({ name }) => name)).toEqual(["Ada", "Bo"]);
    const [ada] = out.agents;
    expect(ada?.messages.map(({ id: _, createdAt, ...rest }) => rest)).toEqual(
      input.agents[0]?.messages.map(({ id: _, createdAt, ...rest }) => rest),
    );
    expect(ada?.messages.map(({ createdAt }) => createdAt)).toEqual(
      input.agents[0]?.messages.map((item) => item.createdAt),
    );
    expect(ada?.fileLinks.map(({ isOpen }) => isOpen)).toEqual([false, true, true, true]);
    expect(ada?.compaction).toMatchObject({ mode: "all" });
    expect(out.blocks.map(({ label, charLimit, tags, readOnly }) => [label, charLimit, tags, readOnly])).toEqual([
      ["long", 10, [], false],
      ["human", 100, ["t"], true],
    ]);
    expect(out.files.map(({ name, content }) => [name, content])).toContainEqual(["papers/2.txt", "text 2"]);
    expect(out.folders.map(({ name }) => name)).toEqual(["papers"]);
    expect(out.groups).toMatchObject([{ kind: "supervisor", agentIds: [agentIds[1]], managerAgentId: id }]);
    expect(out.groups[0]?.sharedBlockIds).toHaveLength(1);
    expect(out.mcpServers).toMatchObject([{ name: "far", connection: { url: "https://mcp.example.com/sse" } }]);
    const byName = new Map(out.tools.map((item) => [item.name, item]));
    expect(byName.get("roll")).toMatchObject({ source: tool("roll").source, tags: ["mine"], returnCharLimit: 1000 });
    expect(byName.get("remote")?.metadata).toEqual({ mcp: { server_name: "far", server_id: out.mcpServers[0]?.id } });
    expect(byName.get("memory_insert")).toMatchObject({ kind: "sleeptime", source: null });
    expect(byName.get("memory_insert")?.description).not.toBe("someone else's");
    const { agent: stored } = await memoir.agents.get(actor, id);
    expect(stored).toMatchObject({
      projectId: "p1",
      timezone: "Europe/Paris",
      maxFilesOpen: 3,
      embedding: null,
    });

    const twice = await take(input);
    expect(twice.notes).toContain('MCP server "far" exists already and stays as it is');
    const renamed = await bring(twice.id);
    expect(renamed.folders[0]?.name).toMatch(/^papers_[0-9a-f]{8}$/);
    expect(renamed.files[0]?.name).toBe(`${renamed.folders[0]?.name}/1.txt`);
  });

  test("the next message finds a whole context and a prompt made of the blocks as they are", async (context) => {
    const { take, talker, memoir, actor } = await open(dialect, context);
    const { id } = await take(
      portable({
        agents: [
          agent({
            blockIds: ["b1"],
            messages: [
              message("1", "user", "forgotten"),
              message("2", "assistant", "late"),
              message("3", "user", "early"),
              message("4", "system", "an old prompt of another server"),
              message("5", "assistant", "", { toolCalls: [{ id: "lost", name: "roll", arguments: "{}" }] }),
              message("6", "tool", "", {
                toolReturns: [{ callId: "nobody's", name: "roll", status: "success", output: "six" }],
              }),
            ],
            contextIds: ["4", "3", "2", "5", "6"],
          }),
        ],
        blocks: [block("b1", "human")],
      }),
    );
    await tell(memoir, id, "and now?");
    const [request] = talker.asked;
    expect(request?.system).toContain("about human");
    expect(request?.system).not.toContain("an old prompt");
    expect(request?.messages.map((item) => ("content" in item ? item.content : []))).toEqual([
      [{ type: "text", text: "early" }],
      [{ type: "text", text: "late" }],
      [{ type: "text", text: "and now?" }],
    ]);
    const page = { limit: 50, from: "oldest" as const };
    const listed = await memoir.messages.listOfAgent(actor, id, { page });
    expect(listed.map(({ role }) => role).join(" ")).toBe("user assistant user system assistant tool user assistant");
    const { agents } = await memoir.agentFiles.export(actor, id);
    expect(agents[0]?.messages.map(({ role }) => role).join(" ")).toBe(
      "system user assistant assistant tool user assistant",
    );
  });

  test("options: names, models, tools that stay, messages left behind, and no messages at all", async (context) => {
    const { take, bring, memoir, actor, talker } = await open(dialect, context);
    const input = portable({
      agents: [
        agent({
          toolIds: ["tool roll"],
          messages: [message("1", "system", "s"), message("2", "user", "u")],
          contextIds: ["1", "2"],
        }),
      ],
      tools: [tool("roll")],
    });
    await take(input);
    const changed = { ...input, tools: [tool("roll", { description: "changed" })] };
    const kept = await take(changed, { overrideTools: false, nameSuffix: "_copy", withoutMessages: true });
    const out = await bring(kept.id);
    expect(out.agents[0]).toMatchObject({ name: "Ada_copy" });
    expect(out.agents[0]?.messages.map(({ role }) => role)).toEqual(["system"]);
    expect(out.tools[0]?.description).toBe("Does roll.");
    const over = await take(changed, {
      name: "Eve",
      nameSuffix: "_copy",
      model: "openai/gpt-4o-mini",
      embedding: "memoir/lexical-512",
    });
    const replaced = await bring(over.id);
    expect(replaced.agents[0]).toMatchObject({ name: "Eve", modelConfig: { handle: "openai/gpt-4o-mini" } });
    expect(replaced.tools[0]?.description).toBe("changed");
    const bare = await take(portable({ agents: [agent({ messages: [], contextIds: [] })] }));
    await tell(memoir, bare.id, "hello");
    expect(talker.asked.at(-1)?.system).toContain("Be kind.");
    expect((await memoir.agents.get(actor, bare.id)).contextMessageIds).toHaveLength(3);
    expect((await bring(over.id, { withoutMessages: true })).agents[0]).toMatchObject({ messages: [], contextIds: [] });
  });

  test("seals of another account's provider stay behind: they would have every later request refused", async (context) => {
    const { take, bring, talker, memoir } = await open(dialect, context);
    const content = [
      { type: "reasoning" as const, text: "hm", isNative: true, signature: "sealed" },
      { type: "redacted-reasoning" as const, data: "sealed" },
      { type: "summarized-reasoning" as const, id: "rs", summary: [{ index: 0, text: "so" }], encrypted: "sealed" },
      { type: "text" as const, text: "Yes.", signature: "sealed" },
    ];
    const calls = [{ id: "c", name: "roll", arguments: "{}", signature: "sealed" }];
    const returns = [{ callId: "c", name: "roll", status: "success" as const, output: "six" }];
    const messages = [
      message("1", "system", "s"),
      message("2", "assistant", "", { content, toolCalls: calls }),
      message("3", "tool", "", { toolReturns: returns }),
    ];
    const { id } = await take(portable({ agents: [agent({ messages, contextIds: ["1", "2", "3"] })] }));
    await tell(memoir, id, "hello");
    expect(talker.asked[0]?.messages).toHaveLength(3);
    expect(JSON.stringify(talker.asked)).not.toContain("sealed");
    expect((await bring(id)).agents[0]?.messages[1]?.content?.map(({ type }) => type)).toEqual([
      "reasoning",
      "omitted-reasoning",
      "summarized-reasoning",
      "text",
    ]);
  });

  test("more messages than fit into one statement keep their order", async (context) => {
    const { take, bring } = await open(dialect, context);
    const said = Array.from({ length: 1200 }, (_, index) => message(String(index + 2), "user", `word ${index}`));
    const messages = [message("1", "system", "s"), ...said];
    const { id } = await take(portable({ agents: [agent({ messages, contextIds: messages.map((item) => item.id) })] }));
    const [out] = (await bring(id)).agents;
    expect(out?.messages.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
    expect(out?.contextIds).toEqual(out?.messages.map((item) => item.id));
  });

  test("another conversation's messages go along when it is asked for, and only one's own", async (context) => {
    const { createAgent, memoir, actor, bring } = await open(dialect, context);
    const [first, second] = [(await createAgent()).agent.id, (await createAgent()).agent.id];
    const { conversation } = await memoir.conversations.create(actor, first, {});
    const input = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "in private" }] }] };
    await memoir.messages.complete(actor, (await memoir.messages.sendTo(actor, conversation.id, input)).id);
    const textsOf = async (options = {}) => JSON.stringify((await bring(first, options)).agents[0]?.messages);
    expect(await textsOf({ conversationId: conversation.id })).toContain("in private");
    expect(await textsOf()).not.toContain("in private");
    await expect(bring(second, { conversationId: conversation.id })).rejects.toMatchObject({ code: "not-found" });
  });

  test("what does not fit is refused, and nothing of it stays", async (context) => {
    const world = await open(dialect, context);
    const before = await countRows(world);
    const wrong: Partial<PortableAgents>[] = [
      { agents: [agent(), agent({ id: "b", toolIds: ["nowhere"] })], blocks: [block("b1", "human")] },
      { agents: [agent({ blockIds: ["b1", "b2"] })], blocks: [block("b1", "human"), block("b2", "human")] },
      { agents: [agent({ contextIds: ["1", "99"] })], tools: [tool("roll")] },
      { agents: [agent({ name: "a/b" })], blocks: [block("b1", " ")] },
      { agents: [agent(), agent({ id: "b", timezone: "Nowhere/Town" })] },
      {
        agents: [
          agent({
            fileLinks: [
              { fileId: "x", isOpen: true, visible: "", startLine: null, endLine: null, lastAccessedAt: null },
            ],
          }),
        ],
      },
    ];
    for (const part of wrong) {
      await expect(world.take(portable(part))).rejects.toMatchObject({ name: "MemoirError" });
    }
    expect(await countRows(world)).toEqual(before);
  });

  test("another organization cannot take an agent out", async (context) => {
    const world = await open(dialect, context);
    const { agent: mine } = await world.createAgent();
    const { memoir, actor } = await openNeighbour(world);
    await expect(memoir.agentFiles.export(actor, mine.id)).rejects.toMatchObject({ code: "not-found" });
  });
});
