import { describe, expect, type TestContext, test } from "vitest";
import { getDefaultConversation } from "../../store/conversations/conversations.ts";
import { insertMessages, newMessage } from "../../store/conversations/messages.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";

const asc = { limit: 50, order: "asc" } as const;

async function open(dialect: DialectName, context: TestContext) {
  const world = await openWorld(dialect, context);
  const [first, second] = [(await world.createAgent()).agent.id, (await world.createAgent()).agent.id];
  return { ...world, first, second };
}

describe.for(dialects)("%s", (dialect) => {
  test("a group keeps its members in order, without repetition", async (context) => {
    const { memoir, actor, first, second } = await open(dialect, context);
    const group = await memoir.groups.create(actor, { agentIds: [second, first, second], description: "pair" });
    expect(group).toMatchObject({
      kind: "round_robin",
      agentIds: [second, first],
      managerAgentId: null,
      maxTurns: null,
      turns: null,
      sharedBlockIds: [],
    });
    expect(await memoir.groups.get(actor, group.id)).toEqual(group);
    const changed = await memoir.groups.update(actor, group.id, { agentIds: [first], description: "alone" });
    expect(changed).toMatchObject({ agentIds: [first], description: "alone", kind: "round_robin" });
    expect(await memoir.groups.listOfAgent(actor, second, {}, asc)).toEqual([]);
    expect((await memoir.groups.listOfAgent(actor, first, { kind: "round_robin" }, asc)).map(({ id }) => id)).toEqual([
      group.id,
    ]);
    await memoir.groups.delete(actor, group.id);
    await expect(memoir.groups.get(actor, group.id)).rejects.toMatchObject({ code: "not-found" });
    expect(await memoir.agents.getKind(actor, first)).toBe("letta_v1_agent");
  });

  test("each kind has its own settings; another kind starts with its usual ones and keeps the manager", async (context) => {
    const { memoir, actor, first, second } = await open(dialect, context);
    const input = { agentIds: [second], description: "" };
    const dynamic = await memoir.groups.create(actor, {
      ...input,
      settings: { kind: "dynamic", managerAgentId: first, maxTurns: 3 },
    });
    expect(dynamic).toMatchObject({ managerAgentId: first, terminationToken: "DONE!", maxTurns: 3, frequency: null });
    const sleeptime = await memoir.groups.update(actor, dynamic.id, { settings: { kind: "sleeptime", frequency: 4 } });
    expect(sleeptime).toMatchObject({
      kind: "sleeptime",
      managerAgentId: first,
      terminationToken: null,
      maxTurns: null,
      frequency: 4,
      turns: -1,
    });
    const voice = { kind: "voice_sleeptime", managerAgentId: first } as const;
    for (const settings of [
      { kind: "supervisor" },
      { kind: "round_robin", maxTurns: 0 },
      { kind: "sleeptime", managerAgentId: first, frequency: -1 },
      { ...voice, minBuffer: 5 },
      { ...voice, minBuffer: 5, maxBuffer: 5 },
    ] as const) {
      await expect(memoir.groups.create(actor, { ...input, settings })).rejects.toMatchObject({
        code: "invalid-input",
        details: { field: "manager_config" },
      });
    }
    expect(await memoir.groups.count(actor)).toBe(1);
  });

  test("members, managers and blocks must exist, and nothing is stored if one does not", async (context) => {
    const world = await open(dialect, context);
    const { memoir, actor, first } = world;
    const neighbour = await openNeighbour(world);
    const stranger = await neighbour.memoir.agents.create(neighbour.actor, { model: "memoir/demo" });
    const missing = { code: "not-found" };
    const input = { agentIds: [first], description: "" };
    const { id } = await memoir.groups.create(actor, input);
    await expect(memoir.groups.create(actor, { ...input, agentIds: [stranger.agent.id] })).rejects.toMatchObject(
      missing,
    );
    await expect(
      memoir.groups.create(actor, { ...input, settings: { kind: "supervisor", managerAgentId: stranger.agent.id } }),
    ).rejects.toMatchObject(missing);
    await expect(memoir.groups.create(actor, { ...input, sharedBlockIds: ["block-none"] })).rejects.toMatchObject(
      missing,
    );
    await expect(memoir.groups.update(actor, id, { agentIds: [stranger.agent.id] })).rejects.toMatchObject(missing);
    await expect(neighbour.memoir.groups.get(neighbour.actor, id)).rejects.toMatchObject(missing);
    await expect(neighbour.memoir.groups.delete(neighbour.actor, id)).rejects.toMatchObject(missing);
    expect(await neighbour.memoir.groups.list(neighbour.actor, {}, asc)).toEqual([]);
    expect(await memoir.groups.list(actor, {}, asc)).toMatchObject([{ id, agentIds: [first] }]);
  });

  test("blocks are shared once and taken away without complaint", async (context) => {
    const { memoir, actor, first } = await open(dialect, context);
    const block = await memoir.blocks.create(actor, { label: "plan", value: "" });
    const { id } = await memoir.groups.create(actor, { agentIds: [first], description: "" });
    await memoir.groups.attachBlock(actor, id, block.id);
    await memoir.groups.attachBlock(actor, id, block.id);
    expect((await memoir.groups.get(actor, id)).sharedBlockIds).toEqual([block.id]);
    await memoir.groups.detachBlock(actor, id, block.id);
    await memoir.groups.detachBlock(actor, id, block.id);
    expect((await memoir.groups.get(actor, id)).sharedBlockIds).toEqual([]);
  });

  test("hidden groups are listed only to those who ask", async (context) => {
    const { memoir, actor, first } = await open(dialect, context);
    const shown = await memoir.groups.create(actor, { agentIds: [first], description: "", projectId: "p" });
    const hidden = await memoir.groups.create(actor, { agentIds: [first], description: "", hidden: true });
    const ids = async (filter: object) => (await memoir.groups.list(actor, filter, asc)).map(({ id }) => id);
    expect(await ids({})).toEqual([shown.id]);
    expect(await ids({ showHidden: true })).toEqual([shown.id, hidden.id]);
    expect(await ids({ projectId: "p" })).toEqual([shown.id]);
    expect(await ids({ kind: "dynamic" })).toEqual([]);
    expect(await memoir.groups.count(actor)).toBe(1);
  });

  test("deleting the group of a companion leaves the chat agent without one", async (context) => {
    const { memoir, actor, createAgent } = await open(dialect, context);
    const { agent, group } = await createAgent({ sleeptime: true });
    await memoir.groups.delete(actor, group?.id ?? "");
    const view = await memoir.agents.get(actor, agent.id);
    expect([view.group, view.agent.sleeptime]).toEqual([null, null]);
    await memoir.agents.delete(actor, agent.id);
  });

  test("what was said in a group is listed oldest first, page by page, until it is reset", async (context) => {
    const { memoir, actor, store, first, second } = await open(dialect, context);
    const { id } = await memoir.groups.create(actor, { agentIds: [first, second], description: "" });
    const said = await store.write(actor.orgId, async (scope) => {
      const rows = [];
      for (const [index, agentId] of [first, second, first, second, first].entries()) {
        const { id: conversationId } = await getDefaultConversation(scope, agentId);
        const content = [{ type: "text" as const, text: String(index) }];
        const groupId = index === 2 ? null : id;
        rows.push(newMessage(scope, { agentId, conversationId, role: "user", content, createdAt: 1, groupId }));
      }
      await insertMessages(scope, rows);
      return rows.filter(({ groupId }) => groupId !== null).map((row) => row.id);
    });
    const page = async (input: object) =>
      (await memoir.groups.listMessages(actor, id, { limit: 2, ...input })).map((message) => message.id);
    expect(await page({})).toEqual(said.slice(0, 2));
    expect(await page({ after: said[1] })).toEqual(said.slice(2, 4));
    expect(await page({ after: said[3] })).toEqual([]);
    expect(await page({ before: said[1] })).toEqual(said.slice(0, 1));
    await memoir.groups.reset(actor, id);
    expect(await page({})).toEqual([]);
  });
});
