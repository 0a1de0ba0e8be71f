/** The tool that does all work on memory blocks, addressed like files. One rule makes labels of paths, for all commands. */
import { planAdd, planDescribe, planRemove, planRename } from "../../memory/block-plan.ts";
import { refusal } from "../../memory/block-rules.ts";
import { rejectDisplayAids } from "../../memory/edit.ts";
import { prose } from "../../memory/prompts/prose.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { RunBuiltin, ToolContext } from "../tool.ts";
import { bindInput, defineTool } from "./builtin-tool.ts";
import { changeMemory, savedNote } from "./edit-block.ts";
import { displayNumbers, editRefusals, editTiming } from "./edit-notes.ts";
import { integer, object, optional, text, type ValuesOf } from "./input.ts";
import { insertIntoBlock } from "./memory-insert.ts";
import { replaceInBlock } from "./memory-replace.ts";

const blockArguments = {
  path: optional(
    text("The block, as /memories/<label>. For every command except a rename with old_path and new_path."),
  ),
  file_text: optional(text("create: the first text of the new block. Leave out for an empty one.")),
  description: optional(
    text(`
      create: what the new block is for, in a sentence. rename together with path: the description that replaces the
      present one.
    `),
  ),
  old_string: optional(
    text(`
      str_replace: the passage as it stands in the block, character for character, found there exactly once. Without
      line numbers.
    `),
  ),
  new_string: optional(text("str_replace: the passage to put there; an empty string deletes. Without line numbers.")),
  insert_line: optional(
    integer(`
      insert: the line after which to add, counted from 1. 0 is the top; -1, or leaving it out, is the end.
    `),
  ),
  insert_text: optional(text("insert: the text to add, one or more lines. Without line numbers.")),
  old_path: optional(text("rename: the present path of the block, given together with new_path.")),
  new_path: optional(text("rename: the path the block shall have. Its label must not be taken.")),
};

type BlockArguments = ValuesOf<typeof blockArguments>;
type RunCommand = (scope: Scope, args: BlockArguments, context: ToolContext) => Promise<string>;

const commands: ReadonlyMap<string, RunCommand> = new Map([
  ["create", createBlock],
  ["str_replace", replacePassage],
  ["insert", insertLines],
  ["delete", removeBlock],
  ["rename", renameBlock],
]);
const commandNames = [...commands.keys()].join(", ");

export const memory = defineTool({
  name: "memory",
  kind: "memory",
  description: prose(`
    One tool for all work on memory blocks, addressed like files: the block labelled "projects" has the path
    /memories/projects. Keep labels free of further slashes. Choose a command and give what it needs:

    - create: path and description, and usually file_text. Makes a new block and attaches it to you. The label must be
    new to you; say in the description what the block is for, because that is what you will see beside it later.
    - str_replace: path, old_string, new_string. Exchanges a passage that occurs exactly once in the block.
    - insert: path, insert_text, and insert_line for a place other than the end. Adds lines.
    - delete: path. Takes the block away from you. Agents that share the block keep it.
    - rename: old_path and new_path for a new label; or path and description for a new description only.

    Open a block for a subject that keeps coming up, and keep the number of blocks small: each takes room in every
    prompt.

    Returns for str_replace and insert the whole new text of the block, otherwise a sentence saying what was done. A
    missing argument is an error that names it. ${editTiming}

    ${editRefusals}

    ${displayNumbers}
  `),
  input: object({
    command: text(
      `What to do: "create", "str_replace", "insert", "delete" or "rename".`,
      `Give one of these: ${commandNames}.`,
    ),
    ...blockArguments,
  }),
  run: async (scope, { command: name, ...args }, context) => {
    const command = commands.get(name);
    if (command) return await command(scope, args, context);
    throw refusal(
      `"${name.slice(0, 100)}" is no command of this tool. Nothing was done. Use one of these: ${commandNames}.`,
    );
  },
});

/** `memory_str_replace` and `memory_str_insert` are not in the list of tools, but imported agents may have them. */
export const runMemoryStrReplace: RunBuiltin = bindInput(object(blockArguments), replacePassage);
export const runMemoryStrInsert: RunBuiltin = bindInput(object(blockArguments), insertLines);

async function createBlock(scope: Scope, args: BlockArguments, context: ToolContext): Promise<string> {
  const label = readPath(args, "path", "create");
  const description = readFor("create", args, "description", "Say there in a sentence what the block is for.");
  const value = args.file_text ?? "";
  rejectDisplayAids("file_text", value);
  rejectDisplayAids("description", description);
  await changeMemory(scope, context, (plan) => planAdd(plan, { label, value, description }));
  return `Block "${label}" was created. ${savedNote}`;
}

async function replacePassage(scope: Scope, args: BlockArguments, context: ToolContext): Promise<string> {
  return await replaceInBlock(scope, context, {
    label: readPath(args, "path", "str_replace"),
    old: readFor("str_replace", args, "old_string", "Quote there the passage to be replaced."),
    next: readFor("str_replace", args, "new_string", "Write there the new passage; an empty string deletes."),
  });
}

async function insertLines(scope: Scope, args: BlockArguments, context: ToolContext): Promise<string> {
  return await insertIntoBlock(scope, context, {
    label: readPath(args, "path", "insert"),
    argument: "insert_text",
    text: readFor("insert", args, "insert_text", "Write there what to add."),
    line: args.insert_line,
  });
}

async function removeBlock(scope: Scope, args: BlockArguments, context: ToolContext): Promise<string> {
  const label = readPath(args, "path", "delete");
  await changeMemory(scope, context, (plan) => planRemove(plan, label));
  return `Block "${label}" was taken away from you. That is saved; it is gone from your prompt from your next turn on.`;
}

/** A new label, or a new description, or both. */
async function renameBlock(scope: Scope, args: BlockArguments, context: ToolContext): Promise<string> {
  const { description } = args;
  if (description !== undefined) rejectDisplayAids("description", description);
  if (args.old_path === undefined && args.new_path === undefined) return await describeBlock(scope, args, context);
  const label = readPath(args, "old_path", "rename");
  const next = readPath(args, "new_path", "rename");
  await changeMemory(scope, context, (plan) => {
    const renamed = planRename(plan, label, next);
    return description === undefined ? renamed : planDescribe(renamed, next, description);
  });
  return `Block "${label}" is now labelled "${next}". ${savedNote}`;
}

async function describeBlock(scope: Scope, args: BlockArguments, context: ToolContext): Promise<string> {
  const label = readPath(args, "path", "rename");
  const remedy = "With path it is the new description; or give old_path and new_path.";
  const description = readFor("rename", args, "description", remedy);
  await changeMemory(scope, context, (plan) => planDescribe(plan, label, description));
  return `Block "${label}" has a new description. ${savedNote}`;
}

type TextName = Exclude<keyof BlockArguments, "insert_line">;

function readFor(command: string, args: BlockArguments, name: TextName, remedy: string): string {
  const text = args[name];
  if (text !== undefined) return text;
  throw refusal(`${name} is required for the ${command} command. Nothing was done. ${remedy}`);
}

/** `/memories/a/b`, `/a/b` and `a/b` are all the block labelled `a/b`. */
function readPath(args: BlockArguments, name: TextName, command: string): string {
  const remedy = "Give the block as /memories/<label>.";
  const label = readFor(command, args, name, remedy)
    .trim()
    .replace(/^\/(memories\/)?/, "");
  if (label === "") throw refusal(`${name} names no block. Nothing was done. ${remedy}`);
  return label;
}
