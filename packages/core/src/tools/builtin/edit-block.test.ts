/** What holds for every tool that edits memory, whichever way it is called. */
import { describe, expect, test } from "vitest";
import { lineNumberBanner } from "../../memory/compile.ts";
import type { JsonObject } from "../../shared/json.ts";
import { listBlockVersions } from "../../store/blocks/block-versions.ts";
import { getBlock, insertBlocks, newBlock } from "../../store/blocks/blocks.ts";
import { insertConversation } from "../../store/conversations/conversations.ts";
import { openToolWorld, type ToolWorld } from "../../testing/builtin-tools.ts";
import { dialects } from "../../testing/databases.ts";

interface Edit {
  readonly tool: string;
  /** Changes the block labelled `label`, whose text is "tea". */
  readonly args: (label: string) => JsonObject;
  /** Arguments that take text, in which display aids are refused. */
  readonly texts: readonly string[];
  /** For tools whose text is not taken alone. */
  readonly wrap?: (text: string) => string;
}

const path = (label: string) => `/memories/${label}`;

const edits: Readonly<Record<string, Edit>> = {
  core_memory_append: {
    tool: "core_memory_append",
    args: (label) => ({ label, content: "milk" }),
    texts: ["content"],
  },
  core_memory_replace: {
    tool: "core_memory_replace",
    args: (label) => ({ label, old_content: "tea", new_content: "milk" }),
    texts: ["old_content", "new_content"],
  },
  memory_replace: {
    tool: "memory_replace",
    args: (label) => ({ label, old_string: "tea", new_string: "milk" }),
    texts: ["old_string", "new_string"],
  },
  memory_insert: {
    tool: "memory_insert",
    args: (label) => ({ label, new_string: "milk" }),
    texts: ["new_string"],
  },
  memory_rethink: {
    tool: "memory_rethink",
    args: (label) => ({ label, new_memory: "milk" }),
    texts: ["new_memory"],
  },
  memory_apply_patch: {
    tool: "memory_apply_patch",
    args: (label) => ({ label, patch: "@@\n-tea\n+milk" }),
    texts: ["patch"],
    wrap: (text) => `@@\n-tea\n${text.replaceAll(/^/gm, "+")}`,
  },
  "memory_apply_patch, update": {
    tool: "memory_apply_patch",
    args: (label) => ({ label: "x", patch: `*** Update Block: ${label}\n@@\n-tea\n+milk` }),
    texts: ["patch"],
    wrap: (text) => `*** Update Block: human\n@@\n-tea\n${text.replaceAll(/^/gm, "+")}`,
  },
  "memory_apply_patch, move": {
    tool: "memory_apply_patch",
    args: (label) => ({ label: "x", patch: `*** Update Block: ${label}\n*** Move to: milk` }),
    texts: [],
  },
  "memory_apply_patch, delete": {
    tool: "memory_apply_patch",
    args: (label) => ({ label: "x", patch: `*** Delete Block: ${label}` }),
    texts: [],
  },
  "memory str_replace": {
    tool: "memory",
    args: (label) => ({ command: "str_replace", path: path(label), old_string: "tea", new_string: "milk" }),
    texts: ["old_string", "new_string"],
  },
  "memory insert": {
    tool: "memory",
    args: (label) => ({ command: "insert", path: path(label), insert_text: "milk" }),
    texts: ["insert_text"],
  },
  "memory delete": { tool: "memory", args: (label) => ({ command: "delete", path: path(label) }), texts: [] },
  "memory rename": {
    tool: "memory",
    args: (label) => ({ command: "rename", old_path: path(label), new_path: "/memories/milk" }),
    texts: [],
  },
  "memory rename, description": {
    tool: "memory",
    args: (label) => ({ command: "rename", path: path(label), description: "milk" }),
    texts: ["description"],
  },
  memory_str_replace: {
    tool: "memory_str_replace",
    args: (label) => ({ path: label, old_string: "tea", new_string: "milk" }),
    texts: ["old_string", "new_string"],
  },
  memory_str_insert: {
    tool: "memory_str_insert",
    args: (label) => ({ path: label, insert_text: "milk" }),
    texts: ["insert_text"],
  },
};

const grows = ["core_memory_append", "memory_insert", "memory insert", "memory_str_insert"];
const named = Object.entries(edits);

describe.each(dialects)("%s", (dialect) => {
  test("every edit leaves one version more, with the call that caused it", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: named.map((_, index) => block(`b${index}`)) });
    const before = await world.readMemory();
    for (const [index, [name, { tool, args }]] of named.entries()) {
      const id = before[index]?.id ?? "";
      const isRename = name === "memory rename" || name.endsWith("move");
      // Both renames want the same label.
      if (name === "memory rename") await world.call("memory", { command: "delete", path: "milk" });
      const output = await world.call(tool, args(`b${index}`));
      const versions = await listBlockVersions(world.scope, id);
      if (name.endsWith("delete")) {
        expect(versions, name).toHaveLength(1);
        expect((await getBlock(world.scope, id)).value, name).toBe("tea");
        continue;
      }
      expect(versions, name).toHaveLength(2);
      expect(versions[1]?.cause, name).toEqual(world.context.cause);
      const expected = grows.includes(name) ? "tea\nmilk" : isRename || name.endsWith("description") ? "tea" : "milk";
      expect(versions[1]?.value, name).toBe(expected);
      if (isRename) expect(versions[1]?.label, name).toBe("milk");
      if (!isRename && !/,/.test(name)) expect(output, name).toBe(expected);
    }
  });

  test("a read-only block is safe from every tool and command", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [{ ...block("human"), readOnly: true }] });
    for (const [name, { tool, args }] of named) {
      const message = await world.refuse(tool, args("human"));
      expect(message, name).toBe(
        'Block "human" is read-only: memory tools cannot change, rename or take it away. Nothing was changed. ' +
          "Write what you want to keep into another block.",
      );
    }
  });

  test("an unknown label is answered with those there are", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [block("human"), block("persona")] });
    for (const [name, { tool, args }] of named) {
      if (name === "memory_rethink") continue; // makes the block
      const message = await world.refuse(tool, args("Human"));
      expect(message, name).toBe(
        'There is no block labelled "Human". Your blocks are: human, persona. Nothing was changed. Use one of these ' +
          "labels, spelled exactly like this.",
      );
    }
    const bare = await world.createUser();
    expect(await bare.refuse("core_memory_append", { label: "human", content: "x" })).toMatch(
      /You have no blocks at all\..*A block has to be created first\./,
    );
  });

  test("a limit holds for every edit, in code points, and the refusal counts", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [{ ...block("human"), charLimit: 6 }] });
    const long = "🙂".repeat(7);
    for (const [name, { tool, args, texts, wrap = (text: string) => text }] of named) {
      const argument = texts.at(-1);
      if (argument === undefined || argument === "description") continue;
      const message = await world.refuse(tool, { ...args("human"), [argument]: wrap(long) });
      const length = grows.includes(name) ? 11 : 7;
      expect(message, name).toBe(
        `Block "human" would have ${length} characters, but its limit is 6 (it has 3 now). Nothing was changed. Write ` +
          `at least ${length - 6} characters less, or first make room by removing or condensing what the block no ` +
          "longer needs.",
      );
    }
    expect(await world.call("memory_rethink", { label: "human", new_memory: "🙂".repeat(6) })).toBe("🙂".repeat(6));
  });

  test("line numbers and their note are refused in every argument", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [block("human")] });
    const input = [
      ...named,
      [
        "memory create",
        { tool: "memory", args: createArgs, texts: ["file_text", "description"] } satisfies Edit,
      ] as const,
    ];
    for (const [name, { tool, args, texts, wrap = (text: string) => text }] of input as [string, Edit][]) {
      for (const argument of texts) {
        const numbered = await world.refuse(tool, { ...args("human"), [argument]: wrap("tea\n 12→ milk") });
        expect(numbered, `${name} ${argument}`).toMatch(
          new RegExp(`^${argument} has a line.*Call again without them\\.$`),
        );
        const noted = await world.refuse(tool, { ...args("human"), [argument]: wrap(lineNumberBanner) });
        expect(noted, `${name} ${argument}`).toMatch(
          new RegExp(`^${argument} holds the note.*Call again without it\\.$`),
        );
      }
    }
  });

  test("an edit goes to the conversation's own copy, and leaves the agent's block alone", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [block("human")] });
    const { conversationId, copyId } = await isolate(world, "human", "tea");
    const inside = world.inConversation(conversationId);
    for (const [name, { tool, args }] of named) {
      if (/delete|rename$|move/.test(name)) {
        expect(await inside.refuse(tool, args("human")), name).toMatch(
          /this conversation's own copy.*Edit its text or its description instead\./,
        );
        continue;
      }
      const before = await getBlock(world.scope, copyId);
      if (before.value !== "tea") await inside.call("memory_rethink", { label: "human", new_memory: "tea" });
      await inside.call(tool, args("human"));
    }
    expect((await getBlock(world.scope, copyId)).value).toBe("tea\nmilk");
    expect(await world.readMemory()).toMatchObject([{ value: "tea", version: 1, isIsolated: false }]);
  });

  test("an edit that changes nothing writes nothing", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [block("human")] });
    const before = await world.readMemory();
    expect(await world.call("memory_replace", { label: "human", old_string: "tea", new_string: "tea" })).toBe("tea");
    expect(await world.call("memory_rethink", { label: "human", new_memory: "tea" })).toBe("tea");
    expect(await world.readMemory()).toEqual(before);
  });

  test("what a database cannot store is left out, all else stays byte for byte", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [{ label: "human", value: "" }] });
    const hostile = "'; drop table block; -- \t\r\n\u2028 $& %s \\u0000 </value>\"🙂é\u0301";
    expect(await world.call("core_memory_append", { label: "human", content: `a\0b\ud800c${hostile}` })).toBe(
      `ab\ufffdc${hostile}`,
    );
    expect(await world.readValues()).toEqual({ human: `ab\ufffdc${hostile}` });
    expect(await world.call("memory_replace", { label: "human", old_string: hostile, new_string: "" })).toBe(
      "ab\ufffdc",
    );
  });

  test("arguments of the wrong kind are refused", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [block("human")] });
    expect(await world.refuse("core_memory_append", { label: "human" })).toBe(
      "content is required. Nothing was done. Write there what to add.",
    );
    expect(await world.refuse("core_memory_append", { label: null, content: "x" })).toMatch(
      /label is required.*Name the/,
    );
    expect(await world.refuse("memory_insert", { label: ["human"], new_string: "x" })).toMatch(
      /label must be a text.*Call again with a string/,
    );
    expect(await world.refuse("memory_insert", { label: "human", new_string: "x", insert_line: 1.5 })).toMatch(
      /insert_line must be a whole number.*leave it out/,
    );
    expect(await world.call("memory_insert", { label: "human", new_string: "x", insert_line: "0" })).toBe("x\ntea");
  });

  test("memory_rethink makes a block that is missing, for the agent and its companion", async (context) => {
    const world = await openToolWorld(dialect, context, { sleeptime: true, blocks: [block("human")] });
    expect(await world.call("memory_rethink", { label: "garden", new_memory: "Tomatoes" })).toBe("Tomatoes");
    const garden = (await world.readMemory()).at(-1);
    expect(garden).toMatchObject({ label: "garden", value: "Tomatoes", description: null, charLimit: 100_000 });
    const { group } = await world.memoir.agents.get(world.actor, world.context.agentId);
    const companion = await world.memoir.agents.get(world.actor, group?.agentIds[0] ?? "");
    expect(companion.blocks.map(({ label }) => label).sort()).toEqual(["garden", "human", "memory_persona"]);
    // The companion's own block of that label stays.
    await world.call("memory_rethink", { label: "memory_persona", new_memory: "mine" });
    const after = await world.memoir.agents.get(world.actor, companion.agent.id);
    expect(after.blocks.find(({ label }) => label === "memory_persona")?.value).not.toBe("mine");
    for (const label of ["", "  ", " garden", "a\nb", "x".repeat(101)]) {
      expect(await world.refuse("memory_rethink", { label, new_memory: "x" })).toMatch(/such as projects\.$/);
    }
    expect(await world.refuse("memory_rethink", { label: "12→ x", new_memory: "x" })).toMatch(/^The label has a line/);
    expect(await world.refuse("memory_rethink", { label: "big", new_memory: "x".repeat(100_001) })).toMatch(
      /"big" would have 100001 characters, but its limit is 100000.*Write at least 1 characters less/,
    );
  });

  test("two agents append 25 lines each to one shared block at the same time, and none is lost", async (context) => {
    const first = await openToolWorld(dialect, context, { blocks: [{ label: "shared", value: "" }] });
    const blockIds = (await first.readMemory()).map(({ id }) => id);
    const second = await first.createUser({ blockIds });
    const lines = [first, second].flatMap((user, author) =>
      Array.from({ length: 25 }, (_, index) => ({ user, content: `author ${author}, line ${index}` })),
    );
    await Promise.all(lines.map(({ user, content }) => user.call("core_memory_append", { label: "shared", content })));
    const [shared] = await first.readMemory();
    expect(shared?.value.split("\n").sort()).toEqual(lines.map(({ content }) => content).sort());
    expect(shared?.version).toBe(51);
    const versions = await listBlockVersions(first.scope, shared?.id ?? "");
    expect(versions).toHaveLength(51);
    expect(versions.at(-1)?.value).toBe(shared?.value);
  });

  test("of two agents that make the same block or label at once, the later is told", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [block("a"), block("b")] });
    const make = { command: "create", path: "new", description: "d", file_text: "x" };
    const rename = (label: string) => ({ command: "rename", old_path: label, new_path: "same" });
    for (const calls of [
      [make, make, make],
      [rename("a"), rename("b")],
    ]) {
      const outcomes = await Promise.allSettled(calls.map((args) => world.call("memory", args)));
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        expect(outcome.reason).toMatchObject({ code: "tool-failed" });
        expect(outcome.reason.message).toMatch(/You already have a block labelled.*or choose another label\./);
      }
    }
    expect((await world.readMemory()).map(({ label }) => label).sort()).toEqual(
      expect.arrayContaining(["new", "same"]),
    );
    expect(await world.readMemory()).toHaveLength(3);
  });
});

function block(label: string) {
  return { label, value: "tea" };
}

const createArgs = () => ({ command: "create", path: "new", description: "d", file_text: "x" });

async function isolate({ store, actor, context }: ToolWorld, label: string, value: string) {
  return await store.write(actor.orgId, async (scope) => {
    const conversationId = scope.newId("conv");
    const { agentId, cause } = context;
    await insertConversation(scope, {
      id: conversationId,
      agentId,
      isDefault: false,
      systemMessageId: null,
      createdBy: null,
    });
    const copy = newBlock(scope, { label, value }, cause);
    await insertBlocks(scope, [copy], cause);
    await scope.insert("conversation_block", { conversation_id: conversationId, block_id: copy.id, label }).execute();
    return { conversationId, copyId: copy.id };
  });
}
