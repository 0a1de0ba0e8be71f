import { StatementSync } from "node:sqlite";
import { expect, type TestContext, test } from "vitest";
import type { Memoir } from "../../memoir.ts";
import type { Model } from "../../model/model.ts";
import { callTool, callTools, say, scripted } from "../../model/scripted.ts";
import { recordBlockVersion } from "../../store/blocks/block-versions.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";

const only = (model: Model) => ({ get: () => model });

async function tell(memoir: Memoir, agentId: string, text: string) {
  const actor = memoir.defaultActor;
  const run = await memoir.messages.send(actor, agentId, {
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  });
  const result = await memoir.messages.complete(actor, run.id);
  return { run, result, inputId: run.request.input[0]?.messageId };
}

async function openBlock(dialect: DialectName, context: TestContext, value = "one") {
  const world = await openWorld(dialect, context);
  const block = await world.memoir.blocks.create(world.actor, { label: "notes", value });
  const edit = (next: string) => world.memoir.blocks.update(world.actor, block.id, { value: next });
  return { ...world, history: world.memoir.history, block, edit };
}

test.for(dialects)(
  "%s: versions are listed in pages, from either end, with texts on request",
  async (dialect, context) => {
    const { history, actor, block, edit } = await openBlock(dialect, context, "text 1");
    for (let count = 2; count <= 45; count++) await edit(`text ${count}`);
    const newest = await history.listVersions(actor, block.id, { limit: 3, order: "desc" });
    expect(newest.map(({ version, value }) => [version, value])).toEqual([
      [45, null],
      [44, null],
      [43, null],
    ]);
    const next = await history.listVersions(actor, block.id, { limit: 2, order: "desc", after: 43, withValues: true });
    expect(next.map(({ value }) => value)).toEqual(["text 42", "text 41"]);
    const oldest = await history.listVersions(actor, block.id, { limit: 9, order: "asc", before: 3, withValues: true });
    expect(oldest.map(({ value }) => value)).toEqual(["text 1", "text 2"]);
    expect(oldest[0]?.cause).toEqual({ kind: "api", userId: actor.userId });
    expect(
      await history.listVersions(actor, block.id, { limit: 9, order: "asc", after: 45, withValues: true }),
    ).toEqual([]);
    for (const version of [1, 20, 21, 22, 40, 45]) {
      expect((await history.getVersion(actor, block.id, version)).value).toBe(`text ${version}`);
    }
  },
);

test.for(dialects)("%s: a version or block that does not exist is refused by name", async (dialect, context) => {
  const { history, actor, block } = await openBlock(dialect, context);
  for (const version of [0, 2, 1.5, -1]) {
    await expect(history.getVersion(actor, block.id, version)).rejects.toMatchObject({
      code: "not-found",
      message: expect.stringContaining(`no version ${version}; its newest is 1`),
    });
  }
  await expect(history.blame(actor, block.id, 7)).rejects.toMatchObject({ code: "not-found" });
  await expect(history.diffVersions(actor, block.id, { from: 1, to: 9 })).rejects.toMatchObject({ code: "not-found" });
  await expect(history.restore(actor, block.id, { version: 9 })).rejects.toMatchObject({ code: "not-found" });
  await expect(history.restore(actor, block.id, {})).rejects.toMatchObject({ code: "invalid-input" });
  const unknown = "block-11111111-1111-4111-8111-111111111111";
  await expect(history.listVersions(actor, unknown, { limit: 1, order: "asc" })).rejects.toMatchObject({
    code: "not-found",
  });
});

test.for(dialects)("%s: two versions are compared line by line", async (dialect, context) => {
  const { history, actor, block, edit } = await openBlock(dialect, context, "tea\nmilk");
  await edit("tea\nsugar\nmilk");
  await edit("tea\nsugar");
  const last = await history.diffVersions(actor, block.id);
  expect([last.from.version, last.to.version]).toEqual([2, 3]);
  expect(last.text).toBe("--- notes version 2\n+++ notes version 3\n@@ -1,3 +1,2 @@\n tea\n sugar\n-milk\n");
  const back = await history.diffVersions(actor, block.id, { from: 3, to: 1 });
  expect(back.hunks[0]?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "same tea",
    "removed sugar",
    "added milk",
  ]);
});

test.for(dialects)(
  "%s: each line leads to the tool call that wrote it, its message and the message it answers",
  async (dialect, context) => {
    const twice = callTools([
      { name: "memory_insert", arguments: { label: "human", new_string: "Likes tea." }, id: "call_1" },
      { name: "memory_insert", arguments: { label: "human", new_string: "Has a cat." }, id: "call_2" },
    ]);
    const rename = { label: "human", old_string: "unknown", new_string: "Samira" };
    const model = scripted([callTool("memory_replace", rename, { id: "call_1" }), twice, say("Noted.")]);
    const { memoir, actor } = await openWorld(dialect, context, { models: only(model) });
    const { agent } = await memoir.agents.create(actor, {
      model: "openai/gpt-4o-mini",
      parallelToolCalls: true,
      blocks: [{ label: "human", value: "From: Ghent\nName: unknown" }],
    });
    const { run, result, inputId } = await tell(memoir, agent.id, "I am Samira, I like tea and have a cat");
    const block = await memoir.blocks.getOfAgent(actor, agent.id, "human");
    const { lines } = await memoir.history.blame(actor, block.id);
    expect(lines.map(({ text }) => text)).toEqual(["From: Ghent", "Name: Samira", "Likes tea.", "Has a cat."]);
    const [input, ...written] = lines;
    expect(input).toMatchObject({ version: 1, cause: { kind: "api" }, messageId: null, inputMessageIds: [] });
    const speakers = result.messages.filter(({ role }) => role === "assistant");
    const expected = [
      [speakers[0], "call_1"],
      [speakers[1], "call_1"],
      [speakers[1], "call_2"],
    ] as const;
    for (const [index, [speaker, toolCallId]] of expected.entries()) {
      expect(written[index]).toMatchObject({
        cause: { kind: "tool", agentId: agent.id, runId: run.id, stepId: speaker?.stepId, toolCallId },
        messageId: speaker?.id,
        inputMessageIds: [inputId],
      });
    }
  },
);

test.for(dialects)("%s: a block shared by two agents says which of them wrote what", async (dialect, context) => {
  const insert = (text: string) => callTool("memory_insert", { label: "shared", new_string: text });
  const model = scripted([insert("from the first"), say("ok"), insert("from the second"), say("ok")]);
  const { memoir, actor } = await openWorld(dialect, context, { models: only(model) });
  const block = await memoir.blocks.create(actor, { label: "shared", value: "start" });
  const create = () => memoir.agents.create(actor, { model: "openai/gpt-4o-mini", blockIds: [block.id] });
  const agents = [(await create()).agent, (await create()).agent];
  for (const { id } of agents) await tell(memoir, id, "write");
  const writers = async () => (await memoir.history.blame(actor, block.id)).lines.map(({ cause }) => cause.agentId);
  expect(await writers()).toEqual([undefined, agents[0]?.id, agents[1]?.id]);
  await memoir.history.restore(actor, block.id, { version: 1 });
  for (const { id } of agents) {
    expect((await memoir.blocks.getOfAgent(actor, id, "shared")).value).toBe("start");
  }
  await memoir.agents.delete(actor, agents[0]?.id ?? "");
  await memoir.history.restore(actor, block.id, { version: 3 });
  const lines = (await memoir.history.blame(actor, block.id)).lines;
  expect(lines[1]).toMatchObject({ cause: { agentId: agents[0]?.id }, messageId: null, restoredIn: 5 });
  expect(lines[2]?.messageId).toMatch(/^message-/);
});

test.for(dialects)("%s: a restore is a new version that names the one it came from", async (dialect, context) => {
  const { history, memoir, actor, block, edit } = await openBlock(dialect, context, "a\nb");
  await edit("a");
  const trial = await history.restore(actor, block.id, { version: 1 }, { isDryRun: true });
  expect(trial).toMatchObject({ outcome: "restored", fromVersion: 1, versionBefore: 2, version: 2 });
  expect(trial.text).toContain("+b");
  expect((await memoir.blocks.get(actor, block.id)).value).toBe("a");
  const done = await history.restore(actor, block.id, { version: 1 }, { expectedVersion: 2 });
  expect(done).toMatchObject({ outcome: "restored", fromVersion: 1, version: 3 });
  expect((await history.getVersion(actor, block.id, 3)).cause).toEqual({
    kind: "restore",
    userId: actor.userId,
    restoredVersion: 1,
  });
  expect(await history.restore(actor, block.id, { version: 1 })).toMatchObject({ outcome: "unchanged", version: 3 });
  await expect(history.restore(actor, block.id, { version: 2 }, { expectedVersion: 2 })).rejects.toMatchObject({
    code: "conflict",
  });
  expect((await history.blame(actor, block.id)).lines.map(({ version, restoredIn }) => [version, restoredIn])).toEqual([
    [1, null],
    [1, 3],
  ]);
});

test.for(dialects)(
  "%s: a restore keeps to the limit of today and may write read-only blocks",
  async (dialect, context) => {
    const { history, memoir, actor, block } = await openBlock(dialect, context, "0123456789");
    await memoir.blocks.update(actor, block.id, { value: "0", charLimit: 5, readOnly: true });
    await expect(history.restore(actor, block.id, { version: 1 })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("has 10 characters, and the block's limit is 5 now"),
    });
    await memoir.blocks.update(actor, block.id, { charLimit: 10 });
    await history.restore(actor, block.id, { version: 1 });
    expect(await memoir.blocks.get(actor, block.id)).toMatchObject({
      value: "0123456789",
      charLimit: 10,
      readOnly: true,
    });
  },
);

test.for(dialects)("%s: all blocks of an agent go back to one moment, or none does", async (dialect, context) => {
  const world = await openWorld(dialect, context);
  const { memoir, actor } = world;
  const { agent } = await world.createAgent({
    blocks: [
      { label: "human", value: "h1" },
      { label: "persona", value: "p1" },
    ],
  });
  const edit = (label: string, value: string) => memoir.blocks.updateOfAgent(actor, agent.id, label, { value });
  await edit("human", "h2");
  const human = await memoir.blocks.getOfAgent(actor, agent.id, "human");
  const [version] = await memoir.history.listVersions(actor, human.id, { limit: 1, order: "desc" });
  const at = version?.createdAt ?? 0;
  await edit("human", "h3");
  await edit("persona", "p2");
  const late = await memoir.blocks.create(actor, { label: "late", value: "new" });
  await memoir.agents.attachBlock(actor, agent.id, late.id);
  const texts = async () => (await memoir.agents.get(actor, agent.id)).blocks.map(({ value }) => value);

  const trial = await memoir.history.restoreAgent(actor, agent.id, at, { isDryRun: true });
  expect(trial.map(({ label, outcome }) => `${label} ${outcome}`)).toEqual([
    "human restored",
    "persona restored",
    "late younger",
  ]);
  expect(await texts()).toEqual(["h3", "p2", "new"]);

  await memoir.blocks.update(actor, trial[1]?.blockId ?? "", { value: "p", charLimit: 1 });
  await expect(memoir.history.restoreAgent(actor, agent.id, at)).rejects.toMatchObject({ code: "invalid-argument" });
  expect(await texts()).toEqual(["h3", "p", "new"]);

  await memoir.blocks.update(actor, trial[1]?.blockId ?? "", { charLimit: 100 });
  await memoir.history.restoreAgent(actor, agent.id, at);
  expect(await texts()).toEqual(["h2", "p1", "new"]);
  await expect(memoir.history.restoreAgent(actor, agent.id, at, { labels: ["nobody"] })).rejects.toMatchObject({
    code: "invalid-input",
    message: expect.stringContaining("its blocks are: human, persona, late"),
  });
  await memoir.history.restoreAgent(actor, agent.id, at - 1, { labels: ["human"] });
  expect(await texts()).toEqual(["h1", "p1", "new"]);
  await memoir.history.restoreSeveral(actor, [human.id, trial[1]?.blockId ?? ""], at);
  expect(await texts()).toEqual(["h2", "p1", "new"]);
});

test.for(dialects)("%s: restores and edits of one block at the same time all count", async (dialect, context) => {
  const { history, memoir, actor, block, edit } = await openBlock(dialect, context, "start");
  await edit("second");
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0 ? edit(`edit ${index}`) : history.restore(actor, block.id, { version: 1 }),
    ),
  );
  const versions = await history.listVersions(actor, block.id, { limit: 100, order: "asc", withValues: true });
  expect(versions.at(-1)?.value).toBe((await memoir.blocks.get(actor, block.id)).value);
  for (const { cause, value } of versions) if (cause.kind === "restore") expect(value).toBe("start");
});

test.for(dialects)("%s: a moment before the block existed is refused", async (dialect, context) => {
  const { history, actor, block } = await openBlock(dialect, context);
  await expect(history.restore(actor, block.id, { at: 1 })).rejects.toMatchObject({
    code: "invalid-input",
    message: expect.stringContaining("did not exist at that moment"),
  });
});

test.for(dialects)("%s: nobody sees or restores the past of another organization's block", async (dialect, context) => {
  const world = await openWorld(dialect, context);
  const block = await world.memoir.blocks.create(world.actor, { label: "notes", value: "secret" });
  await world.memoir.history.blame(world.actor, block.id);
  const { actor } = await openNeighbour(world);
  const { history } = world.memoir;
  for (const attempt of [
    () => history.blame(actor, block.id),
    () => history.getVersion(actor, block.id, 1),
    () => history.diffVersions(actor, block.id),
    () => history.restore(actor, block.id, { version: 1 }),
    () => history.restoreSeveral(actor, [block.id], 9e15),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: "not-found" });
  }
});

test.for(dialects)("%s: a block that is deleted takes its past with it", async (dialect, context) => {
  const { history, memoir, actor, block, scope } = await openBlock(dialect, context);
  await history.blame(actor, block.id);
  await memoir.blocks.delete(actor, block.id);
  await expect(history.blame(actor, block.id)).rejects.toMatchObject({ code: "not-found" });
  expect(await scope.select("block_version").select("version").where("block_id", "=", block.id).execute()).toEqual([]);
});

/** Statements that read, whoever asks. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const original = StatementSync.prototype.all;
  let count = 0;
  StatementSync.prototype.all = function (this: StatementSync, ...args: never[]) {
    count++;
    return Reflect.apply(original, this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    StatementSync.prototype.all = original;
  }
  return count;
}

test("the blame of a thousand versions of two hundred lines takes three statements, later ones two", async (context) => {
  const world = await openBlock("sqlite", context, "");
  const { history, actor, block, store, edit } = world;
  const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`);
  let before = "";
  await store.write(actor.orgId, async (scope) => {
    for (let version = 2; version <= 1000; version++) {
      lines[(version * 7) % 200] = `line of ${version}`;
      const value = lines.join("\n");
      await recordBlockVersion(scope, [{ block: { ...block, version, value }, before }], {
        kind: "system",
        userId: null,
      });
      before = value;
    }
    await scope.update("block").set({ version: 1000, value: before }).where("id", "=", block.id).execute();
  });
  let blamed = await history.blame(actor, block.id, 999);
  expect(await countReads(async () => (blamed = await history.blame(actor, block.id)))).toBeLessThanOrEqual(3);
  expect(blamed.lines).toHaveLength(200);
  for (const { text, version } of blamed.lines) expect(text).toBe(`line of ${version}`);
  expect(blamed.lines.filter(({ version }) => version > 800)).toHaveLength(200);
  expect(await countReads(() => history.blame(actor, block.id))).toBeLessThanOrEqual(2);
  await edit(`${before}\nlast`);
  expect(await countReads(async () => (blamed = await history.blame(actor, block.id)))).toBeLessThanOrEqual(3);
  expect(blamed.lines.at(-1)).toMatchObject({ text: "last", version: 1001 });
});
