/** Precise edits to one memory block at a time, for newer chat agents and for background memory editors. */

import { prose } from "../../memory/prompts/prose.ts";
import { type BuiltinTool, integer, object, text } from "./builtin-tool.ts";
import { displayNumbers, editRefusals, editTiming } from "./edit-notes.ts";

const label = text("The label of the block to edit, exactly as your prompt shows it.");

const memoryReplace: BuiltinTool = {
  name: "memory_replace",
  kind: "sleeptime",
  description: prose(`
    Exchange one passage of a memory block for another. The tool of choice for correcting a fact, rewording a line or,
    with an empty new_string, removing something.

    old_string has to match the block character for character, spaces and line breaks included, and in one place only.
    No match or several matches is an error that changes nothing; when several lines match, it names them. Quote a
    little more of the surroundings then, until the passage is unique.

    Returns the whole new text of the block. ${editTiming}

    ${editRefusals}

    ${displayNumbers}
  `),
  parameters: object(
    {
      label,
      old_string: text(`
        The passage as it stands in the block now. It must occur exactly once; it may span lines. Without line numbers.
      `),
      new_string: text("What shall stand there instead. An empty string deletes the passage. Without line numbers."),
    },
    ["label", "old_string", "new_string"],
  ),
  isParallel: false,
};

const memoryInsert: BuiltinTool = {
  name: "memory_insert",
  kind: "sleeptime",
  description: prose(`
    Add lines to a memory block without touching what it already says. Good for a new fact, a further list entry, a
    heading. If the block already has a statement on the matter, change that with memory_replace instead of adding a
    second one that disagrees.

    Returns the whole new text of the block. ${editTiming}

    ${editRefusals} A line number outside the block is refused too.

    ${displayNumbers}
  `),
  parameters: object(
    {
      label,
      new_string: text("The text to add, one or more lines. It gets lines of its own. Without line numbers."),
      insert_line: integer(`
        The line after which to add it, counted from 1; 0 puts it at the very top. Leave out, or give -1, for the end.
      `),
    },
    ["label", "new_string"],
  ),
  isParallel: false,
};

const memoryRethink: BuiltinTool = {
  name: "memory_rethink",
  kind: "sleeptime",
  description: prose(`
    Write a memory block anew from top to bottom. Meant for reorganising: merging scattered statements, dropping what is
    out of date, giving a grown block a better order, making room below its limit. For a single change use
    memory_replace or memory_insert, which cannot lose anything by accident.

    Whatever new_memory leaves out is gone from the block, so carry over every fact that still holds, with its names,
    numbers and dates.

    Returns the whole new text of the block. ${editTiming}

    A label you do not have yet makes a new block. Refused, with the block left as it was: a block marked read_only, and
    a text longer than the block's limit.

    ${displayNumbers}
  `),
  parameters: object(
    {
      label: text("The label of the block, exactly as your prompt shows it; or a new label, for a new block."),
      new_memory: text("The complete text the block shall have from now on. Without line numbers."),
    },
    ["label", "new_memory"],
  ),
  isParallel: false,
};

const memoryFinishEdits: BuiltinTool = {
  name: "memory_finish_edits",
  kind: "sleeptime",
  description: prose(`
    Declare your work on memory done and end the turn. Call it once, as the last step, when everything worth keeping has
    been written and the blocks read well; call it right away if there was nothing to change. Edits were saved as you
    made them, so this saves nothing and undoes nothing.

    Returns nothing.
  `),
  parameters: object({}),
  isParallel: false,
};

export const sleeptimeTools: readonly BuiltinTool[] = [memoryReplace, memoryInsert, memoryRethink, memoryFinishEdits];
