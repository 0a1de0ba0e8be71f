/** The older pair of block edits, and the two tools that can also add, rename and remove whole blocks. */

import { prose } from "../../memory/prompts/prose.ts";
import { type BuiltinTool, integer, object, text } from "./builtin-tool.ts";
import { displayNumbers, editRefusals, editTiming } from "./edit-notes.ts";

const label = text("Which block to edit: its label, spelled as in your prompt.");

const coreMemoryAppend: BuiltinTool = {
  name: "core_memory_append",
  kind: "memory",
  description: prose(`
    Write one more piece of information below the present text of a memory block, on a new line. Use it the moment you
    learn something that will matter again. Check the block first: a statement that is now wrong should be corrected
    with core_memory_replace, not contradicted further down.

    Returns the whole new text of the block. ${editTiming}

    ${editRefusals}
  `),
  parameters: object(
    {
      label,
      content: text(`
        What to add, in a form you will understand later without this conversation. The line break in front of it is
        made for you.
      `),
    },
    ["label", "content"],
  ),
  isParallel: false,
};

const coreMemoryReplace: BuiltinTool = {
  name: "core_memory_replace",
  kind: "memory",
  description: prose(`
    Swap a piece of a memory block's text for new wording: to correct, to update, to shorten, or to delete by giving an
    empty new_content. The old piece must match the block exactly. If it occurs more than once, every occurrence is
    changed, so quote enough of it to hit only what you mean. If it does not occur, you get an error and nothing
    changes.

    Returns the whole new text of the block. ${editTiming}

    ${editRefusals}
  `),
  parameters: object(
    {
      label,
      old_content: text("The piece to look for, copied from the block without the slightest change. Not empty."),
      new_content: text("The piece to put in its place. An empty string removes the old one."),
    },
    ["label", "old_content", "new_content"],
  ),
  isParallel: false,
};

const memory: BuiltinTool = {
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
  parameters: object(
    {
      command: text(`What to do: "create", "str_replace", "insert", "delete" or "rename".`),
      path: text("The block, as /memories/<label>. For every command except a rename with old_path and new_path."),
      file_text: text("create: the first text of the new block. Leave out for an empty one."),
      description: text(`
        create: what the new block is for, in a sentence. rename together with path: the description that replaces the
        present one.
      `),
      old_string: text(`
        str_replace: the passage as it stands in the block, character for character, found there exactly once. Without
        line numbers.
      `),
      new_string: text("str_replace: the passage to put there; an empty string deletes. Without line numbers."),
      insert_line: integer(`
        insert: the line after which to add, counted from 1. 0 is the top; -1, or leaving it out, is the end.
      `),
      insert_text: text("insert: the text to add, one or more lines. Without line numbers."),
      old_path: text("rename: the present path of the block, given together with new_path."),
      new_path: text("rename: the path the block shall have. Its label must not be taken."),
    },
    ["command"],
  ),
  isParallel: false,
};

/** Kept in its own lines: the leading characters are the format. */
const patchExamples = [
  "One block: give its label and a patch of hunks, each opened by a line @@.",
  "Lines of a hunk begin with a space (stays), - (goes) or + (comes):",
  "",
  "@@",
  " Travel",
  "-Prefers night trains",
  "+Prefers day trains since May 2025",
  "",
  "Several blocks: open each operation with a header line. Operations run from top to bottom; if one cannot be done, none is.",
  "",
  "*** Add Block: garden",
  "Description: Plants, beds and what is due when",
  "+Tomatoes sown on 3 March",
  "*** Update Block: human",
  "@@",
  "-Lives in Ghent",
  "+Lives in Bruges",
  "*** Move to: ana",
  "*** Delete Block: scratch",
  "",
  "Move to renames the block named just before it; Delete takes a block away from you.",
].join("\n");

const memoryApplyPatch: BuiltinTool = {
  name: "memory_apply_patch",
  kind: "memory",
  description: [
    prose(`
      Make several changes to memory in one call, written as a patch. Worth its format when edits belong together: many
      places in one block, or blocks to be added, renamed and removed in one go. For a single small change a plainer
      memory tool is safer.
    `),
    patchExamples,
    prose(`
      The lines that stay and go must match one place in the block exactly, in sequence. If a hunk fits nowhere or in
      more than one place you get an error; add neighbouring lines that stay until it fits one place. A hunk made of +
      lines alone goes to the end of the block.

      Returns for one block its whole new text, for several a list of what was done. ${editTiming}

      ${editRefusals} So is adding a block whose label you already have.

      ${displayNumbers}
    `),
  ].join("\n\n"),
  parameters: object(
    {
      label: text(`
        The block to patch. When the patch has header lines, they decide and this is not used; give the label of any of
        the blocks concerned.
      `),
      patch: text("The patch, in one of the two forms described. Without line numbers."),
    },
    ["label", "patch"],
  ),
  isParallel: false,
};

export const memoryTools: readonly BuiltinTool[] = [coreMemoryAppend, coreMemoryReplace, memory, memoryApplyPatch];
