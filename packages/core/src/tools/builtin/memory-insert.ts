import { insertText, rejectDisplayAids } from "../../memory/edit.ts";
import { prose } from "../../memory/prompts/prose.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { ToolContext } from "../tool.ts";
import { defineTool } from "./builtin-tool.ts";
import { editBlock } from "./edit-block.ts";
import { displayNumbers, editRefusals, editTiming } from "./edit-notes.ts";
import { integer, object, optional, text } from "./input.ts";

export const memoryInsert = defineTool({
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
  input: object({
    label: text("The label of the block to edit, exactly as your prompt shows it.", "Name the block to write to."),
    new_string: text(
      "The text to add, one or more lines. It gets lines of its own. Without line numbers.",
      "Write there what to add.",
    ),
    insert_line: optional(
      integer(`
        The line after which to add it, counted from 1; 0 puts it at the very top. Leave out, or give -1, for the end.
      `),
    ),
  }),
  run: async (scope, { label, new_string, insert_line }, context) =>
    await insertIntoBlock(scope, context, { label, argument: "new_string", text: new_string, line: insert_line }),
});

interface Insertion {
  readonly label: string;
  /** The name of the argument that holds `text`, for errors. */
  readonly argument: string;
  readonly text: string;
  /** At the end, if undefined. */
  readonly line: number | undefined;
}

export async function insertIntoBlock(scope: Scope, context: ToolContext, insertion: Insertion) {
  const { label, argument, text, line = -1 } = insertion;
  rejectDisplayAids(argument, text);
  return await editBlock(scope, context, label, (value) => insertText(label, value, text, line));
}
