import { describe, expect, test } from "vitest";
import { getBlock } from "../../store/blocks/blocks.ts";
import { openToolWorld } from "../../testing/builtin-tools.ts";
import { dialects } from "../../testing/databases.ts";

const blocks = [
  { label: "human", value: "Lives in Ghent\nLikes tea" },
  { label: "scratch", value: "x" },
];
const patch = (...lines: string[]) => ({ label: "human", patch: lines.join("\n") });

describe.each(dialects)("%s", (dialect) => {
  test("a plain patch answers the new text, one with headers a list of what was done", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks });
    expect(await world.call("memory_apply_patch", patch("@@", " Lives in Ghent", "-Likes tea", "+-- likes milk"))).toBe(
      "Lives in Ghent\n-- likes milk",
    );
    const scratchId = (await world.readMemory())[1]?.id ?? "";
    const output = await world.call(
      "memory_apply_patch",
      patch(
        "*** Add Block: garden",
        "Description: Plants, beds and what is due when",
        "+Tomatoes sown on 3 March",
        "*** Update Block: human",
        "@@",
        "-Lives in Ghent",
        "--- likes milk",
        "+Lives in Bruges",
        "*** Move to: ana",
        "*** Delete Block: scratch",
      ),
    );
    expect(output).toBe(
      "Applied 4 operations. What changed is saved and stands in your prompt from your next turn on:\n" +
        '- added block "garden"\n- updated block "human"\n- renamed block "human" to "ana"\n- took away block "scratch"',
    );
    expect(await world.readMemory()).toMatchObject([
      { label: "ana", value: "Lives in Bruges", version: 3 },
      { label: "garden", value: "Tomatoes sown on 3 March", description: "Plants, beds and what is due when" },
    ]);
    expect((await getBlock(world.scope, scratchId)).value).toBe("x");
  });

  test("is whole or absent: one operation that cannot be done undoes all", async (context) => {
    const world = await openToolWorld(dialect, context, {
      blocks: [...blocks, { label: "law", value: "x", readOnly: true }, { label: "small", value: "x", charLimit: 5 }],
    });
    const good = ["*** Add Block: garden", "+x", "*** Update Block: scratch", "-x", "+y", "*** Delete Block: human"];
    const bad = [
      [["*** Add Block: scratch", "+x"], /already have a block labelled "scratch".*choose another label/],
      [["*** Add Block: garden", "+x"], /already have a block labelled "garden"/],
      [["*** Delete Block: nothing"], /no block labelled "nothing"\. Your blocks are: scratch, law, small, garden\./],
      [["*** Delete Block: human"], /no block labelled "human"/],
      [["*** Update Block: scratch", "-x", "+z"], /Hunk 1 fits nowhere.*Copy the lines/],
      [["*** Delete Block: law"], /read-only.*into another block/],
      [["*** Update Block: law", "*** Move to: rule"], /read-only/],
      [["*** Update Block: law", "@@", "-x", "+y"], /read-only/],
      [["*** Update Block: small", "@@", "+123456"], /would have 8 characters, but its limit is 5 \(it has 1 now\)/],
      [["*** Update Block: scratch", "*** Move to: small"], /already have a block labelled "small"/],
    ] as const;
    for (const [lines, message] of bad) {
      expect(await world.refuse("memory_apply_patch", patch(...good, ...lines)), lines.join()).toMatch(message);
    }
  });

  test("renames in a row find their labels free, an exchange is refused", async (context) => {
    const world = await openToolWorld(dialect, context, {
      sleeptime: true,
      blocks: ["a", "b", "c"].map((label) => ({ label, value: label })),
    });
    const move = (from: string, to: string) => [`*** Update Block: ${from}`, `*** Move to: ${to}`];
    await world.call("memory_apply_patch", patch(...move("c", "d"), ...move("b", "c"), ...move("a", "b")));
    expect(await world.readValues()).toEqual({ b: "a", c: "b", d: "c" });
    expect(
      await world.refuse("memory_apply_patch", patch(...move("b", "x"), ...move("c", "b"), ...move("x", "c"))),
    ).toMatch(/exchange their labels.*Rename one of them to a new label in a call of its own/);
    // The companion keeps what its agent gives up, and a block has one label for both.
    expect(await world.refuse("memory_apply_patch", patch("*** Delete Block: d", ...move("b", "d")))).toMatch(
      /shared with another agent.*Choose another label/,
    );
    await world.call("memory_apply_patch", patch("*** Delete Block: d", "*** Add Block: d", "+new"));
    expect(await world.readValues()).toEqual({ b: "a", c: "b", d: "new" });
  });

  test("a patch that adds and takes away again does nothing", async (context) => {
    const world = await openToolWorld(dialect, context, { blocks });
    const before = await world.readMemory();
    await world.call(
      "memory_apply_patch",
      patch("*** Add Block: new", "+x", "*** Move to: newer", "@@", "-x", "+y", "*** Delete Block: newer"),
    );
    expect(await world.readMemory()).toEqual(before);
  });
});
