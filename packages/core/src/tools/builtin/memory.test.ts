import { describe, expect, test } from "vitest";
import { getBlock } from "../../store/blocks/blocks.ts";
import { openToolWorld } from "../../testing/builtin-tools.ts";
import { dialects } from "../../testing/databases.ts";

const next = "It is saved and stands in your prompt from your next turn on.";

describe.each(dialects)("%s", (dialect) => {
  test("a block lives from create to delete, by every way of writing its path", async (context) => {
    const world = await openToolWorld(dialect, context);
    const create = { command: "create", path: "/memories/projects/boat", description: "The boat" };
    expect(await world.call("memory", create)).toBe(`Block "projects/boat" was created. ${next}`);
    expect(await world.readMemory()).toMatchObject([
      { label: "projects/boat", value: "", description: "The boat", readOnly: false },
    ]);
    expect(await world.call("memory", { command: "insert", path: "/projects/boat", insert_text: "Hull" })).toBe("Hull");
    expect(
      await world.call("memory", { command: "insert", path: "projects/boat", insert_text: "Mast", insert_line: 0 }),
    ).toBe("Mast\nHull");
    const replace = { path: "/memories/projects/boat", old_string: "Hull", new_string: "Keel" };
    expect(await world.call("memory", { command: "str_replace", ...replace })).toBe("Mast\nKeel");
    expect(await world.call("memory", { command: "rename", path: "/projects/boat", description: "The yacht" })).toBe(
      `Block "projects/boat" has a new description. ${next}`,
    );
    const rename = { command: "rename", old_path: "projects/boat", new_path: "/memories/yacht/hull" };
    expect(await world.call("memory", rename)).toBe(`Block "projects/boat" is now labelled "yacht/hull". ${next}`);
    const [block] = await world.readMemory();
    expect(block).toMatchObject({ label: "yacht/hull", value: "Mast\nKeel", description: "The yacht", version: 6 });
    expect(await world.call("memory", { command: "delete", path: "/yacht/hull" })).toBe(
      'Block "yacht/hull" was taken away from you. That is saved; it is gone from your prompt from your next turn on.',
    );
    expect(await world.readMemory()).toEqual([]);
    expect(await getBlock(world.scope, block?.id ?? "")).toMatchObject({ value: "Mast\nKeel" });
  });

  test("delete takes a shared block from the one who asked only", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [{ label: "shared", value: "tea" }] });
    const other = await world.createUser({ blockIds: (await world.readMemory()).map(({ id }) => id) });
    await world.call("memory", { command: "delete", path: "shared" });
    expect(await world.readMemory()).toEqual([]);
    expect(await other.readValues()).toEqual({ shared: "tea" });
    expect(await world.call("memory", { command: "create", path: "shared", description: "d" })).toContain("created");
  });

  test("a rename reaches everyone who shares the block, unless one of them has that label", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [{ label: "shared", value: "tea" }] });
    const blockIds = (await world.readMemory()).map(({ id }) => id);
    const other = await world.createUser({ blockIds, blocks: [{ label: "taken", value: "" }] });
    const rename = (to: string) => ({ command: "rename", old_path: "shared", new_path: to, description: "both" });
    expect(await world.refuse("memory", rename("taken"))).toBe(
      'Block "shared" is shared with another agent that already has a block labelled "taken". Nothing was changed. ' +
        "Choose another label.",
    );
    await world.call("memory", rename("common"));
    expect(Object.keys(await other.readValues()).sort()).toEqual(["common", "taken"]);
    expect(await world.readMemory()).toMatchObject([{ label: "common", description: "both", version: 2 }]);
  });

  test("what is missing or wrong is named, with what to give", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks: [{ label: "a", value: "tea\nmilk\ntea" }] });
    const cases = [
      [{}, /^command is required\..*Give one of these: create, str_replace, insert, delete, rename\.$/],
      [
        { command: "view", path: "a" },
        /^"view" is no command.*Use one of these: create, str_replace, insert, delete, re/,
      ],
      [{ command: "create" }, /^path is required for the create command\..*as \/memories\/<label>\.$/],
      [{ command: "create", path: "b" }, /^description is required for the create command\..*what the block is for\.$/],
      [
        { command: "create", path: "/memories/", description: "d" },
        /^path names no block\..*as \/memories\/<label>\.$/,
      ],
      [
        { command: "create", path: "/a", description: "d" },
        /^You already have a block labelled "a".*choose another label/,
      ],
      [{ command: "create", path: "b\nc", description: "d" }, /cannot be a label.*Choose a short name/],
      [{ command: "str_replace", path: "a" }, /^old_string is required for the str_replace command\..*Quote there/],
      [{ command: "str_replace", path: "a", old_string: "x" }, /^new_string is required.*an empty string deletes\.$/],
      [{ command: "str_replace", path: "a", old_string: "", new_string: "x" }, /^old_string is empty.*Quote the text/],
      [{ command: "str_replace", path: "a", old_string: "tea", new_string: "x" }, /on lines 1, 3\. Quote more of its/],
      [{ command: "insert", path: "a" }, /^insert_text is required for the insert command\..*what to add\.$/],
      [{ command: "insert", path: "a", insert_text: "x", insert_line: 4 }, /range \[0, 3\], or -1.*Call again/],
      [{ command: "delete" }, /^path is required for the delete command\./],
      [{ command: "rename" }, /^path is required for the rename command\./],
      [
        { command: "rename", path: "a" },
        /^description is required for the rename command\..*or give old_path and new_path/,
      ],
      [{ command: "rename", old_path: "a" }, /^new_path is required for the rename command\./],
      [{ command: "rename", new_path: "a" }, /^old_path is required for the rename command\./],
      [{ command: "rename", old_path: "a", new_path: "a" }, /^You already have a block labelled "a"/],
    ] as const;
    for (const [args, message] of cases) {
      expect(await world.refuse("memory", args), JSON.stringify(args)).toMatch(message);
    }
  });
});
