import { rejectDisplayAids, replaceOneText } from "../../memory/edit.ts";
import { prose } from "../../memory/prompts/prose.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { ToolContext } from "../tool.ts";
import { defineTool } from "./builtin-tool.ts";
import { editBlock } from "./edit-block.ts";
import { displayNumbers, editRefusals, editTiming } from "./edit-notes.ts";
import { object, text } from "./input.ts";

export const memoryReplace = defineTool({
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
  input: object({
    label: text("The label of the block to edit, exactly as your prompt shows it.", "Name the block to edit."),
    old_string: text(
      `
        The passage as it stands in the block now. It must occur exactly once; it may span lines. Without line numbers.
      `,
      "Quote the passage to be replaced.",
    ),
    new_string: text(
      "What shall stand there instead. An empty string deletes the passage. Without line numbers.",
      "Write the passage to put there; an empty string deletes.",
    ),
  }),
  run: async (scope, { label, old_string, new_string }, context) =>
    await replaceInBlock(scope, context, { label, old: old_string, next: new_string }),
});

interface Replacement {
  readonly label: string;
  readonly old: string;
  readonly next: string;
}

export async function replaceInBlock(scope: Scope, context: ToolContext, { label, old, next }: Replacement) {
  rejectDisplayAids("old_string", old);
  rejectDisplayAids("new_string", next);
  return await editBlock(scope, context, label, (value) => replaceOneText(label, value, old, next));
}
