import { describe, expect, type TestContext, test } from "vitest";
import type { Memoir } from "../../memoir.ts";
import type { ModelRequest } from "../../model/model.ts";
import { callTool, holdUntil, type ScriptedReply, say, scripted, scriptedByPosition } from "../../model/scripted.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";
import type { NewAgent } from "../agents/agent-create.ts";

type Script = Parameters<typeof scriptedByPosition>[0];

async function open(dialect: DialectName, context: TestContext, script: Script, kind?: NewAgent["kind"]) {
  const model = scriptedByPosition(script);
  const world = await openWorld(dialect, context, { models: { get: () => model } });
  const { memoir, actor } = world;
  const { agent } = await world.createAgent({
    kind,
    blocks: [
      { label: "human", value: "Name: unknown" },
      { label: "mood", value: "calm", description: "how I feel", charLimit: 50, metadata: { k: 1 } },
    ],
  });
  return { ...world, model, agentId: agent.id, ...verbs(memoir, agent.id), actor };
}

function verbs(memoir: Memoir, agentId: string) {
  const actor = memoir.defaultActor;
  const create = async (input = {}) => (await memoir.conversations.create(actor, agentId, input)).conversation.id;
  const begin = (where: string, text: string) => {
    const message = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }] };
    return where === "default"
      ? memoir.messages.send(actor, agentId, message)
      : memoir.messages.sendTo(actor, where, message);
  };
  const tell = async (where: string, text: string) =>
    await memoir.messages.complete(actor, (await begin(where, text)).id);
  const texts = async (id: string) => {
    const page = { limit: 100, from: "newest" as const };
    const messages = await memoir.messages.listOfConversation(actor, id, { page });
    return messages.map(({ role, content }) => `${role}: ${role === "system" ? "" : textOf(content)}`);
  };
  const block = async (label: string) => (await memoir.blocks.getOfAgent(actor, agentId, label)).value;
  return { create, begin, tell, texts, block };
}

function textOf(content: readonly object[] | null): string {
  return (content ?? []).map((part) => ("text" in part ? String(part.text) : "")).join("");
}

const echo: Script = (_, request) => say(`${userTexts(request).join(", ")}!`);

function userTexts({ messages }: ModelRequest): string[] {
  return messages.flatMap((message) => (message.role === "user" ? [textOf(message.content)] : []));
}

const gate = () => Promise.withResolvers<void>();

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe.for(dialects)("%s", (dialect) => {
  test("each conversation has its own messages, and the default one is none of them", async (context) => {
    const { memoir, actor, agentId, create, tell, texts, model } = await open(dialect, context, echo);
    const [first, second] = [await create({ title: "one" }), await create()];
    await tell(first, "a");
    await tell(second, "b");
    await tell("default", "c");
    await tell(first, "d");
    expect(model.requests.map(userTexts)).toEqual([["a"], ["b"], ["c"], ["a", "d"]]);
    expect(await texts(first)).toEqual(["system: ", "user: a", "assistant: a!", "user: d", "assistant: a, d!"]);
    const { contextMessageIds, conversation } = await memoir.conversations.get(actor, { conversationId: first });
    expect(contextMessageIds).toHaveLength(5);
    expect(contextMessageIds[0]).toBe(conversation.systemMessageId);
    expect((await memoir.agents.get(actor, agentId)).contextMessageIds).toHaveLength(3);
    expect(model.requests[0]?.system).toContain(first);
  });

  test("a shared block that changed in one conversation is fresh in the other at its next turn", async (context) => {
    const script: Script = (position, { messages }) => {
      const isEdit = userTexts({ messages } as ModelRequest).includes("I am Samira") && position === 0;
      return isEdit
        ? callTool("memory_replace", { label: "human", old_string: "unknown", new_string: "Samira" })
        : say("ok");
    };
    const { create, tell, model, block } = await open(dialect, context, script);
    const [first, second] = [await create(), await create()];
    await tell(second, "hello");
    await tell(first, "I am Samira");
    await tell(second, "who am I?");
    expect(await block("human")).toBe("Name: Samira");
    const [before, , , after] = model.requests.map(({ system }) => system);
    expect(before).toContain("Name: unknown");
    expect(after).toContain("Name: Samira");
  });

  test("two conversations of one agent are answered at the same time; one conversation in order", async (context) => {
    const held = gate();
    const script: Script = (_, request) => {
      const last = userTexts(request).at(-1) ?? "";
      return last === "slow" ? holdUntil(held.promise, say("slow done")) : say(`${last} done`);
    };
    const { create, tell, begin, memoir, actor, model } = await open(dialect, context, script);
    const [first, second] = [await create(), await create()];
    const slow = await begin(first, "slow");
    const next = await begin(first, "next");
    await until(() => model.requests.length === 1);
    expect((await tell(second, "quick")).reason).toBe("end_turn");
    expect((await tell("default", "also quick")).reason).toBe("end_turn");
    expect((await memoir.runs.get(actor, next.id)).status).toBe("created");
    held.resolve();
    expect((await memoir.messages.complete(actor, slow.id)).reason).toBe("end_turn");
    expect((await memoir.messages.complete(actor, next.id)).reason).toBe("end_turn");
    expect(userTexts(model.requests.at(-1) as ModelRequest)).toEqual(["slow", "next"]);
  });

  test("two conversations that write to one block at once both get their line in", async (context) => {
    const script: Script = (position, request) =>
      position === 0 ? callTool("memory_insert", { label: "human", new_string: userTexts(request).join() }) : say("ok");
    const { create, tell, block } = await open(dialect, context, script);
    const places = await Promise.all(Array.from({ length: 6 }, () => create()));
    const results = await Promise.all(places.map((id, index) => tell(id, `line ${index}`)));
    expect(results.map(({ reason }) => reason)).toEqual(places.map(() => "end_turn"));
    const lines = (await block("human")).split("\n");
    expect(lines.slice(1).sort()).toEqual(places.map((_, index) => `line ${index}`));
  });

  test("tools edit the conversation's own copy of an isolated block; the original stays", async (context) => {
    const script: Script = (position) =>
      position === 0
        ? callTool("memory_replace", { label: "mood", old_string: "calm", new_string: "merry" })
        : say("ok");
    const { create, tell, model, block, memoir, actor, agentId } = await open(dialect, context, script);
    const view = await memoir.conversations.create(actor, agentId, { isolatedBlockLabels: ["mood"] });
    const id = view.conversation.id;
    const [copyId] = view.isolatedBlockIds;
    await tell(id, "be merry");
    const copy = await memoir.blocks.get(actor, copyId ?? "");
    expect(copy).toMatchObject({ label: "mood", value: "merry", description: "how I feel", charLimit: 50 });
    expect(copy.metadata).toEqual({ k: 1 });
    expect(await block("mood")).toBe("calm");
    await tell(id, "again");
    expect(model.requests.at(-1)?.system).toMatch(/<value>\s*merry/);
    const other = await create();
    await tell(other, "hello");
    expect(model.requests.at(-2)?.system).toMatch(/<value>\s*calm/);
  });

  test("a label the agent does not have is refused by name, and nothing is left behind", async (context) => {
    const { create, memoir, actor, scope } = await open(dialect, context, []);
    await expect(create({ isolatedBlockLabels: ["human", "wrong"] })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/"wrong".*human, mood/),
      details: { field: "isolated_block_labels" },
    });
    expect(await memoir.conversations.list(actor, { page: { limit: 10, order: "asc" } })).toEqual([]);
    expect(await scope.select("conversation_block").select("label").execute()).toEqual([]);
  });

  test("a fork begins with what the other has in context and then goes its own way", async (context) => {
    const { create, tell, texts, model, memoir, actor, agentId } = await open(dialect, context, echo);
    const source = await create({ title: "a chat", model: "openai/gpt-4o-mini" });
    await tell(source, "a");
    await memoir.conversations.reset(actor, { conversationId: source });
    await tell(source, "b");
    const { conversation } = await memoir.conversations.fork(actor, { conversationId: source });
    expect(conversation).toMatchObject({ agentId, title: null, model: "openai/gpt-4o-mini", isDefault: false });
    await tell(source, "c");
    await tell(conversation.id, "d");
    expect(model.requests.slice(-2).map(userTexts)).toEqual([
      ["b", "c"],
      ["b", "d"],
    ]);
    // The system message stands first, though it is younger than what was taken over.
    expect(await texts(conversation.id)).toEqual([
      "system: ",
      "user: b",
      "assistant: b!",
      "user: d",
      "assistant: b, d!",
    ]);
    const again = await memoir.conversations.fork(actor, { conversationId: conversation.id });
    await tell(again.conversation.id, "e");
    expect(userTexts(model.requests.at(-1) as ModelRequest)).toEqual(["b", "d", "e"]);
    await tell("default", "f");
    const ofDefault = await memoir.conversations.fork(actor, { agentId });
    await tell(ofDefault.conversation.id, "g");
    expect(userTexts(model.requests.at(-1) as ModelRequest)).toEqual(["f", "g"]);
  });

  test("a fork can end at a message that is in context", async (context) => {
    const { create, tell, texts, memoir, actor } = await open(dialect, context, echo);
    const source = { conversationId: await create() };
    const first = await tell(source.conversationId, "a");
    await tell(source.conversationId, "b");
    const untilMessageId = first.messages.at(-1)?.id;
    const { conversation } = await memoir.conversations.fork(actor, source, { untilMessageId });
    expect(await texts(conversation.id)).toEqual(["system: ", "user: a", "assistant: a!"]);
    await expect(memoir.conversations.fork(actor, source, { untilMessageId: "message-x" })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { field: "message_id" },
    });
    expect(await memoir.conversations.list(actor, { page: { limit: 10, order: "asc" } })).toHaveLength(2);
  });

  test("a fork keeps isolated blocks, as copies of its own", async (context) => {
    const { memoir, actor, agentId } = await open(dialect, context, []);
    const source = await memoir.conversations.create(actor, agentId, { isolatedBlockLabels: ["mood", "human"] });
    await memoir.blocks.update(actor, source.isolatedBlockIds[0] ?? "", { value: "merry" });
    const fork = await memoir.conversations.fork(actor, { conversationId: source.conversation.id });
    expect(fork.isolatedBlockIds).toHaveLength(2);
    expect(fork.isolatedBlockIds).not.toContain(source.isolatedBlockIds[0]);
    await memoir.blocks.update(actor, source.isolatedBlockIds[0] ?? "", { value: "sad" });
    const text = await memoir.conversations.recompile(actor, { conversationId: fork.conversation.id });
    expect(text).toMatch(/<value>\s*merry/);
  });

  test("recompiling gives the new text, with this conversation's blocks; a dry run keeps nothing", async (context) => {
    const { memoir, actor, agentId, scope } = await open(dialect, context, []);
    const view = await memoir.conversations.create(actor, agentId, { isolatedBlockLabels: ["mood"] });
    const place = { conversationId: view.conversation.id };
    const stored = async () => {
      const id = view.conversation.systemMessageId ?? "";
      const row = await scope.select("message").select("content").where("id", "=", id).executeTakeFirstOrThrow();
      return textOf(JSON.parse(row.content ?? "[]"));
    };
    const first = await stored();
    expect(first).toContain(view.conversation.id);
    await memoir.blocks.update(actor, view.isolatedBlockIds[0] ?? "", { value: "merry" });
    await memoir.blocks.updateOfAgent(actor, agentId, "human", { value: "Name: Samira" });
    const dry = await memoir.conversations.recompile(actor, place, { isDryRun: true });
    expect(dry).toMatch(/Name: Samira[\s\S]*merry/);
    expect(await stored()).toBe(first);
    const text = await memoir.conversations.recompile(actor, place);
    expect(text).toMatch(/Name: Samira[\s\S]*merry/);
    expect(text).toContain(view.conversation.id);
    expect(await stored()).toBe(text);
    expect(await memoir.conversations.recompile(actor, { agentId })).toMatch(/Name: Samira[\s\S]*calm/);
  });

  test("a system message is listed as it would be compiled now", async (context) => {
    const { memoir, actor, agentId, create } = await open(dialect, context, []);
    const id = await create();
    await memoir.blocks.updateOfAgent(actor, agentId, "human", { value: "Name: Samira" });
    const page = { limit: 10, from: "newest" as const };
    const [own] = await memoir.messages.listOfConversation(actor, id, { page });
    expect(textOf(own?.content ?? [])).toContain("Name: Samira");
    const all = await memoir.messages.listOfAgent(actor, agentId, { page });
    expect(all.map(({ content }) => textOf(content).includes("Name: Samira"))).toEqual([true, true]);
  });

  test("a reset leaves the system message in context and everything in recall memory", async (context) => {
    const { memoir, actor, agentId, tell, model } = await open(dialect, context, echo);
    await tell("default", "a");
    await tell("default", "b");
    const before = await memoir.agents.get(actor, agentId);
    await memoir.conversations.reset(actor, { agentId });
    const after = await memoir.agents.get(actor, agentId);
    expect(after.contextMessageIds).toEqual(before.contextMessageIds.slice(0, 1));
    const page = { limit: 10, from: "newest" as const };
    expect(await memoir.messages.listOfAgent(actor, agentId, { page })).toHaveLength(5);
    await tell("default", "c");
    expect(userTexts(model.requests.at(-1) as ModelRequest)).toEqual(["c"]);
  });

  test("an older kind speaks in conversations too, and starts anew with its canned exchange", async (context) => {
    const script = [callTool("send_message", { message: "hi" })];
    const { memoir, actor, agentId, tell, create, model } = await open(dialect, context, script, "memgpt_v2_agent");
    const result = await tell(await create(), "hello");
    expect(result.reason).toBe("end_turn");
    expect(result.messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
    const { contextMessageIds } = await memoir.agents.get(actor, agentId);
    await memoir.conversations.reset(actor, { agentId }, { withBootSequence: true });
    const after = await memoir.agents.get(actor, agentId);
    expect(after.contextMessageIds).toHaveLength(contextMessageIds.length);
    expect(after.contextMessageIds.slice(1)).not.toEqual(contextMessageIds.slice(1));
    expect(model.requests).toHaveLength(1);
  });

  test("deleting a conversation ends its runs, and nothing of it is found any more", async (context) => {
    const held = gate();
    const script: Script = (_, request) =>
      userTexts(request).at(-1) === "slow" ? holdUntil(held.promise, say("too late")) : say("ok");
    const { memoir, actor, agentId, tell, begin, model, scope } = await open(dialect, context, script);
    const view = await memoir.conversations.create(actor, agentId, { isolatedBlockLabels: ["mood"] });
    const { id } = view.conversation;
    await tell(id, "rhubarb");
    const runs = [await begin(id, "slow"), await begin(id, "queued rhubarb")];
    await until(() => model.requests.length === 2);
    const results = runs.map((run) => memoir.messages.complete(actor, run.id));
    await memoir.conversations.delete(actor, id);
    for (const result of await Promise.all(results)) {
      expect(result).toMatchObject({ reason: "cancelled", run: { status: "cancelled" } });
    }
    held.resolve();
    await tell("default", "hello");
    const rows = scope.select("message").select("deleted_at").where("conversation_id", "=", id);
    expect((await rows.execute()).every((row) => row.deleted_at !== null)).toBe(true);
    await expect(memoir.blocks.get(actor, view.isolatedBlockIds[0] ?? "")).rejects.toMatchObject({ code: "not-found" });
    for (const gone of [
      () => memoir.conversations.get(actor, { conversationId: id }),
      () => memoir.conversations.update(actor, id, { title: "x" }),
      () => memoir.conversations.delete(actor, id),
      () => memoir.conversations.fork(actor, { conversationId: id }),
      () => begin(id, "hello?"),
    ]) {
      await expect(gone()).rejects.toMatchObject({ code: "not-found", details: { entity: "conversation", id } });
    }
    const page = { limit: 100, from: "oldest" as const };
    const left = await memoir.messages.listOfAgent(actor, agentId, { page });
    expect(left.map(({ role }) => role)).toEqual(["system", "user", "assistant"]);
  });

  test("messages that a fork still has outlive their conversation, and go with the fork", async (context) => {
    const { memoir, actor, agentId, create, tell, texts, model } = await open(dialect, context, echo);
    const source = await create();
    await tell(source, "a");
    const fork = (await memoir.conversations.fork(actor, { conversationId: source })).conversation.id;
    await tell(source, "only here");
    await memoir.conversations.delete(actor, source);
    expect(await texts(fork)).toEqual(["system: ", "user: a", "assistant: a!"]);
    await tell(fork, "b");
    expect(userTexts(model.requests.at(-1) as ModelRequest)).toEqual(["a", "b"]);
    const page = { limit: 100, from: "oldest" as const };
    const texted = async () =>
      (await memoir.messages.listOfAgent(actor, agentId, { page })).flatMap(({ role, content }) =>
        role === "user" ? [textOf(content)] : [],
      );
    expect(await texted()).toEqual(["a", "b"]);
    await memoir.conversations.delete(actor, fork);
    expect(await texted()).toEqual([]);
  });

  test("the time of the last message follows the messages; one set by hand counts until the next", async (context) => {
    const { memoir, actor, create, tell } = await open(dialect, context, echo);
    const id = await create();
    const time = async () => (await memoir.conversations.get(actor, { conversationId: id })).lastMessageAt;
    expect(await time()).toBeNull();
    const { messages } = await tell(id, "a");
    expect(await time()).toBe(messages.at(-1)?.createdAt);
    const renamed = await memoir.conversations.update(actor, id, { title: "renamed" });
    expect(renamed.lastMessageAt).toBe(messages.at(-1)?.createdAt);
    expect(renamed.conversation.title).toBe("renamed");
    expect((await memoir.conversations.update(actor, id, { lastMessageAt: 1_000_000 })).lastMessageAt).toBe(1_000_000);
    const again = await tell(id, "b");
    expect(await time()).toBe(again.messages.at(-1)?.createdAt);
    expect((await memoir.conversations.fork(actor, { conversationId: id })).lastMessageAt).toBeNull();
  });

  test("a conversation's model and settings hold for it alone, and a request's model comes before them", async (context) => {
    const { memoir, actor, create, tell, model } = await open(dialect, context, echo);
    const id = await create({ model: "openai/gpt-4.1", modelSettings: { temperature: 0.25 } });
    await tell(id, "a");
    await tell("default", "b");
    const message = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "c" }] }] };
    const run = await memoir.messages.sendTo(actor, id, { ...message, model: "openai/gpt-4o-mini" });
    await memoir.messages.complete(actor, run.id);
    expect(model.requests.map(({ config }) => [config.handle, config.temperature])).toEqual([
      ["openai/gpt-4.1", 0.25],
      ["memoir/demo", 1],
      ["openai/gpt-4o-mini", 1],
    ]);
    await expect(create({ model: "openai/none" })).rejects.toMatchObject({ code: "not-found" });
    await expect(memoir.conversations.update(actor, id, { model: "none" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });

  test("cancelling reaches what is under way and what waits in this conversation only", async (context) => {
    const script: Script = () => holdUntil(new Promise(() => {}), say("never"));
    const { memoir, actor, create, begin, model } = await open(dialect, context, script);
    const [first, second] = [await create(), await create()];
    const runs = [await begin(first, "a"), await begin(first, "b")];
    const other = await begin(second, "c");
    await until(() => model.requests.length === 2);
    expect(await memoir.conversations.cancel(actor, { conversationId: first })).toEqual(runs.map(({ id }) => id));
    for (const { id } of runs) expect((await memoir.messages.complete(actor, id)).reason).toBe("cancelled");
    expect((await memoir.runs.get(actor, other.id)).status).toBe("running");
    await expect(memoir.conversations.cancel(actor, { conversationId: first })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("an agent that goes takes the isolated blocks of its conversations along", async (context) => {
    const { memoir, actor, agentId } = await open(dialect, context, []);
    const view = await memoir.conversations.create(actor, agentId, { isolatedBlockLabels: ["mood"] });
    const kept = (await memoir.agents.get(actor, agentId)).blocks.map(({ id }) => id);
    await memoir.agents.delete(actor, agentId);
    const left = await memoir.blocks.list(actor, {}, { limit: 50, order: "asc" });
    expect(left.map(({ id }) => id).sort()).toEqual(kept.toSorted());
    expect(left.map(({ id }) => id)).not.toContain(view.isolatedBlockIds[0]);
  });

  test("nobody reaches a conversation of another organization", async (context) => {
    const world = await open(dialect, context, echo);
    const id = await world.create();
    const { memoir, actor } = await openNeighbour(world);
    for (const attempt of [
      () => memoir.conversations.get(actor, { conversationId: id }),
      () => memoir.conversations.fork(actor, { conversationId: id }),
      () => memoir.conversations.delete(actor, id),
      () => memoir.conversations.recompile(actor, { conversationId: id }),
      () => memoir.messages.listOfConversation(actor, id, { page: { limit: 5, from: "newest" } }),
      () => memoir.messages.sendTo(actor, id, { messages: [{ role: "user", content: [{ type: "text", text: "x" }] }] }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "not-found" });
    }
    expect(await memoir.conversations.list(actor, { page: { limit: 5, order: "asc" } })).toEqual([]);
  });
});

test("the default conversation is reset, not deleted", async (context) => {
  const replies: ScriptedReply[] = [];
  const model = scripted(replies);
  const { memoir, actor, createAgent } = await openWorld("sqlite", context, { models: { get: () => model } });
  const { agent } = await createAgent();
  const { conversation } = await memoir.conversations.get(actor, { agentId: agent.id });
  await expect(memoir.conversations.delete(actor, conversation.id)).rejects.toMatchObject({
    code: "invalid-argument",
  });
});
