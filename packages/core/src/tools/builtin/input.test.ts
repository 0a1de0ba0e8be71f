import { expect, expectTypeOf, test } from "vitest";
import type { JsonObject } from "../../shared/json.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { ToolContext } from "../tool.ts";
import { defineTool } from "./builtin-tool.ts";
import { choice, choices, flag, integer, listOf, object, optional, text, texts } from "./input.ts";
import { resultLimit } from "./result-limit.ts";

const input = object({
  label: text("Which block.", "Name the block."),
  mode: optional(choice(["any", "all"], "How tags combine.", 'Leave it out for "any".')),
  roles: optional(choices(["user", "tool"], "Whose messages.", "which is no role.")),
  line: optional(integer("Which line.")),
  isDry: optional(flag("Whether to try only.")),
  tags: optional(texts("Which tags.")),
  files: optional(listOf(object({ name: text("Which file."), offset: optional(integer("Where.")) }), "Which files.")),
  limit: resultLimit("Most results."),
});

const read = (args: JsonObject) => input.read("the arguments", args);

test("the schema lists parameters in their order and requires those that are not optional", () => {
  expect(Object.keys(input.schema.properties)).toEqual("label mode roles line isDry tags files limit".split(" "));
  expect(input.schema.required).toEqual(["label"]);
  expect(JSON.stringify(input.schema.properties.files)).toBe(
    '{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","description":"Which file."},' +
      '"offset":{"type":"integer","description":"Where."}},"required":["name"]},"description":"Which files."}',
  );
});

test("a tool gets its arguments in the types it declared", async () => {
  const tool = defineTool({
    name: "example",
    kind: "core",
    description: "",
    input,
    run: async (_scope, args) => {
      expectTypeOf(args.label).toEqualTypeOf<string>();
      expectTypeOf(args.mode).toEqualTypeOf<"any" | "all" | undefined>();
      expectTypeOf(args.roles).toEqualTypeOf<("user" | "tool")[] | undefined>();
      expectTypeOf(args.line).toEqualTypeOf<number | undefined>();
      expectTypeOf(args.isDry).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(args.tags).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(args.limit).toEqualTypeOf<number>();
      return [args.label, args.files?.[0]?.offset ?? null, args.limit];
    },
  });
  if (typeof tool.run === "string") throw new Error("a tool with a function has one");
  const args = { label: "a\0b", files: [{ name: "c", offset: "7" }], limit: 1_000, unknown: true };
  expect(await tool.run({} as Scope, args, {} as ToolContext)).toEqual(["ab", 7, 100]);
});

test("optional arguments may be left out or null", () => {
  expect(read({ label: "", mode: null, line: null, tags: null })).toEqual({ label: "", limit: 5 });
});

test.for<[JsonObject, string]>([
  [{}, "label is required. Nothing was done. Name the block."],
  [{ label: null }, "label is required. Nothing was done. Name the block."],
  [{ label: 1 }, "label must be a text."],
  [{ label: "a", mode: "most" }, 'mode is "most"; it must be "any" or "all". Leave it out for "any".'],
  [{ label: "a", roles: ["user", "system"] }, 'roles holds "system", which is no role.'],
  [{ label: "a", line: 1.5 }, "line must be a whole number."],
  [{ label: "a", isDry: "yes" }, "isDry must be true or false."],
  [{ label: "a", tags: "b" }, "tags must be a list of texts."],
  [{ label: "a", files: {} }, "files must be a list."],
  [{ label: "a", files: ["b"] }, "files[0] must be an object."],
  [{ label: "a", files: [null] }, "files[0] is required."],
  [{ label: "a", files: [{}] }, "name is required."],
  [{ label: "a", limit: 0 }, "limit is 0; it must be at least 1."],
])("%j is refused with what to send instead", ([args, message]) => {
  expect(() => read(args)).toThrow(message);
});
