/** The tool that does all work on memory blocks, addressed like files. One rule makes paths of labels, for all commands. */
import { planAdd, planDescribe, planRemove, planRename } from "../../memory/block-plan.ts";
import { refusal } from "../../memory/block-rules.ts";
import { rejectDisplayAids } from "../../memory/edit.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { RunBuiltin } from "../tool.ts";
import { findInteger, findText, readText } from "./call-arguments.ts";
import { changeMemory, savedNote } from "./edit-block.ts";
import { insertIntoBlock } from "./memory-insert.ts";
import { replaceInBlock } from "./memory-replace.ts";

export const runMemory: RunBuiltin = async (scope, args, context) => {
  const name = readText(args, "command", `Give one of these: ${[...commands.keys()].join(", ")}.`);
  const command = commands.get(name);
  if (command) return await command(scope, args, context);
  throw refusal(
    `"${name.slice(0, 100)}" is no command of this tool. Nothing was done. Use one of these: ${[...commands.keys()].join(", ")}.`,
  );
};

const runMemoryCreate: RunBuiltin = async (scope, args, context) => {
  const label = readPath(args, "path", "create");
  const description = readFor("create", args, "description", "Say there in a sentence what the block is for.");
  const value = findText(args, "file_text") ?? "";
  rejectDisplayAids("file_text", value);
  rejectDisplayAids("description", description);
  await changeMemory(scope, context, (plan) => planAdd(plan, { label, value, description }));
  return `Block "${label}" was created. ${savedNote}`;
};

export const runMemoryStrReplace: RunBuiltin = async (scope, args, context) =>
  await replaceInBlock(scope, context, {
    label: readPath(args, "path", "str_replace"),
    old: readFor("str_replace", args, "old_string", "Quote there the passage to be replaced."),
    next: readFor("str_replace", args, "new_string", "Write there the new passage; an empty string deletes."),
  });

export const runMemoryStrInsert: RunBuiltin = async (scope, args, context) =>
  await insertIntoBlock(scope, context, {
    label: readPath(args, "path", "insert"),
    argument: "insert_text",
    text: readFor("insert", args, "insert_text", "Write there what to add."),
    line: findInteger(args, "insert_line"),
  });

const runMemoryDelete: RunBuiltin = async (scope, args, context) => {
  const label = readPath(args, "path", "delete");
  await changeMemory(scope, context, (plan) => planRemove(plan, label));
  return `Block "${label}" was taken away from you. That is saved; it is gone from your prompt from your next turn on.`;
};

/** A new label, or a new description, or both. */
const runMemoryRename: RunBuiltin = async (scope, args, context) => {
  const description = findText(args, "description");
  if (description !== undefined) rejectDisplayAids("description", description);
  if (findText(args, "old_path") === undefined && findText(args, "new_path") === undefined) {
    const label = readPath(args, "path", "rename");
    const text = readFor(
      "rename",
      args,
      "description",
      "With path it is the new description; or give old_path and new_path.",
    );
    await changeMemory(scope, context, (plan) => planDescribe(plan, label, text));
    return `Block "${label}" has a new description. ${savedNote}`;
  }
  const label = readPath(args, "old_path", "rename");
  const next = readPath(args, "new_path", "rename");
  await changeMemory(scope, context, (plan) => {
    const renamed = planRename(plan, label, next);
    return description === undefined ? renamed : planDescribe(renamed, next, description);
  });
  return `Block "${label}" is now labelled "${next}". ${savedNote}`;
};

const commands: ReadonlyMap<string, RunBuiltin> = new Map([
  ["create", runMemoryCreate],
  ["str_replace", runMemoryStrReplace],
  ["insert", runMemoryStrInsert],
  ["delete", runMemoryDelete],
  ["rename", runMemoryRename],
]);

function readFor(command: string, args: JsonObject, name: string, remedy: string): string {
  const text = findText(args, name);
  if (text !== undefined) return text;
  throw refusal(`${name} is required for the ${command} command. Nothing was done. ${remedy}`);
}

/** `/memories/a/b`, `/a/b` and `a/b` are all the block labelled `a/b`. */
function readPath(args: JsonObject, name: string, command: string): string {
  const remedy = "Give the block as /memories/<label>.";
  const label = readFor(command, args, name, remedy)
    .trim()
    .replace(/^\/(memories\/)?/, "");
  if (label === "") throw refusal(`${name} names no block. Nothing was done. ${remedy}`);
  return label;
}
